import type { Clock } from '../../src/base/clock.ts';

/** A clock on which every pause is over at once: the hands jump to its end. */
export class RacingClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00Z');

  now(): number {
    return this.#now;
  }

  monotonicMs(): number {
    return this.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#now += Math.ceil(ms);
    return Promise.resolve();
  }
}
