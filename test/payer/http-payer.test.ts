import type { ServerResponse } from 'node:http';
import { deadAddress, serveHttp } from '../client/loopback.ts';
import { type Deed, payerSuite } from './payer-suite.ts';
import { httpPayer } from './programs.ts';

const secret = 'sk-live-4f9a77c21b';

const answers: Readonly<Record<Deed, (outgoing: ServerResponse) => void>> = {
  pays: (outgoing) => outgoing.writeHead(204).end(),
  'pays-with-receipt': (outgoing) => outgoing.end('{"outcome":"paid","ref":"R-17","message":"done"}'),
  refuses: (outgoing) => outgoing.writeHead(422).end(),
  'refuses-with-reason': (outgoing) =>
    outgoing.writeHead(422).end('{"outcome":"refused","message":"left the shop"}'),
  'asks-for-patience': (outgoing) => outgoing.writeHead(429, { 'retry-after': '30' }).end(),
  'does-not-know-us': (outgoing) => outgoing.writeHead(401).end(),
  'says-a-strange-outcome': (outgoing) => outgoing.end('{"outcome":"declined"}'),
  'contradicts-itself': (outgoing) => outgoing.writeHead(422).end('{"outcome":"paid"}'),
  breaks: (outgoing) => outgoing.writeHead(500).end('{"outcome":"refused"}'),
  'answers-too-late': () => undefined,
  'writes-without-end': (outgoing) => outgoing.end(' '.repeat(64 * 1024 + 1)),
  'repeats-its-secret': (outgoing) => outgoing.writeHead(500).end(`no such token: ${secret}`),
  'is-not-there': () => undefined,
};

async function open(deed: Deed) {
  const { url, seen } = await serveHttp((_, outgoing) => answers[deed](outgoing));
  const address = deed === 'is-not-there' ? `http://${await deadAddress()}` : url;
  const payer = await httpPayer(`${address}/pay?token=t0p-secret-token`, {
    headers: { authorization: `Bearer ${secret}` },
    ...(deed === 'answers-too-late' ? { timeoutMs: 500 } : {}),
  });
  const arrived = () =>
    seen.map(({ headers, body }) => ({ key: [headers['idempotency-key']].flat()[0], document: body }));
  return { payer, arrived, secret };
}

payerSuite('an HTTP service', open);
