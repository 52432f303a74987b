import { crypto } from '../../base/crypto.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { instantMs } from '../../base/korean-time.ts';

/**
 * How far a list of changes was read. Times are milliseconds since the epoch, by the clock of the service unless said
 * otherwise.
 */
export interface Checkpoint {
  /** Everything before was read; undefined where nothing was read to its end yet. */
  readonly sinceMs: number | undefined;
  /** Records as they were given (see `keyOf`), with their times. */
  readonly seen: ReadonlyMap<string, number>;
  /** When the last reading began, by both clocks; undefined where the service gives no time. */
  readonly clocks?: Clocks | undefined;
}

export interface Clocks {
  readonly serviceMs: number;
  readonly ownMs: number;
}

/** Slack for times cut to whole seconds and for changes that show up in lists a little late, in milliseconds. */
const settlingMs = 60_000;

/** Assumed difference to the clock of a service that gives no time, in milliseconds. */
const clockOverlapMs = 10 * 60_000;

/** How long records are kept that a service whose clock is set back shows again, in milliseconds. */
const retentionMs = 2 * 60 * 60_000;

/** The last instant whose year has four digits. */
const latestSinceMs = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The time from which a list can be asked for; undefined, for all of it, before 1970: such a time says that the clock
 * of the service or the times of its records are wrong, and many services refuse years of other than four digits.
 */
export function askableSinceMs(sinceMs: number): number | undefined {
  return sinceMs < 0 ? undefined : Math.min(sinceMs, latestSinceMs);
}

/** Records that are kept as seen; with more in this time, the oldest may be given again. */
export const seenMaximum = 50_000;

/** One page of a list, as a reading needs it. */
export interface ReadPage {
  readonly sent: readonly JsonObject[];
  readonly totalCount: number | null | undefined;
  /** The time of the service when it answered; undefined where the reply has none. */
  readonly serviceMs: number | undefined;
}

/** Asks for the list of what changed since a time; for all of it where there is none. */
export type ReadPagesSince = (sinceMs: number | undefined) => AsyncIterable<ReadPage>;

/** Passes over one list: a list that changed while it was read is read again. */
const passesMaximum = 3;

/**
 * Reads what is new in a list since a checkpoint, and returns the next checkpoint. A list is not one instant: a
 * change while it is read may move a record to a page already passed, or another one off the next page. So a pass
 * counts as complete only where every page shows the same total and as many different records came; any other is made
 * again. The next checkpoint lies before the reading began, by the times of the service, and never beyond its clock.
 * What is read twice for that is known by its key.
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

  /** `ownMs`: the time here. `timeOf`: when a record was last changed, as it says itself. */
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
   * The new records, page by page, from as many passes as it takes. A page counts as given when the next one is asked
   * for.
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

  /** Whether any record was given. */
  get hasGiven(): boolean {
    return this.#given.size > 0;
  }

  /** Whether one pass read the whole list. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Records whose time lies ahead of the clock of the service, and the latest of these times. */
  get future(): { readonly count: number; readonly latestMs: number } {
    return { count: this.#futureIds.size, latestMs: this.#latestMs };
  }

  /** The checkpoint after the reading; where it did not end, the one before with what was given since. */
  next(): Checkpoint {
    const sinceMs = this.#isComplete ? this.#nextSinceMs() : this.#checkpoint?.sinceMs;
    const seen = this.#retained(sinceMs);
    if (!this.#isComplete || this.#serviceMs === undefined) {
      return { sinceMs, seen, clocks: this.#isComplete ? undefined : this.#checkpoint?.clocks };
    }
    return { sinceMs, seen, clocks: { serviceMs: this.#serviceMs, ownMs: this.#ownMs } };
  }

  /** Whether records were forgotten that the reading after `checkpoint` will meet again. */
  isForgetful({ sinceMs = Number.NEGATIVE_INFINITY }: Checkpoint): boolean {
    const hasForgotten = this.#forgottenMs !== Number.NEGATIVE_INFINITY;
    return hasForgotten && this.#forgottenMs >= sinceMs;
  }

  /**
   * Notes the time of the service; true where its clock was set back, so that the reading has to begin further back.
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

  /** A time ahead of the clock would hide every change until then. */
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

  /** No change that a list shows can be later than this. */
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

  /** At most as many as are kept, the newest. */
  #newest(entries: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
    if (entries.length <= seenMaximum) return entries;
    const sorted = entries.toSorted(([, a], [, b]) => b - a);
    this.#forgottenMs = Math.max(this.#forgottenMs, sorted[seenMaximum]?.[1] ?? this.#forgottenMs);
    return sorted.slice(0, seenMaximum);
  }
}

/**
 * Records among which one that comes twice in a pass is found, once or twice as many: it moved by a page or two, not by
 * hundreds.
 */
const recentMaximum = 10_000;

/** Whether the pages of one pass are one state of the list: the same total on each, and as many different records. */
function createPassCheck() {
  const totals = new Set<number | null | undefined>();
  let recent = new Set<unknown>();
  let earlier = new Set<unknown>();
  let pages = 0;
  let records = 0;
  const add = (id: unknown) => {
    if (recent.has(id) || earlier.has(id)) return;
    records += 1;
    recent.add(id);
    if (recent.size < recentMaximum) return;
    earlier = recent;
    recent = new Set();
  };
  return {
    page: ({ sent, totalCount }: ReadPage) => {
      pages += 1;
      totals.add(totalCount);
      for (const record of sent) add(record['id']);
    },
    isComplete: () => {
      const [total] = totals;
      // One page is one instant; and where nothing is counted nothing can be compared.
      return pages <= 1 || (totals.size === 1 && (typeof total !== 'number' || total === records));
    },
  };
}

/**
 * A record in its present state: its time and its own fields. Records inside it change on their own, such as the review
 * count of its product.
 */
function keyOf(record: JsonObject, timeMs: number): string {
  const own = Object.entries(record).filter(([, value]) => !isJsonObject(value));
  return crypto()
    .hash('sha256', JSON.stringify([timeMs, own]), 'base64url')
    .slice(0, 16);
}
