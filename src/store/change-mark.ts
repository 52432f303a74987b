import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../base/json.ts';

/** How far a list of changes was read: everything before `sinceMs`, and the records of `seen` from there on. */
export interface ChangeMark {
  /** By the clock of the service, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Keys of records as they were shown (see `keyOf`). */
  readonly seen: ReadonlySet<string>;
}

/** Slack for times cut to whole seconds and for changes that show up in lists a little late, in milliseconds. */
const settlingMs = 60_000;

/** Records that are remembered as seen; of more in one stretch of time, the oldest may be shown again. */
export const seenMaximum = 50_000;

interface Seen {
  readonly key: string;
  readonly timeMs: number;
}

/**
 * Tells which records of a list are new since a mark, and where the next mark stands. A list is not one instant: what changes
 * while it is read may land on a page already passed. So the next mark stands before the reading began, by the times of the
 * service alone: its newest time, less how long the reading took, less `settlingMs`. What is read twice for that is known by its key.
 * Nothing is lost whatever the order of the list and whatever the clock here says.
 */
export class ChangeReading {
  readonly #mark: ChangeMark | undefined;
  /** The newest ones, in no order. */
  #kept: Seen[] = [];
  #newestMs = Number.NEGATIVE_INFINITY;
  #forgottenMs = Number.NEGATIVE_INFINITY;

  constructor(mark: ChangeMark | undefined) {
    this.#mark = mark;
  }

  /** Whether the record, last changed at `time`, was not shown before; one whose time cannot be read never was. */
  isNew(record: JsonObject, time: unknown): boolean {
    const timeMs = typeof time === 'string' ? Date.parse(time) : Number.NaN;
    if (Number.isNaN(timeMs)) return true;
    const key = keyOf(record, timeMs);
    this.#newestMs = Math.max(this.#newestMs, timeMs);
    this.#kept.push({ key, timeMs });
    if (this.#kept.length >= 2 * seenMaximum) this.#forget();
    return !this.#mark?.seen.has(key);
  }

  /** The mark for a reading that took so long; undefined where no time was ever read. */
  next(tookMs: number): ChangeMark | undefined {
    const startMs = this.#newestMs - Math.max(0, tookMs) - settlingMs;
    const sinceMs = Math.max(startMs, this.#mark?.sinceMs ?? Number.NEGATIVE_INFINITY);
    if (!Number.isFinite(sinceMs)) return undefined;
    this.#forget();
    const seen = this.#kept.filter(({ timeMs }) => timeMs >= sinceMs).map(({ key }) => key);
    return { sinceMs, seen: new Set(seen) };
  }

  /** Whether records were forgotten that the next reading will meet again. */
  isForgetful({ sinceMs }: ChangeMark): boolean {
    return this.#forgottenMs >= sinceMs;
  }

  #forget(): void {
    if (this.#kept.length <= seenMaximum) return;
    const sorted = this.#kept.toSorted((a, b) => b.timeMs - a.timeMs);
    this.#forgottenMs = Math.max(this.#forgottenMs, sorted[seenMaximum]?.timeMs ?? this.#forgottenMs);
    this.#kept = sorted.slice(0, seenMaximum);
  }
}

/** A record as it stands: its time and its own fields. Records inside it change on their own, such as the review count of its product. */
function keyOf(record: JsonObject, timeMs: number): string {
  const own = Object.entries(record).filter(([, value]) => !isJsonObject(value));
  return hash('sha256', JSON.stringify([timeMs, own]), 'base64url').slice(0, 16);
}
