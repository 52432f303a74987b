import type { Clock } from '../../base/clock.ts';
import type { Change } from './state.ts';

/** How lists lag behind writes: a new record is not listed before `ms` have passed; by its id it is there at once. */
export class ListLag {
  /** In milliseconds; 0 for not at all. */
  ms = 0;
  readonly #clock: Clock;
  /** By id, the oldest first; those that are listed by now are forgotten. */
  readonly #createdMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({ action, id }: Change): void {
    if (this.ms > 0 && action === 'created') this.#createdMs.set(id, this.#clock.now());
  }

  /** The ids of records that are not listed yet. */
  unlisted(): ReadonlySet<string> {
    const nowMs = this.#clock.now();
    for (const [id, createdMs] of this.#createdMs) {
      if (nowMs - createdMs < this.ms) break;
      this.#createdMs.delete(id);
    }
    return new Set(this.#createdMs.keys());
  }
}
