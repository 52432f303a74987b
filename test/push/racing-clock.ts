import type { Clock } from '../../src/base/clock.ts';

/** A clock on which every pause is over at once: the hands jump to its end. */
export class RacingClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00Z');
  #setBackMs = 0;

  now(): number {
    return this.#now - this.#setBackMs;
  }

  monotonicMs(): number {
    return this.#now;
  }

  /** As a person, or a time server, sets the clock of a machine back. */
  setBack(ms: number): void {
    this.#setBackMs += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#now += Math.ceil(ms);
    return Promise.resolve();
  }
}
