import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { bodyMaximum } from '../../src/sandbox/engine.ts';
import { type ServedSandbox, type ServeOptions, serveSandbox } from '../../src/sandbox/serve.ts';
import { countRequests } from './count-requests.ts';

const served: ServedSandbox[] = [];
afterEach(async () => {
  for (const each of served.splice(0)) await each.close();
});

async function serve(options: Partial<ServeOptions> = {}): Promise<ServedSandbox> {
  const opened = await serveSandbox({ port: 0, ...options });
  served.push(opened);
  return opened;
}

/** Sends one request; rejects if there is no complete reply. */
async function exchange({ baseUrl, token }: ServedSandbox, method: string, path: string, body?: string) {
  const headers = { authorization: `Basic ${token}`, 'content-type': 'application/json' };
  const reply = await fetch(`${baseUrl}${path}`, { method, headers, ...(body && { body }) });
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
}

const newProduct = JSON.stringify({ originId: 'P', name: '니트 👕' });

test('the service answers over a socket as it does in process', async () => {
  const sandbox = await serve();
  expect(sandbox.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const created = await exchange(sandbox, 'POST', '/admin/v2/product', newProduct);
  expect(created).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
  const found = await exchange(sandbox, 'GET', '/admin/v2/products?originIds=P');
  expect(JSON.parse(found.text).data).toEqual([JSON.parse(created.text)]);
});

test.each([
  ['reset-before', false],
  ['reset-after', true],
  ['torn', true],
] as const)('%s breaks the connection; carried out: %s', async (fault, isCarriedOut) => {
  const sandbox = await serve({ faults: { [fault]: 1 } });
  await expect(exchange(sandbox, 'POST', '/admin/v2/product', newProduct)).rejects.toThrow(TypeError);
  expect(sandbox.sandbox.state.products.size).toBe(isCarriedOut ? 1 : 0);
});

test('torn: the head and a part of the body come, and no more', async () => {
  const sandbox = await serve({ faults: { torn: 1 }, seed: 5 });
  const { hostname, port } = new URL(sandbox.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /admin/v2/products HTTP/1.1\r\nhost: a\r\nauthorization: Basic ${sandbox.token}\r\n\r\n`);
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  await once(socket, 'close');
  const [head = '', body = ''] = Buffer.concat(pieces).toString().split('\r\n\r\n');
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  expect(head).toMatch(/^HTTP\/1\.1 200/);
  expect(body.length).toBeLessThan(Number(length));
});

test('stall: nothing comes, and closing the sandbox ends the connection', async () => {
  const sandbox = await serve({ faults: { stall: 1 } });
  const waiting = exchange(sandbox, 'POST', '/admin/v2/product', newProduct).catch((error: unknown) => error);
  await expect.poll(() => sandbox.sandbox.state.products.size).toBe(1);
  await sandbox.close();
  served.splice(0);
  expect(await waiting).toBeInstanceOf(TypeError);
});

test('a body that is too long is answered with 413, and the sandbox continues', async () => {
  const sandbox = await serve();
  const reply = await exchange(sandbox, 'POST', '/admin/v2/product', 'x'.repeat(bodyMaximum + 1));
  expect(reply).toMatchObject({ status: 413, headers: { connection: 'close' } });
  expect((await exchange(sandbox, 'GET', '/admin/v2/products')).status).toBe(200);
});

test('closing lets a request under way end, and takes no further one', async () => {
  const sandbox = await serve({ latencyMs: 50 });
  const received = countRequests(sandbox.sandbox, 'POST /admin/v2/product');
  const reply = exchange(sandbox, 'POST', '/admin/v2/product', newProduct);
  await expect.poll(received).toBe(1);
  await sandbox.close();
  served.splice(0);
  expect((await reply).status).toBe(200);
  await expect(exchange(sandbox, 'GET', '/admin/v2/products')).rejects.toThrow(TypeError);
});

test('a port that is taken is refused in words', async () => {
  const { baseUrl } = await serve();
  const port = Number(new URL(baseUrl).port);
  await expect(serveSandbox({ port })).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining(`127.0.0.1:${port}`),
  });
});
