import type { Clock } from '../../src/base/clock.ts';

/** A clock that advances to the next end of a pause once no other work is left. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #ends: { readonly atMs: number; readonly wake: () => void }[] = [];

  now(): number {
    return Math.floor(this.#nowMs);
  }

  monotonicMs(): number {
    return this.now();
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => {
      this.#insert({ atMs: this.#nowMs + ms, wake });
    });
  }

  /** Advances time until `untilMs`; longer pauses do not end. */
  async run(untilMs: number): Promise<void> {
    await settled();
    for (let next = this.#ends[0]; next !== undefined && next.atMs <= untilMs; next = this.#ends[0]) {
      this.#ends.shift();
      this.#nowMs = next.atMs;
      next.wake();
      await settled();
    }
  }

  #insert(end: { readonly atMs: number; readonly wake: () => void }): void {
    const at = this.#ends.findLastIndex(({ atMs }) => atMs <= end.atMs);
    this.#ends.splice(at + 1, 0, end);
  }
}

/** Resolves once no promise can continue. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
