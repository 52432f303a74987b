import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';

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

  it('sleeps and wakes by itself', async () => {
    await expect(systemClock.sleep(0, new AbortController().signal)).resolves.toBeUndefined();
  });
});
