import { crypto } from '../../base/crypto.ts';
import { DistinctCount } from '../../base/distinct-count.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { instantMs } from '../../base/korean-time.ts';

/**
 * The progress of reading a list of changes. Times are milliseconds since the epoch, by the clock of the service unless
 * stated otherwise.
 */
export interface Checkpoint {
  /** Everything earlier was read; undefined if nothing was read completely yet. */
  readonly sinceMs: number | undefined;
  /** Keys of records already returned (see `keyOf`), with their times. */
  readonly seen: ReadonlyMap<string, number>;
  /** The start of the last reading by both clocks; undefined if the service gives no time. */
  readonly clocks?: Clocks | undefined;
}

export interface Clocks {
  readonly serviceMs: number;
  readonly ownMs: number;
}

/** Slack in milliseconds for times rounded down to seconds, and for changes that appear in lists late. */
const settlingMs = 60_000;

/** Assumed clock difference in milliseconds to a service that gives no time. */
const clockOverlapMs = 10 * 60_000;

/** Milliseconds for which seen records are kept, in case a service whose clock is set back shows them again. */
const retentionMs = 2 * 60 * 60_000;

/** The last time of a year with four digits. */
const latestSinceMs = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The time from which to request a list; undefined, for all of it, before 1970. Such a time means that the clock of the
 * service or the times of its records are wrong, and many services refuse years of other than four digits.
 */
export function askableSinceMs(sinceMs: number): number | undefined {
  return sinceMs < 0 ? undefined : Math.min(sinceMs, latestSinceMs);
}

/** Maximum number of records kept as seen; beyond it, the oldest may be returned again. */
export const seenMaximum = 50_000;

/** One page of a list, as a reading needs it. */
export interface ReadPage {
  readonly sent: readonly JsonObject[];
  readonly totalCount: number | null | undefined;
  /** The service's time of the reply; undefined if the reply has none. */
  readonly serviceMs: number | undefined;
}

/** Requests the changes since a time, or the whole list. */
export type ReadPagesSince = (sinceMs: number | undefined) => AsyncIterable<ReadPage>;

/** Passes over one list: a list that changed during a pass is read again. */
const passesMaximum = 3;

/**
 * Reads the changes of a list since a checkpoint, and computes the next checkpoint. A list is not a snapshot: a change
 * during the reading may move a record to an earlier page, or another one off the next page. A pass therefore counts as
 * complete only if every page has the same total and that many different records came; otherwise it is repeated. The
 * next checkpoint lies before the start of the reading, by the times of the service, and never beyond its clock.
 * Records read again because of that are recognized by their key.
 */
export class ChangeReading {
  readonly #checkpoint: Checkpoint | undefined;
  readonly #ownMs: number;
  readonly #timeOf: (record: JsonObject) => unknown;
  readonly #given = new Map<string, number>();
  #sinceMs: number | undefined;
  #serviceMs: number | undefined;
  #newestMs = Number.NEGATIVE_INFINITY;
  readonly #futureIds = new Set<unknown>();
  #latestMs = Number.NEGATIVE_INFINITY;
  #forgottenMs = Number.NEGATIVE_INFINITY;
  #isComplete = false;

  /** `ownMs`: the time of this machine. `timeOf`: the record's own time of its last change. */
  constructor(
    checkpoint: Checkpoint | undefined,
    { ownMs, timeOf }: { readonly ownMs: number; readonly timeOf: (record: JsonObject) => unknown },
  ) {
    this.#checkpoint = checkpoint;
    this.#sinceMs = checkpoint?.sinceMs;
    this.#ownMs = ownMs;
    this.#timeOf = timeOf;
  }

  /**
   * Returns the new records, page by page, over several passes if needed. A page counts as returned once the next one
   * is requested.
   */
  async *read(pages: ReadPagesSince): AsyncGenerator<readonly JsonObject[]> {
    for (let pass = 1; pass <= passesMaximum && !this.#isComplete; pass += 1) {
      const check = createPassCheck();
      let isRestarted = false;
      for await (const page of pages(this.#sinceMs)) {
        isRestarted = this.#serviceMs === undefined && this.#began(page.serviceMs);
        if (isRestarted) break;
        check.page(page);
        for (const record of page.sent) this.#noteTime(record);
        const fresh = page.sent.filter((record) => this.#isNew(record));
        yield fresh;
        for (const record of fresh) this.#give(record);
      }
      if (isRestarted) pass -= 1;
      else this.#isComplete = check.isComplete();
    }
  }

  /** True if any record was returned. */
  get hasGiven(): boolean {
    return this.#given.size > 0;
  }

  /** True if one pass read the whole list. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Number of records with a time ahead of the service's clock, and the latest of these times. */
  get future(): { readonly count: number; readonly latestMs: number } {
    return { count: this.#futureIds.size, latestMs: this.#latestMs };
  }

  /**
   * The checkpoint after the reading. After an incomplete one, the previous checkpoint with the records returned since.
   */
  next(): Checkpoint {
    const sinceMs = this.#isComplete ? this.#nextSinceMs() : this.#checkpoint?.sinceMs;
    const seen = this.#retained(sinceMs);
    if (!this.#isComplete || this.#serviceMs === undefined) {
      return { sinceMs, seen, clocks: this.#isComplete ? undefined : this.#checkpoint?.clocks };
    }
    return { sinceMs, seen, clocks: { serviceMs: this.#serviceMs, ownMs: this.#ownMs } };
  }

  /** True if forgotten records will be returned again by the reading after `checkpoint`. */
  isForgetful({ sinceMs = Number.NEGATIVE_INFINITY }: Checkpoint): boolean {
    const hasForgotten = this.#forgottenMs !== Number.NEGATIVE_INFINITY;
    return hasForgotten && this.#forgottenMs >= sinceMs;
  }

  /**
   * Records the time of the service. Returns true if its clock was set back, so that the reading must begin earlier.
   */
  #began(serviceMs: number | undefined): boolean {
    this.#serviceMs = serviceMs;
    const clocks = this.#checkpoint?.clocks;
    if (serviceMs === undefined || clocks === undefined || this.#sinceMs === undefined) return false;
    const setBackMs = this.#ownMs - clocks.ownMs - (serviceMs - clocks.serviceMs);
    if (setBackMs <= settlingMs) return false;
    this.#sinceMs = askableSinceMs(this.#sinceMs - setBackMs - settlingMs);
    return true;
  }

  #isNew(record: JsonObject): boolean {
    const timeMs = this.#timeMsOf(record);
    if (timeMs === undefined) return true;
    const key = keyOf(record, timeMs);
    return !this.#given.has(key) && !this.#checkpoint?.seen.has(key);
  }

  #give(record: JsonObject): void {
    const timeMs = this.#timeMsOf(record);
    if (timeMs === undefined) return;
    this.#given.set(keyOf(record, timeMs), timeMs);
    if (this.#given.size < 2 * seenMaximum) return;
    const kept = this.#newest([...this.#given]);
    this.#given.clear();
    for (const [key, keptMs] of kept) this.#given.set(key, keptMs);
  }

  /** A checkpoint ahead of the clock would hide every change until then. */
  #noteTime(record: JsonObject): void {
    const timeMs = this.#timeMsOf(record) ?? Number.NEGATIVE_INFINITY;
    if (timeMs <= this.#clockMs() + settlingMs) {
      this.#newestMs = Math.max(this.#newestMs, timeMs);
    } else {
      this.#futureIds.add(record['id']);
      this.#latestMs = Math.max(this.#latestMs, timeMs);
    }
  }

  #timeMsOf(record: JsonObject): number | undefined {
    const time = this.#timeOf(record);
    const timeMs = typeof time === 'string' ? instantMs(time) : Number.NaN;
    return Number.isNaN(timeMs) ? undefined : timeMs;
  }

  /** No listed change can be later than this. */
  #clockMs(): number {
    return this.#serviceMs ?? this.#ownMs - clockOverlapMs;
  }

  #nextSinceMs(): number | undefined {
    const reachedMs = Math.min(this.#newestMs, this.#clockMs()) - settlingMs;
    const sinceMs = Math.max(reachedMs, this.#sinceMs ?? Number.NEGATIVE_INFINITY);
    return askableSinceMs(sinceMs);
  }

  #retained(sinceMs: number | undefined): ReadonlyMap<string, number> {
    const fromMs = sinceMs === undefined ? Number.NEGATIVE_INFINITY : sinceMs - retentionMs;
    const all = [...(this.#checkpoint?.seen ?? []), ...this.#given];
    return new Map(this.#newest(all.filter(([, timeMs]) => timeMs >= fromMs)));
  }

  /** The newest entries, up to the maximum. */
  #newest(entries: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
    if (entries.length <= seenMaximum) return entries;
    const sorted = entries.toSorted(([, a], [, b]) => b - a);
    this.#forgottenMs = Math.max(this.#forgottenMs, sorted[seenMaximum]?.[1] ?? this.#forgottenMs);
    return sorted.slice(0, seenMaximum);
  }
}

/**
 * Checks that the pages of a pass show one state of the list: the same total on each page, and that many different
 * records.
 */
function createPassCheck() {
  const totals = new Set<number | null | undefined>();
  const records = new DistinctCount();
  let pages = 0;
  return {
    page: ({ sent, totalCount }: ReadPage) => {
      pages += 1;
      totals.add(totalCount);
      for (const record of sent) records.add(record['id']);
    },
    isComplete: () => {
      const [total] = totals;
      // A single page is a snapshot, and without a total there is nothing to compare.
      return pages <= 1 || (totals.size === 1 && (typeof total !== 'number' || total === records.count));
    },
  };
}

/**
 * Identifies a record in its present state by its time and its own fields. Nested records change independently, such as
 * the review count of its product.
 */
function keyOf(record: JsonObject, timeMs: number): string {
  const own = Object.entries(record).filter(([, value]) => !isJsonObject(value));
  return crypto()
    .hash('sha256', JSON.stringify([timeMs, own]), 'base64url')
    .slice(0, 16);
}
