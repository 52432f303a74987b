import type { Clock } from '../../src/base/clock.ts';

/** A clock on which each pause ends at once and advances the time by its duration. */
export class RacingClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00Z');
  #setBackMs = 0;

  now(): number {
    return this.#now - this.#setBackMs;
  }

  monotonicMs(): number {
    return this.#now;
  }

  /** Sets the clock back, as a person or a time server does. */
  setBack(ms: number): void {
    this.#setBackMs += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#now += Math.ceil(ms);
    return Promise.resolve();
  }
}
