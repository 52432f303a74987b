import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { authorityRemedy } from '../../src/base/tls-failure.ts';
import { httpAnswer } from '../../src/payer/http-answer.ts';
import { payerUrl } from '../../src/payer/http-payer.ts';
import type { PayerAnswer } from '../../src/payer/payer.ts';
import { deadAddress, serveHttp, serveSockets } from '../client/loopback.ts';
import { serveHttps } from '../client/serve-https.ts';
import { noPromises, paymentOf } from './payments.ts';
import { httpPayer } from './programs.ts';

const bodies = {
  nothing: '',
  'a JSON object': '{"done":true}',
  paid: '{"outcome":"paid"}',
  refused: '{"outcome":"refused"}',
  retry: '{"outcome":"retry"}',
  'a strange outcome': '{"outcome":"ok"}',
  'a web page': '<html>Sign in</html>',
  'a torn answer': '{"outcome":"refu',
} as const;

const p = 'paid';
const r = 'refused';
const t = 'retry';
const m = 'misconfigured';
const a = 'ambiguous';

/** The meaning of each status with each body, in the order of `bodies`. */
const byStatus: readonly (readonly [number, readonly PayerAnswer['kind'][]])[] = [
  [200, [p, p, p, r, t, a, a, a]],
  [201, [p, p, p, r, t, a, a, a]],
  [301, [a, a, a, a, a, a, a, a]],
  [400, [a, a, a, r, t, a, a, a]],
  [401, [m, m, a, m, m, m, m, m]],
  [403, [m, m, a, m, m, m, m, m]],
  [404, [m, m, a, m, m, m, m, m]],
  [405, [m, m, a, m, m, m, m, m]],
  [408, [a, a, a, r, t, a, a, a]],
  [409, [a, a, a, r, t, a, a, a]],
  [422, [r, r, a, r, a, a, r, r]],
  [429, [t, t, a, a, t, a, t, t]],
  [500, [a, a, a, a, a, a, a, a]],
  [503, [a, a, a, a, a, a, a, a]],
];

const rows = byStatus.flatMap(([status, kinds]) =>
  Object.entries(bodies).map(([name, body], index) => [status, name, body, kinds[index]] as const),
);

const call = { payment: paymentOf(), paidStatuses: new Set<number>() };

describe('an answer over HTTP', () => {
  it.each(rows)('with status %d and %s (%s) means %s', (status, _, body, kind) => {
    expect(httpAnswer({ status, body }, call).kind).toBe(kind);
  });

  it.each([
    ['nothing', '', 'paid'],
    ['a refusal', '{"outcome":"refused"}', 'refused'],
    ['something else', 'duplicate', 'ambiguous'],
  ])('with a status that was named to mean paid, and %s, goes by the body too', (_, body, kind) => {
    expect(httpAnswer({ status: 409, body }, { ...call, paidStatuses: new Set([409]) }).kind).toBe(kind);
  });

  it.each([200, 422, 429])('with status %d is read behind a byte order mark', (status) => {
    const outcome = status === 200 ? 'refused' : 'paid';
    const answer = httpAnswer({ status, body: `\ufeff{"outcome":"${outcome}"}` }, call);
    expect(answer.kind).toBe(status === 200 ? 'refused' : 'ambiguous');
  });
});

describe('a payment of which nothing left', () => {
  it('is to be tried again where the connection was refused', async () => {
    const payer = await httpPayer(`http://${await deadAddress()}`);
    expect(await payer.pay(paymentOf())).toEqual({
      kind: 'retry',
      message: 'the payer does not answer (connection refused)',
    });
  });

  it('is to be tried again where the host has no address', async () => {
    const payer = await httpPayer('https://nowhere.invalid/pay');
    expect((await payer.pay(paymentOf())).kind).toBe('retry');
  });

  it('is to be tried again where the server does not speak TLS', async () => {
    let received = '';
    const { host } = await serveSockets((socket) => {
      socket.on('data', (bytes: Buffer) => {
        received += bytes.toString('latin1');
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      });
    });
    const payer = await httpPayer(`https://${host}`);
    expect(await payer.pay(paymentOf())).toEqual({
      kind: 'retry',
      message: 'the payer does not speak https',
    });
    expect(received).not.toContain('POST');
  });

  it('is to be tried again where an unknown authority issued the certificate, with what to do', async () => {
    const { url, seen } = await serveHttps((_, outgoing) => outgoing.end());
    const payer = await httpPayer(url);
    expect(await payer.pay(paymentOf())).toEqual({
      kind: 'retry',
      message: `no secure connection to the payer (UNABLE_TO_VERIFY_LEAF_SIGNATURE): unable to verify the first certificate; ${authorityRemedy}`,
    });
    expect(seen).toEqual([]);
  });

  it('is to be tried again where the connection broke within the handshake', async () => {
    const { host } = await serveSockets((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    const payer = await httpPayer(`https://${host}`);
    expect((await payer.pay(paymentOf())).kind).toBe('retry');
  });

  it('is to be tried again where the handshake took too long', async () => {
    const { host } = await serveSockets(() => undefined);
    const payer = await httpPayer(`https://${host}`, { timeoutMs: 50 });
    expect(await payer.pay(paymentOf())).toEqual({
      kind: 'retry',
      message: 'no connection to the payer within 0.05 s',
    });
  });

  it('never leaves later, once it was reported as not sent', async () => {
    let received = '';
    const closed: Promise<void>[] = [];
    const { url, server } = await serveSockets((socket) => {
      socket.on('data', (bytes: Buffer) => {
        received += bytes.toString();
      });
      closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
    });
    const connected = new Promise<Socket>((resolve) => server.once('connection', resolve));
    const payer = await httpPayer(url, { timeoutMs: 5 });
    // After an immediate, the loop runs timers before it polls sockets, so the time is over before the connection is
    // noticed.
    const answer = await new Promise<PayerAnswer>((resolve) => {
      setImmediate(() => {
        resolve(payer.pay(paymentOf()));
        const end = performance.now() + 20;
        while (performance.now() < end);
      });
    });
    expect(answer.kind).toBe('retry');
    await connected;
    await closed[0];
    expect(received).toBe('');
  });
});

describe('a payment through a proxy', () => {
  it.each(['https_proxy', 'HTTPS_PROXY'])(
    'is to be tried again where the proxy of %s makes no tunnel',
    async (name) => {
      const asked: string[] = [];
      const { host } = await serveSockets((socket) => {
        socket.once('data', (bytes: Buffer) => {
          asked.push(bytes.toString());
          socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
        });
      });
      const payer = await httpPayer('https://pay.invalid/a', { env: { [name]: `user:canary@${host}` } });
      const { kind, message } = await payer.pay(paymentOf());
      expect({ kind, asked }).toEqual({
        kind: 'retry',
        asked: [expect.stringMatching(/^CONNECT pay\.invalid:443 /)],
      });
      expect(message).not.toContain('canary');
    },
  );

  it('is not sent through a proxy where the host is named in NO_PROXY, or is this machine', async () => {
    const dead = await deadAddress();
    const { url, seen } = await serveHttp((_, outgoing) => outgoing.end());
    const here = await httpPayer(url, { env: { HTTPS_PROXY: dead, HTTP_PROXY: dead } });
    expect((await here.pay(paymentOf())).kind).toBe('paid');
    expect(seen.length).toBe(1);
    const payer = await httpPayer('https://pay.invalid/a', {
      env: { HTTPS_PROXY: dead, NO_PROXY: '.invalid' },
    });
    expect((await payer.pay(paymentOf())).message).toBe('the host of the payer is not known');
  });
});

describe('a payment that may have arrived', () => {
  it.each([
    ['before the answer', ''],
    ['within the head', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['after the head', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n'],
    ['within the body of a 200', 'HTTP/1.1 200 OK\r\ncontent-length: 18\r\n\r\n{"outcome":'],
    ['within the body of a 422', 'HTTP/1.1 422 No\r\ncontent-length: 18\r\n\r\n{"outcome":'],
    ['within a chunked body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n'],
  ])('is unknown where the connection broke %s', async (_, text) => {
    const { url } = await serveSockets((socket) => {
      socket.once('data', () => socket.write(text, () => socket.resetAndDestroy()));
    });
    const payer = await httpPayer(url);
    expect(await payer.pay(paymentOf())).toMatchObject({
      kind: 'ambiguous',
      message: expect.stringMatching(/^the payer closed the connection.*, after the payment was sent$/),
    });
  });

  it.each([
    ['closed without an answer', ''],
    ['something else than HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
  ])('is unknown where it was answered with %s', async (_, text) => {
    const { url } = await serveSockets((socket) => {
      socket.once('data', () => socket.end(text));
    });
    expect((await (await httpPayer(url)).pay(paymentOf())).kind).toBe('ambiguous');
  });

  it('is unknown where the answer broke off, whose status the message names', async () => {
    const { url } = await serveSockets((socket) => {
      const begin = 'HTTP/1.1 200 OK\r\ncontent-length: 18\r\n\r\n{"out';
      socket.once('data', () => socket.write(begin, () => socket.end()));
    });
    expect(await (await httpPayer(url)).pay(paymentOf())).toEqual({
      kind: 'ambiguous',
      message: 'the payer closed the connection (after status 200), after the payment was sent',
    });
  });

  it('is unknown where the answer is too large to be read', async () => {
    const { url } = await serveHttp((_, outgoing) => outgoing.end(' '.repeat(2 ** 21)));
    expect(await (await httpPayer(url)).pay(paymentOf())).toMatchObject({
      kind: 'ambiguous',
      message: expect.stringMatching(
        /^the answer of the payer is larger than \d+ KiB \(after status 200\), after/,
      ),
    });
  });

  it('is unknown where the answer trickles beyond the time', async () => {
    const { url } = await serveHttp((_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': '18' }).write('{"outcome"');
    });
    const payer = await httpPayer(url, { timeoutMs: 300 });
    expect(await payer.pay(paymentOf())).toEqual({
      kind: 'ambiguous',
      message: 'no complete answer of the payer within 0.3 s, after the payment was sent',
    });
  });
});

describe('a call over HTTP', () => {
  it('follows no redirect', async () => {
    const elsewhere = await serveHttp((_, outgoing) => outgoing.end());
    const { url } = await serveHttp((_, outgoing) => {
      outgoing.writeHead(308, { location: elsewhere.url }).end();
    });
    expect((await (await httpPayer(url)).pay(paymentOf())).kind).toBe('ambiguous');
    expect(elsewhere.seen).toEqual([]);
  });

  const idempotent = { ...noPromises, idempotentForMs: 60_000 };
  it.each([
    ['has a connection of its own, so that it never meets one that is being closed', noPromises, false],
    ['has one also where the payer honours keys, but not its own refusals', idempotent, false],
    ['shares one where a lost answer can be had again', { ...idempotent, replaysResponse: true }, true],
  ])('%s', async (_, promises, isShared) => {
    const { url, sockets, seen } = await serveHttp((__, outgoing) => outgoing.end());
    const payer = await httpPayer(url, { promises });
    for (const attempt of [1, 2, 3]) await payer.pay(paymentOf({ attempt }));
    expect(seen).toHaveLength(3);
    expect(sockets.size < 3).toBe(isShared);
  });

  it('brings the headers of the file, and JSON', async () => {
    const { url, seen } = await serveHttp((_, outgoing) => outgoing.end());
    const payer = await httpPayer(`${url}/points?shop=1`, { headers: { 'x-api-key': 'abc' } });
    await payer.pay(paymentOf());
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/points?shop=1',
      headers: { 'x-api-key': 'abc', 'content-type': 'application/json' },
    });
    expect(payer.capabilities.name).toBe(`http ${url}/points`);
  });
});

describe('the address of a payer', () => {
  it.each(['https://pay.example.com/a', 'http://127.0.0.1:80/a', 'http://localhost/a', 'http://[::1]/a'])(
    '%s is taken',
    (address) => {
      expect(payerUrl(address, '--payer-url').href).toContain('/a');
    },
  );

  it.each([
    ['pay.example.com', "'pay.example.com' is not an address"],
    ['https//me:secret@pay.example.com', "'…@pay.example.com' is not an address"],
    ['me:secret@pay.example.com', "'…@pay.example.com' is neither https nor http"],
    ['http://pay.example.com/a', 'plain http to another machine'],
    ['http://127.0.0.1.example.com/a', 'plain http to another machine'],
    ['ftp://pay.example.com/a', 'is neither https nor http'],
    ['https://me:secret@pay.example.com/a', '--payer-url contains a user name or password'],
  ])('%s is refused', (address, message) => {
    expect(() => payerUrl(address, '--payer-url')).toThrow(message);
  });
});
