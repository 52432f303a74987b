import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { join, resolve } from 'node:path';
import { listen } from './loopback.ts';

const folder = resolve('fixtures/tls');

/** The authority that issued the certificate of `serveHttps`; no machine trusts it by default. */
export const authorityFile = join(folder, 'authority.pem');

/** The certificate, valid for 127.0.0.1 only, and its key. */
export const certificateFiles = { cert: join(folder, 'server.pem'), key: join(folder, 'server.key') };

/** Serves HTTPS on loopback until the test ends; `seen` collects every request. */
export async function serveHttps(answer: RequestListener) {
  const seen: string[] = [];
  const { cert, key } = certificateFiles;
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    incoming.resume();
    answer(incoming, outgoing);
  });
  const { host } = await listen(server);
  return { host, port: Number(host.split(':')[1]), url: `https://${host}`, seen };
}
