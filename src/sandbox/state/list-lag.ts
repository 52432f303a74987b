import type { Clock } from '../../base/clock.ts';

/** Makes lists lag behind writes: a new record is listed only after `ms`, but can be read by its id at once. */
export class ListLag {
  readonly #ms: number;
  readonly #clock: Clock;
  /** Last id of each recent transaction, oldest first. */
  #recent: { readonly writtenMs: number; readonly lastId: number }[] = [];
  #listedId: number;

  /** `ms` 0 disables the lag. Records up to `lastId` are listed from the start. */
  constructor(clock: Clock, ms: number, lastId: number) {
    this.#clock = clock;
    this.#ms = ms;
    this.#listedId = lastId;
  }

  noteCreation(lastId: number): void {
    if (this.#ms > 0) this.#recent.push({ writtenMs: this.#clock.monotonicMs(), lastId });
  }

  /** The last id that lists show; undefined if they show all. */
  listedId(): number | undefined {
    if (this.#ms === 0) return undefined;
    const dueMs = this.#clock.monotonicMs() - this.#ms;
    const later = this.#recent.filter(({ writtenMs }) => writtenMs > dueMs);
    this.#listedId = this.#recent[this.#recent.length - later.length - 1]?.lastId ?? this.#listedId;
    this.#recent = later;
    return this.#listedId;
  }
}
