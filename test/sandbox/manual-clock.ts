import type { Clock } from '../../src/base/clock.ts';

interface Sleeper {
  readonly ms: number;
  readonly wakesAt: number;
  readonly wake: () => void;
}

/** A clock that the test advances, which ends the pauses that are due. */
export class ManualClock implements Clock {
  #now: number;
  #setBackMs = 0;
  readonly #sleepers = new Set<Sleeper>();
  #watchers: (() => void)[] = [];

  constructor(start = '2026-01-01T00:00:00Z') {
    this.#now = Date.parse(start);
  }

  now(): number {
    return this.#now - this.#setBackMs;
  }

  monotonicMs(): number {
    return this.#now;
  }

  /** Sets the wall clock back, as a user of the machine may do. */
  setBack(ms: number): void {
    this.#setBackMs += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const sleeper = { ms, wakesAt: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      for (const watcher of this.#watchers.splice(0)) watcher();
      signal?.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      });
    });
  }

  /** Resolves once a pause of at most `ms` is running. */
  async asleep(ms: number): Promise<void> {
    while (![...this.#sleepers].some((sleeper) => sleeper.ms <= ms)) {
      await new Promise<void>((resolve) => {
        this.#watchers.push(resolve);
      });
    }
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const sleeper of this.#sleepers) {
      if (sleeper.wakesAt > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}
