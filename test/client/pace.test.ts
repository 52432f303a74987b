import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { withPace } from '../../src/client/pace.ts';
import type { Transport } from '../../src/contract/wire.ts';
import { replyOf, requestOf, scriptedTransport } from './scripted-transport.ts';
import { SkippingClock } from './skipping-clock.ts';

const withRate = (transport: Transport, rate: number, clock: Clock) =>
  withPace(transport, { rate, clock, overloadStatuses: [429] }).transport;

describe('the rate cap', () => {
  it('spaces requests evenly, in the order they came', async () => {
    const clock = new SkippingClock();
    const { transport, sent } = scriptedTransport(replyOf(200));
    const capped = withRate(transport, 4, clock);
    for (const path of ['/1', '/2', '/3']) await capped(requestOf('GET', path));
    expect({ paths: sent.map(({ path }) => path), pauses: clock.pauses }).toEqual({
      paths: ['/1', '/2', '/3'],
      pauses: [250, 250],
    });
  });

  it('gives each of many requests at once a moment of its own', async () => {
    const pauses: number[] = [];
    const clock: Clock = {
      now: () => 0,
      monotonicMs: () => 0,
      sleep: (ms) => {
        pauses.push(ms);
        return Promise.resolve();
      },
    };
    const capped = withRate(() => Promise.resolve(replyOf(200)), 10, clock);
    await Promise.all([1, 2, 3, 4].map(() => capped(requestOf('GET'))));
    expect(pauses).toEqual([100, 200, 300]);
  });

  it('lets a request through at once after a quiet time, without saving up what was not used', async () => {
    const clock = new SkippingClock();
    const { transport } = scriptedTransport(replyOf(200));
    const capped = withRate(transport, 2, clock);
    await capped(requestOf('GET'));
    await clock.sleep(60_000);
    for (let call = 0; call < 3; call += 1) await capped(requestOf('GET'));
    expect(clock.pauses).toEqual([60_000, 500, 500]);
  });

  it('pauses no longer when the clock of the machine is set back', async () => {
    const hourMs = 3_600_000;
    const steady = new SkippingClock();
    const times = [steady.now(), steady.now() - hourMs];
    const clock: Clock = {
      now: () => times.shift() ?? steady.now() - hourMs,
      monotonicMs: () => steady.monotonicMs(),
      sleep: (ms, signal) => steady.sleep(ms, signal),
    };
    const capped = withRate(scriptedTransport(replyOf(200)).transport, 4, clock);
    for (let call = 0; call < 3; call += 1) await capped(requestOf('GET'));
    expect(steady.pauses).toEqual([250, 250]);
  });

  it('sends nothing for a caller who gave up while waiting', async () => {
    const clock = new SkippingClock();
    const { transport, sent } = scriptedTransport(replyOf(200));
    const capped = withRate(transport, 1, clock);
    await capped(requestOf('GET'));
    await expect(capped(requestOf('GET'), AbortSignal.abort(new Error('given up')))).rejects.toThrow(
      'given up',
    );
    expect(sent.length).toBe(1);
  });
});

/** A service with a limit of requests a second, a sequential sender, and a count of refusals. */
function limitedService(perSecond: number, { headers = {}, statuses = [429], status = 429, body = '' } = {}) {
  const clock = new SkippingClock();
  const taken = new Map<number, number>();
  let refusals = 0;
  const { transport, tooMany } = withPace(
    async () => {
      await clock.sleep(1);
      const second = Math.floor(clock.monotonicMs() / 1000);
      const count = (taken.get(second) ?? 0) + 1;
      if (count > perSecond) {
        refusals += 1;
        return { status, headers, body };
      }
      taken.set(second, count);
      return replyOf(200);
    },
    { rate: undefined, clock, overloadStatuses: statuses },
  );
  const send = async (requests: number) => {
    const replies = [];
    for (let sent = 0; sent < requests; sent += 1) replies.push(await transport(requestOf('POST')));
    return replies;
  };
  return { clock, send, tooMany, refusals: () => refusals };
}

describe('a service that refuses what is too much', () => {
  it('gets requests nearly as fast as it takes them, and hardly one too many', async () => {
    const { clock, send, tooMany, refusals } = limitedService(5);
    await send(20);
    const [beganMs, refusedBefore] = [clock.monotonicMs(), refusals()];
    await send(300);
    expect((clock.monotonicMs() - beganMs) / 300).toBeLessThan(1000 / 4);
    expect(refusals() - refusedBefore).toBeLessThan(30);
    expect(tooMany()).toMatchObject({ count: refusals() });
    expect(tooMany()?.takenPerSecond).toBeGreaterThan(3.5);
    expect(tooMany()?.takenPerSecond).toBeLessThanOrEqual(5.5);
  });

  it('is left in peace until it asked to be called again', async () => {
    const { clock, send } = limitedService(1, { headers: { 'retry-after': '7' } });
    await send(4);
    const beganMs = clock.monotonicMs();
    await send(1);
    expect(clock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(7_000);
  });

  it.each([
    ['429', { status: 429 }, true],
    ['503 with the time to come back', { status: 503, headers: { 'retry-after': '0' } }, true],
    ['503 with the page of a limit', { status: 503, body: '<hr><center>nginx/1.27</center>' }, true],
    ['503 as a gateway', { status: 503, body: '<html>no server</html>' }, false],
    ['a status that is set', { status: 420, statuses: [420] }, true],
    ['429 where another one is set', { status: 429, statuses: [420] }, false],
  ])('%s: %o', async (_, habits, isOverloaded) => {
    const { send, tooMany } = limitedService(1, habits);
    const [, refused] = await send(2);
    expect([refused?.isOverloaded ?? false, tooMany() !== undefined]).toEqual([isOverloaded, isOverloaded]);
  });

  it('is not slowed down for where it refuses so few that this may be chance', async () => {
    const clock = new SkippingClock();
    let count = 0;
    const { transport, tooMany } = withPace(
      async () => {
        count += 1;
        await clock.sleep(10);
        return replyOf(count % 20 === 0 ? 429 : 200);
      },
      { rate: undefined, clock, overloadStatuses: [429] },
    );
    const beganMs = clock.monotonicMs();
    for (let sent = 0; sent < 1_000; sent += 1) await transport(requestOf('POST'));
    expect(clock.monotonicMs() - beganMs).toBeLessThan(11_000);
    expect(tooMany()).toEqual({ count: 50, takenPerSecond: undefined });
  });

  it('is not slowed down for once it takes everything again', async () => {
    const { clock, send } = limitedService(5);
    await send(20);
    await clock.sleep(600_000);
    const beganMs = clock.monotonicMs();
    await send(5);
    expect(clock.monotonicMs() - beganMs).toBeLessThan(100);
  });
});
