import type { Clock } from '../../base/clock.ts';
import type { StateChange } from './state.ts';

/** Makes lists lag behind writes: a new record is listed after `ms`, but can be read by its id at once. */
export class ListLag {
  /** In milliseconds; 0 disables the lag. */
  ms = 0;
  readonly #clock: Clock;
  /** Creation times by id, oldest first, of records that are not listed yet. */
  readonly #createdMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({ action, id }: StateChange): void {
    if (this.ms > 0 && action === 'created') this.#createdMs.set(id, this.#clock.monotonicMs());
  }

  /** The ids of records that are not listed yet. */
  unlisted(): ReadonlySet<string> {
    const nowMs = this.#clock.monotonicMs();
    for (const [id, createdMs] of this.#createdMs) {
      if (nowMs - createdMs < this.ms) break;
      this.#createdMs.delete(id);
    }
    return new Set(this.#createdMs.keys());
  }
}
