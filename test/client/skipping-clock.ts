import type { Clock } from '../../src/base/clock.ts';

/** A clock that skips pauses and records them; otherwise its time does not advance. */
export class SkippingClock implements Clock {
  readonly pauses: number[] = [];
  #now = Date.parse('2026-01-01T00:00:00Z');

  /** Whole milliseconds, as on every system. */
  now(): number {
    return Math.floor(this.#now);
  }

  monotonicMs(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    this.pauses.push(ms);
    this.#now += ms;
    return Promise.resolve();
  }
}
