import { expect, it } from 'vitest';
import {
  callText,
  createGate,
  dial,
  openReceiver,
  pathSecret,
  post,
  type ReceiverWorld,
  type ReceiverWorldOptions,
} from './open-receiver.ts';
import { pays, type ScriptedPayer, scriptedPayer } from './scripted-payer.ts';

type World = ReceiverWorld & { readonly payer: ScriptedPayer; readonly reward: string };

/** A receiver with one reward that waits, as the text of a call. */
async function open(options: Partial<ReceiverWorldOptions> = {}): Promise<World> {
  const payer = scriptedPayer({});
  const world = await openReceiver({ payer, reviews: 10, ...options });
  const [reward] = await world.waiting();
  return { ...world, payer, reward: JSON.stringify(reward) };
}

/** Nothing was paid, written or asked for. */
async function expectUntouched({ payer, ledger, requests }: World, asked = 1): Promise<void> {
  expect(payer.calls).toEqual([]);
  expect(await ledger.lastSeq()).toBe(0);
  expect(requests).toHaveLength(asked);
}

function said(message: string): string {
  return JSON.stringify({ message });
}

const nothing = said('there is nothing here');
const foreign = { status: 403, body: said('this address may not call here') };

it('a foreign peer is refused before anything is looked at, whatever it claims to be', async () => {
  const world = await open({ allowed: ['203.0.113.7'] });
  expect(await world.post(world.reward)).toEqual(foreign);
  expect(await world.post(world.reward, { 'x-forwarded-for': '203.0.113.7' })).toEqual(foreign);
  expect(await post(`${world.origin}/elsewhere`, world.reward)).toEqual(foreign);
  await expectUntouched(world);
  expect(world.answered[0]).toMatchObject({ status: 403, peer: '127.0.0.1', caller: '127.0.0.1' });
  expect(world.answered.map(({ detail }) => detail)).toEqual([
    undefined,
    'its X-Forwarded-For is believed only if the setting trust-proxy names it',
    undefined,
  ]);
});

it('behind a trusted proxy, the proxy names the caller, not the caller itself', async () => {
  const world = await open({ allowed: ['203.0.113.7'], trustedProxies: ['127.0.0.0/8'] });
  const through = (forwarded: string) => world.post(world.reward, { 'x-forwarded-for': forwarded });
  expect(await through('203.0.113.7, 198.51.100.9')).toEqual(foreign);
  expect(await world.post(world.reward)).toEqual(foreign);
  await expectUntouched(world);
  expect((await through('198.51.100.9, 203.0.113.7')).status).toBe(200);
  expect(world.answered.at(-1)).toMatchObject({ peer: '127.0.0.1', caller: '203.0.113.7' });
});

it.each([
  ['/rewards/another-secret-of-test', 404, nothing],
  [`/rewards/${pathSecret}x`, 404, nothing],
  [`/rewards/${pathSecret}/`, 404, nothing],
  [`/rewards/${pathSecret}/more`, 404, nothing],
  [`//rewards/${pathSecret}`, 404, nothing],
  [`/rewards//${pathSecret}`, 404, nothing],
  [`/${pathSecret}`, 404, nothing],
  ['/rewards/%', 404, nothing],
  ['/', 404, nothing],
])('a call to %s is not taken', async (path, status, body) => {
  const world = await open();
  expect(await post(`${world.origin}${path}`, world.reward)).toEqual({ status, body });
  await expectUntouched(world);
});

it.each(['', '?from=service', '?a=1&a=2#x'])('the secret path is known with %j after it', async (query) => {
  const world = await open();
  expect(await post(`${world.url}${query}`, world.reward)).toEqual({ status: 200, body: said('paid') });
});

it('a path that is written percent-encoded is the same path', async () => {
  const world = await open();
  const encoded = pathSecret.replaceAll(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  expect((await post(`${world.origin}/rewards/${encoded}`, world.reward)).status).toBe(200);
});

it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  '%s is refused with the method that is taken',
  async (method) => {
    const world = await open();
    const reply = await fetch(world.url, { method });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await reply.text()).toBe(said('only POST is taken here'));
    await expectUntouched(world);
  },
);

it('HEAD reveals no more than GET', async () => {
  const world = await open();
  const statuses = async (path: string) => (await fetch(`${world.origin}${path}`, { method: 'HEAD' })).status;
  expect(await statuses(`/rewards/${pathSecret}`)).toBe(405);
  expect(await statuses('/rewards/another')).toBe(404);
  expect(await statuses('/healthz')).toBe(200);
});

it.each(['text/plain', 'application/json-patch+json', 'application/jsonx', 'multipart/form-data', ''])(
  'a body said to be %j is refused',
  async (type) => {
    const world = await open();
    expect(await world.post(world.reward, { 'content-type': type })).toEqual({
      status: 415,
      body: said('expected application/json'),
    });
    await expectUntouched(world);
  },
);

it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset="utf-8"'])(
  'a body said to be %j is read',
  async (type) => {
    const world = await open();
    expect((await world.post(world.reward, { 'content-type': type })).status).toBe(200);
  },
);

it.each([
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '17',
  '{}',
  '{"id":null}',
  '{"id":""}',
  '{"id":{}}',
  '{"id":12345678901234567890}',
  '{"id":"a\\u0000b"}',
  '{"id":"\\ud800"}',
  `{"id":"${'9'.repeat(257)}"}`,
  '['.repeat(60_000),
  `{"id":"R1","x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  `{"id":"R1","order":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
])('a body that is no Reward is refused: %.40s', async (body) => {
  const world = await open();
  expect(await world.post(body)).toEqual({ status: 400, body: said('the body is no Reward') });
  await expectUntouched(world);
});

it('a body that is no UTF-8 is refused instead of being guessed', async () => {
  const world = await open();
  const reply = await fetch(world.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"id":"\xe9"}', 'latin1'),
  });
  expect(reply.status).toBe(400);
  await expectUntouched(world);
});

it('a body of 64 KiB is read, one of a byte more is refused, whether its length is declared or not', async () => {
  const world = await open();
  const filled = (length: number) => world.reward + ' '.repeat(length - world.reward.length);
  const chunked = async (text: string) => {
    const { socket, end } = await dial(world.origin);
    const chunks = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    socket.write(callText(chunks, ['transfer-encoding: chunked', 'connection: close']));
    return (await end).split('\r\n')[0];
  };
  const tooLong = { status: 413, body: said('the body is too long') };
  expect(await world.post(filled(65_537))).toEqual(tooLong);
  expect(await chunked(filled(65_537))).toBe('HTTP/1.1 413 Payload Too Large');
  expect(await world.post(' '.repeat(10_000_000))).toEqual(tooLong);
  await expectUntouched(world);
  expect(await chunked(filled(65_536))).toBe('HTTP/1.1 200 OK');
  expect((await world.post(filled(65_536))).status).toBe(200);
});

it('a slow body, or a slow head, is aborted in time with a reason', async () => {
  const world = await open({ receiver: { requestMs: 200 } });
  const { socket, end } = await dial(world.origin);
  socket.write(callText(world.reward.slice(0, 20), [`content-length: ${world.reward.length}`]));
  const head = await dial(world.origin);
  head.socket.write('POST /rewards/');
  for (const text of await Promise.all([end, head.end])) {
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain(said('the request did not come in time'));
  }
  await expectUntouched(world);
});

it('input that is no HTTP gets 400', async () => {
  const world = await open();
  for (const text of [
    '\x16\x03\x01\x02\x00\x01\x00',
    'hello\r\n\r\n',
    `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
  ]) {
    const { socket, end } = await dial(world.origin);
    socket.write(text);
    expect(await end).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"message":"the request could not be read"\}$/);
  }
  const { socket, end } = await dial(world.origin);
  socket.write('GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n');
  expect(await end).toContain(said('the request could not be read'));
});

it('a connection beyond the cap takes the place of the oldest that holds no whole request, never of one that waits for its answer', async () => {
  const gate = createGate();
  const payer = scriptedPayer({
    script: async () => {
      await gate.passed();
      return pays;
    },
  });
  const world = await open({ payer, receiver: { limits: { perKnownPeer: 3 }, requestMs: 60_000 } });
  const text = callText(world.reward, [
    `content-length: ${Buffer.byteLength(world.reward)}`,
    'connection: close',
  ]);
  const first = await dial(world.origin);
  first.socket.write(text);
  await world.arrived(1);
  const held = await dial(world.origin);
  const more = await Promise.all([1, 2].map(() => dial(world.origin)));
  expect(await held.end).toBe('');
  gate.open();
  for (const { socket } of more) socket.write(text);
  for (const { end } of [first, ...more]) expect(await end).toMatch(/^HTTP\/1\.1 200 /);
});

it('pipelined calls on one connection are answered in order', async () => {
  const world = await open();
  const length = `content-length: ${Buffer.byteLength(world.reward)}`;
  const { socket, end } = await dial(world.origin);
  socket.write(
    callText(world.reward, [length]) +
      callText('{}', ['content-length: 2']) +
      callText(world.reward, [length, 'connection: close']),
  );
  const statuses = [...(await end).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual(['200', '400', '200']);
  expect(world.payer.calls).toHaveLength(1);
});

it('a caller that is gone before its answer is paid once, and answered when it calls again', async () => {
  const gate = createGate();
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const payer = scriptedPayer({
    script: async () => {
      begin();
      await gate.passed();
      return pays;
    },
  });
  const world = await open({ payer });
  const { socket } = await dial(world.origin);
  socket.write(callText(world.reward, [`content-length: ${Buffer.byteLength(world.reward)}`]));
  await begun;
  socket.destroy();
  gate.open();
  await world.answers().idle();
  expect(await world.post(world.reward)).toEqual({ status: 200, body: said('paid') });
  expect(payer.calls).toHaveLength(1);
});

it('/healthz answers every caller, with neither secret nor sum', async () => {
  const world = await open({ allowed: ['203.0.113.7'] });
  const reply = await fetch(`${world.origin}/healthz`);
  expect([reply.status, await reply.text()]).toEqual([200, said('ok')]);
  expect(world.answered).toEqual([]);
});

it('once it is to stop, a connection that is kept ends with its answer', async () => {
  const world = await open();
  const { socket, end } = await dial(world.origin);
  world.stop();
  socket.write(callText(world.reward, [`content-length: ${Buffer.byteLength(world.reward)}`]));
  expect(await end).toMatch(/^HTTP\/1\.1 503 [\s\S]*about to stop; not paid/);
  await expectUntouched(world);
});

it('nothing that is logged carries the path secret, whatever was called', async () => {
  const world = await open();
  await post(`${world.url}/more`, world.reward);
  await fetch(world.url);
  await world.post(world.reward);
  await world.post('{}');
  expect(world.answered).toHaveLength(4);
  expect(JSON.stringify(world.answered)).not.toContain(pathSecret);
});

it('a port that is taken is refused with the way on', async () => {
  const { origin } = await open();
  const { port } = new URL(origin);
  const { serveReceiver } = await import('../../src/settle/webhook/serve-receiver.ts');
  const refusal = serveReceiver(
    {
      answers: {
        answer: async () => ({ status: 503, message: '' }),
        trouble: undefined,
        idle: async () => {},
      },
      allowlist: { callerOf: () => ({ address: undefined, isAllowed: false }), isKnown: () => false },
      pathSecret,
      health: async () => undefined,
      onAnswered: () => undefined,
      clock: { now: () => 0, monotonicMs: () => 0, sleep: async () => undefined },
      stopping: new AbortController().signal,
    },
    { host: '127.0.0.1', port: Number(port) },
  );
  await expect(refusal).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining(`cannot listen on 127.0.0.1:${port}`),
  });
});
