import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { callText, dial, openReceiver, type ReceiverWorldOptions } from './open-receiver.ts';
import { scriptedPayer } from './scripted-payer.ts';

/*
 * Connections kept open by incomplete requests, on real sockets. All of 127.0.0.0/8 is this machine, so a test can call
 * from several addresses.
 */

const stranger = '127.0.0.2';
const caller = '127.0.0.1';

async function open(options: Partial<ReceiverWorldOptions> = {}) {
  const payer = scriptedPayer({});
  const world = await openReceiver({ payer, reviews: 10, ...options });
  const [reward] = await world.waiting();
  return { ...world, payer, reward: JSON.stringify(reward) };
}

/** Opens a connection from this address and writes `text` to it. */
async function dialFrom(localAddress: string, origin: string, text: string) {
  const dialled = await dial(origin, localAddress);
  onTestFinished(() => void dialled.socket.destroy());
  dialled.socket.write(text);
  return dialled;
}

const healthz = 'GET /healthz HTTP/1.1\r\nhost: receiver\r\nconnection: close\r\n\r\n';
const callOf = (body: string) =>
  callText(body, [`content-length: ${Buffer.byteLength(body)}`, 'connection: close']);
const statusOf = (text: string) => text.split('\r\n')[0];

const halves = {
  nothing: '',
  'half a head': 'POST /rewards/',
  'half a body': callText('{"id":', ['content-length: 1000']),
};

it.each(Object.entries(halves))(
  '512 connections of a stranger with %s keep neither /healthz nor a caller waiting',
  async (_what, text) => {
    const world = await open({ allowed: [caller], receiver: { requestMs: 60_000 } });
    await Promise.all(Array.from({ length: 512 }, () => dialFrom(stranger, world.origin, text)));
    const answers = await Promise.all(
      [
        dialFrom(caller, world.origin, callOf(world.reward)),
        dialFrom(stranger, world.origin, healthz),
        dialFrom('127.0.0.3', world.origin, healthz),
      ].map(async (dialled) => statusOf(await (await dialled).end)),
    );
    expect(answers).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 200 OK']);
  },
);

it('half-sent requests that come through the proxy, or from a caller itself, keep no other from it out', async () => {
  const world = await open({
    allowed: ['203.0.113.7'],
    trustedProxies: [caller],
    receiver: { requestMs: 60_000, limits: { known: 64 } },
  });
  await Promise.all(Array.from({ length: 512 }, () => dialFrom(caller, world.origin, halves['half a body'])));
  const forwarded = callText(world.reward, [
    `content-length: ${Buffer.byteLength(world.reward)}`,
    'x-forwarded-for: 203.0.113.7',
    'connection: close',
  ]);
  const { end } = await dialFrom(caller, world.origin, forwarded);
  expect(statusOf(await end)).toBe('HTTP/1.1 200 OK');
});

it('strangers at many addresses hold no more connections than all strangers may', async () => {
  const world = await open({
    allowed: [caller],
    receiver: { requestMs: 60_000, limits: { strangers: 10 } },
  });
  const held = await Promise.all(
    Array.from({ length: 40 }, (_, index) => dialFrom(`127.0.1.${1 + (index % 10)}`, world.origin, 'GET ')),
  );
  const ended = new Set<Socket>();
  for (const { socket, end } of held) void end.then(() => ended.add(socket));
  await expect.poll(() => held.length - ended.size).toBe(10);
  const { end } = await dialFrom('127.0.1.99', world.origin, healthz);
  expect(statusOf(await end)).toBe('HTTP/1.1 200 OK');
});

it('a connection that ran out of time gets 408 and is destroyed, even if its other side never closes', async () => {
  const world = await open({ receiver: { requestMs: 200 } });
  const dialled = await Promise.all(
    Object.values(halves).map(async (text) => {
      const socket = connect({
        host: '127.0.0.1',
        port: Number(new URL(world.origin).port),
        allowHalfOpen: true,
      });
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(text);
      return socket;
    }),
  );
  await Promise.all(dialled.map((socket) => once(socket.resume(), 'end')));
  for (const socket of dialled) {
    // Writing to a closed connection fails.
    await vi.waitFor(
      () => {
        if (!socket.destroyed) socket.write('x');
        expect(socket.destroyed).toBe(true);
      },
      { timeout: 5_000 },
    );
  }
});

it('1,000 copies of one call at once, each on a connection of its own, all get the answer of the first', async () => {
  const world = await open();
  const calls = Array.from({ length: 1_000 }, () => dialFrom(caller, world.origin, callOf(world.reward)));
  const answers = await Promise.all(calls.map(async (call) => statusOf(await (await call).end)));
  const counts = new Map<string | undefined, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  const isAnswer = (text: string | undefined) => /^HTTP\/1\.1 (?:200|503) /.test(text ?? '');
  expect([...counts.keys()].filter((answer) => !isAnswer(answer))).toEqual([]);
  expect(counts.get('HTTP/1.1 200 OK')).toBeGreaterThan(0);
  expect(world.payer.calls).toHaveLength(1);
});
