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
