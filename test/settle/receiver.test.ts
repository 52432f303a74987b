import { expect, it } from 'vitest';
import { createReceiverMetrics } from '../../src/settle/webhook/receiver-metrics.ts';
import { gatedPayer } from './gated-payer.ts';
import {
  callText,
  dial,
  openReceiver,
  pathSecret,
  post,
  type ReceiverWorldOptions,
} from './open-receiver.ts';
import { openSettlement } from './open-settlement.ts';
import { type ScriptedPayer, scriptedPayer } from './scripted-payer.ts';

/** A receiver with one queued reward, as the text of a call. */
async function open(options: Partial<ReceiverWorldOptions> = {}) {
  const payer = scriptedPayer({});
  const world = await openReceiver({ payer, reviews: 10, ...options });
  const [waiting] = await world.waiting();
  const reward = JSON.stringify(waiting);
  const whole = (headers: readonly string[] = []) =>
    callText(reward, [`content-length: ${Buffer.byteLength(reward)}`, ...headers]);
  return { ...world, payer, reward, whole };
}

type World = Awaited<ReturnType<typeof open>> & { readonly payer: ScriptedPayer };

/** Expects that nothing was paid, written or requested. */
async function expectUntouched({ payer, ledger, requests }: World): Promise<void> {
  expect(payer.calls).toEqual([]);
  expect(await ledger.lastSeq()).toBe(0);
  expect(requests).toHaveLength(1);
}

const said = (message: string) => JSON.stringify({ message });
const nothing = 'there is nothing here';
const noReward = 'the body is not a Reward';

interface Request {
  readonly path?: string;
  readonly method?: string;
  readonly type?: string;
  readonly body?: string | Buffer;
}

const secretPath = `/rewards/${pathSecret}`;
const paths = [
  '/rewards/another-secret-of-test',
  `${secretPath}x`,
  `${secretPath}/`,
  `${secretPath}/more`,
  `/${secretPath}`,
  `/rewards/${secretPath}`,
  `/${pathSecret}`,
  '/rewards/%',
  '/',
].map((path) => ({ path }));
const types = ['text/plain', 'application/json-patch+json', 'application/jsonx', 'multipart/form-data', ''];
const bodies = [
  ...['', '{', 'null', '[]', '"text"', '17', '{}', '{"id":null}', '{"id":""}', '{"id":{}}'],
  '{"id":12345678901234567890}',
  '{"id":"a\\u0000b"}',
  '{"id":"\\ud800"}',
  `{"id":"${'9'.repeat(257)}"}`,
  '['.repeat(60_000),
  `{"id":"R1","x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  `{"id":"R1","order":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
  // Invalid UTF-8 is not guessed.
  Buffer.from('{"id":"\xe9"}', 'latin1'),
].map((body) => ({ body }));
const long = { body: ' '.repeat(10_000_000) };

it.each<[status: number, message: string, requests: readonly Request[]]>([
  [404, nothing, paths],
  [404, nothing, [{ path: '/rewards/another', method: 'HEAD' }]],
  [
    405,
    'only POST is allowed here',
    ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'].map((method) => ({ method })),
  ],
  [415, 'expected application/json', types.map((type) => ({ type }))],
  [400, noReward, bodies],
  [413, 'the body is too long', [{ body: ' '.repeat(65_537) }, long]],
])(
  'what a call lacks is answered %i %s, before anything is paid, written or asked',
  async (status, message, requests) => {
    const world = await open();
    for (const {
      path = secretPath,
      method = 'POST',
      type = 'application/json',
      body = world.reward,
    } of requests) {
      const isRead = method !== 'POST';
      const reply = await fetch(`${world.origin}${path}`, {
        method,
        ...(isRead ? {} : { headers: { 'content-type': type }, body }),
      });
      expect([path, reply.status, await reply.text()]).toEqual([
        path,
        status,
        method === 'HEAD' ? '' : said(message),
      ]);
      expect(reply.headers.get('allow')).toBe(status === 405 ? 'POST' : null);
      expect(reply.headers.get('content-length')).toBe(String(said(message).length));
    }
    await expectUntouched(world);
    expect(world.answered).toHaveLength(requests.length);
    expect(JSON.stringify(world.answered)).not.toContain(pathSecret);
  },
);

it('the secret path, the type and the length of a call may be written as HTTP allows', async () => {
  const world = await open();
  const encoded = pathSecret.replaceAll(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  for (const path of ['', '?from=service', '?a=1&a=2#x']
    .map((query) => secretPath + query)
    .concat(`/rewards/${encoded}`))
    expect((await post(`${world.origin}${path}`, world.reward)).status).toBe(200);
  const { socket: ofProxy, end: whole } = await dial(world.origin);
  ofProxy.write(world.whole(['connection: close']).replace('POST ', 'POST http://receiver'));
  expect(await whole).toMatch(/^HTTP\/1\.1 200 /);
  for (const type of [
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json ;charset="utf-8"',
  ])
    expect((await world.post(world.reward, { 'content-type': type })).status).toBe(200);
  const chunked = async (length: number) => {
    const text = world.reward + ' '.repeat(length - world.reward.length);
    const { socket, end } = await dial(world.origin);
    const chunks = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    socket.write(callText(chunks, ['transfer-encoding: chunked', 'connection: close']));
    return (await end).split('\r\n')[0];
  };
  expect(await chunked(65_537)).toBe('HTTP/1.1 413 Payload Too Large');
  expect(await chunked(65_536)).toBe('HTTP/1.1 200 OK');
  expect(world.payer.calls).toHaveLength(1);
});

it('a foreign peer is refused first, whatever it claims, and sees no more than the health', async () => {
  const world = await open({ allowed: ['203.0.113.7'] });
  const foreign = { status: 403, body: said('this address may not call here') };
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
  const health = await fetch(`${world.origin}/healthz`);
  const connection = health.headers.get('connection');
  expect([health.status, await health.text(), connection]).toEqual([200, said('ok'), 'keep-alive']);
  expect((await fetch(`${world.origin}/healthz`, { method: 'HEAD' })).status).toBe(200);
  expect(world.answered).toHaveLength(3);
});

it('behind a trusted proxy, the proxy names the caller, not the caller itself', async () => {
  const world = await open({ allowed: ['203.0.113.7'], trustedProxies: ['127.0.0.0/8'] });
  const through = async (forwarded: string) =>
    (await world.post(world.reward, { 'x-forwarded-for': forwarded })).status;
  expect(await through('203.0.113.7, 198.51.100.9')).toBe(403);
  expect((await world.post(world.reward)).status).toBe(403);
  expect(await through('')).toBe(403);
  const detail = 'X-Forwarded-For names no address of the caller';
  expect(world.answered.at(-1)).toMatchObject({ caller: undefined, detail });
  await expectUntouched(world);
  expect(await through('198.51.100.9, 203.0.113.7')).toBe(200);
  expect(world.answered.at(-1)).toMatchObject({ peer: '127.0.0.1', caller: '203.0.113.7' });
});

it('a slow body, a slow head and input that is no HTTP are ended in time', async () => {
  const world = await open({ receiver: { requestMs: 200 } });
  for (const [text, status] of [
    [callText(world.reward.slice(0, 20), [`content-length: ${world.reward.length}`]), 408],
    [callText('no length\r\n', ['transfer-encoding: chunked']), 400],
    ['POST /rewards/', 408],
    ['\x16\x03\x01\x02\x00\x01\x00', 400],
    ['hello\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
  ] as const) {
    const { socket, end } = await dial(world.origin);
    socket.write(text);
    expect(await end).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  }
  await world.logged(2);
  const incomplete = { status: 408, message: 'the request was incomplete' };
  expect(world.answered).toMatchObject([incomplete, incomplete]);
  await expectUntouched(world);
});

it.each([
  ['before it is read to its end', 60_000],
  ['and does not come in time', 200],
])('a call that is refused %s gets one answer, and its connection ends', async (_, requestMs) => {
  const world = await open({ receiver: { requestMs } });
  for (const [text, status] of [
    [callText('{', ['content-length: 2']).replace('/rewards/', '/others/'), 404],
    [callText('{', ['content-length: 65537']), 413],
  ] as const) {
    const { socket, end } = await dial(world.origin);
    socket.write(text);
    const reply = await end;
    expect([...reply.matchAll(/HTTP\/1\.1 (\d+)/g)].map((found) => Number(found[1]))).toEqual([status]);
    expect(reply).toMatch(/\r\nconnection: close\r\n/i);
    expect(world.answered.at(-1)).toMatchObject({ status });
  }
  await expectUntouched(world);
});

it('a call that cannot be logged gets no answer, and is not paid again when it comes again', async () => {
  let isLogged = false;
  const onAnswered = () => {
    if (!isLogged) throw new Error('the disk is full');
  };
  const world = await open({ receiver: { onAnswered } });
  await expect(world.post(world.reward)).rejects.toThrow('socket hang up');
  isLogged = true;
  expect((await world.post(world.reward)).status).toBe(200);
  expect(world.payer.calls).toHaveLength(1);
});

it('a connection beyond the cap takes the place of the oldest that holds no whole request', async () => {
  const { payer, gate, begun } = gatedPayer();
  const world = await open({ payer, receiver: { limits: { known: 3 }, requestMs: 60_000 } });
  const text = world.whole(['connection: close']);
  const first = await dial(world.origin);
  first.socket.write(text);
  await begun.reached(1);
  const held = await dial(world.origin);
  const more = await Promise.all([1, 2].map(() => dial(world.origin)));
  expect(await held.end).toBe('');
  gate.open();
  for (const { socket } of more) socket.write(text);
  for (const { end } of [first, ...more]) expect(await end).toMatch(/^HTTP\/1\.1 200 /);
});

it('pipelined calls on one connection are answered in order', async () => {
  const world = await open();
  const { socket, end } = await dial(world.origin);
  socket.write(world.whole() + callText('{}', ['content-length: 2']) + world.whole(['connection: close']));
  const statuses = [...(await end).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual(['200', '400', '200']);
  expect(world.payer.calls).toHaveLength(1);
});

it('once it is to stop, a connection that is kept ends with its answer', async () => {
  const world = await open();
  const { socket, end } = await dial(world.origin);
  world.stop();
  socket.write(world.whole());
  expect(await end).toMatch(/^HTTP\/1\.1 503 [\s\S]*shutting down; not paid/);
  await expectUntouched(world);
});

it('health and metrics that cannot be read say so, and a call that fails inside is answered 500', async () => {
  const fails = () => Promise.reject(new Error('a bug'));
  const failing = await open({ receiver: { metrics: fails, health: fails, answer: fails } });
  const statuses = await Promise.all(
    ['/healthz', '/metrics'].map(async (path) => (await fetch(`${failing.origin}${path}`)).status),
  );
  expect(statuses).toEqual([503, 500]);
  expect(await failing.post(failing.reward)).toEqual({ status: 500, body: said('an internal error') });
  const { id: rewardId } = JSON.parse(failing.reward);
  const logged = { status: 500, message: 'an internal error' };
  expect(failing.answered).toMatchObject([logged, { ...logged, rewardId }]);
});

it('/metrics is there where it is asked for, for allowed callers alone, and is not logged', async () => {
  const receiver = { metrics: async () => 'reviewctl_up 1\n' };
  const served = await open({ receiver });
  const reply = await fetch(`${served.origin}/metrics`);
  expect([reply.status, reply.headers.get('content-type'), await reply.text()]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
    'reviewctl_up 1\n',
  ]);
  expect(served.answered).toEqual([]);
  const foreign = await open({ receiver, allowed: ['203.0.113.7'] });
  expect((await fetch(`${foreign.origin}/metrics`)).status).toBe(403);
  expect((await fetch(`${(await open()).origin}/metrics`)).status).toBe(404);
});

it('the metrics count calls by status, and show the ledger in its state at the time of reading', async () => {
  const { ledger, settle } = await openSettlement({ reviews: 3 });
  const metrics = createReceiverMetrics(ledger);
  const call = { tookMs: 20, peer: '127.0.0.1', caller: undefined, message: 'paid' };
  for (const status of [200, 200, 503]) metrics.count({ ...call, status });
  const before = await metrics.read();
  for (const line of [
    'calls_total{status="200"} 2',
    'calls_total{status="422"} 0',
    'calls_total{status="503"} 1',
  ])
    expect(before).toContain(`reviewctl_webhook_${line}\n`);
  expect(before).toContain('reviewctl_webhook_seconds_bucket{le="0.05"} 3\n');
  expect(before).not.toContain('reviewctl_ledger_rewards{');
  const { outcomes } = await settle();
  const paid = outcomes.filter(({ outcome }) => outcome === 'paid');
  const sum = paid.reduce((total, { amount }) => total + Number(amount), 0);
  const after = await metrics.read();
  expect(after).toContain(`reviewctl_ledger_rewards{payment="paid",report="confirmed"} ${paid.length}\n`);
  expect(after).toContain(`reviewctl_ledger_amount{payment="paid",report="confirmed"} ${sum}\n`);
});
