import { describe, expect, it } from 'vitest';
import { type Clock, nowFrom, systemClock } from '../../src/base/clock.ts';

describe('the clock of the system', () => {
  it('does not begin to sleep once the signal is aborted', async () => {
    await expect(systemClock.sleep(60_000, AbortSignal.abort('enough'))).rejects.toBe('enough');
  });

  it('wakes with the reason of the signal as soon as it is aborted', async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(60_000, controller.signal);
    controller.abort('enough');
    await expect(sleeping).rejects.toBe('enough');
  });

  it('warns of no leak if many sleep with one signal', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on('warning', note);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => systemClock.sleep(1, signal)));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

describe('the time from now on', () => {
  const still = { nowMs: 1_000, monotonicMs: 50 };
  const from = () => {
    const at = { ...still };
    const clock: Clock = { ...systemClock, now: () => at.nowMs, monotonicMs: () => at.monotonicMs };
    return { at, now: nowFrom(clock) };
  };

  it.each([
    ['goes on with both', { nowMs: 1_030, monotonicMs: 80 }, 1_030],
    [
      'goes on while a machine sleeps and its monotonic clock stands still',
      { nowMs: 9_000, monotonicMs: 50 },
      9_000,
    ],
    ['goes on when the clock is set back', { nowMs: 10, monotonicMs: 80 }, 1_030],
  ])('%s', (_, later, expected) => {
    const { at, now } = from();
    Object.assign(at, later);
    expect(now()).toBe(expected);
  });
});
