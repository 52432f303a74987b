import type { Clock } from '../../base/clock.ts';

/** A clock that can be advanced. The length of pauses is that of the underlying clock. */
export class ShiftedClock implements Clock {
  readonly #clock: Clock;
  #shiftMs: number;

  constructor(clock: Clock, shiftMs: number) {
    this.#clock = clock;
    this.#shiftMs = shiftMs;
  }

  /** The lead over the underlying clock, in milliseconds. */
  get shiftMs(): number {
    return this.#shiftMs;
  }

  advance(ms: number): void {
    this.#shiftMs += ms;
  }

  now(): number {
    return this.#clock.now() + this.#shiftMs;
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs() + this.#shiftMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }
}
