import type { Clock } from '../../base/clock.ts';
import { hasFields, isJsonObject, isNumber } from '../../base/json.ts';

type Counts = Record<string, number>;

/** The outcomes and requests of one interval of a run. */
export interface TimelineInterval {
  /** Number of records by outcome. */
  readonly outcomes: Counts;
  /**
   * Number of ended attempts of requests, by the bucket of their time. Each bucket is 9 % wider than the one before.
   */
  readonly latencies: Counts;
}

/** The course of a run, in a bounded number of intervals however long it was. */
export interface RunTimeline {
  readonly intervalMs: number;
  /** From the start of the run to its last event; null for an interval without events. */
  readonly intervals: readonly (TimelineInterval | null)[];
}

/** Maximum number of intervals of a timeline: each is a row of a report. */
export const intervalsMaximum = 30;

const firstIntervalMs = 1000;
const bucketsPerDoubling = 8;

/** Records the course of a run. When it exceeds the maximum of intervals, each becomes twice as long. */
export class TimelineRecorder {
  readonly #clock: Clock;
  readonly #startMs: number;
  #intervalMs = firstIntervalMs;
  #intervals: (TimelineInterval | undefined)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  /** Records an ended attempt of a request. */
  addRequest(tookMs: number): void {
    const bucket = Math.round(bucketsPerDoubling * Math.log2(Math.max(0, tookMs) + 1));
    increase(this.#now().latencies, String(bucket));
  }

  addOutcomes(records: readonly { readonly outcome: string }[]): void {
    const { outcomes } = this.#now();
    for (const { outcome } of records) increase(outcomes, outcome);
  }

  get timeline(): RunTimeline {
    const intervals = Array.from(this.#intervals, (interval) => interval ?? null);
    return { intervalMs: this.#intervalMs, intervals };
  }

  #now(): TimelineInterval {
    const elapsedMs = this.#clock.monotonicMs() - this.#startMs;
    while (elapsedMs >= intervalsMaximum * this.#intervalMs) this.#widen();
    const index = Math.floor(elapsedMs / this.#intervalMs);
    this.#intervals[index] ??= sumOf([]);
    return this.#intervals[index];
  }

  #widen(): void {
    const narrow = this.#intervals;
    this.#intervalMs *= 2;
    this.#intervals = Array.from({ length: Math.ceil(narrow.length / 2) }, (_, index) =>
      sumOf(narrow.slice(2 * index, 2 * index + 2)),
    );
  }
}

/** Adds intervals. */
export function sumOf(intervals: readonly (TimelineInterval | null | undefined)[]): TimelineInterval {
  const sum: TimelineInterval = { outcomes: {}, latencies: {} };
  for (const interval of intervals) {
    for (const [word, count] of Object.entries(interval?.outcomes ?? {})) increase(sum.outcomes, word, count);
    for (const [bucket, count] of Object.entries(interval?.latencies ?? {}))
      increase(sum.latencies, bucket, count);
  }
  return sum;
}

function increase(counts: Counts, key: string, by = 1): void {
  counts[key] = (counts[key] ?? 0) + by;
}

export function countRequests({ latencies }: TimelineInterval): number {
  return Object.values(latencies).reduce((sum, count) => sum + count, 0);
}

/** The time in milliseconds within which `share` of the requests ended, exact to 5 %; undefined without requests. */
export function latencyPercentile(interval: TimelineInterval, share: number): number | undefined {
  const wanted = Math.max(1, Math.ceil(share * countRequests(interval)));
  let counted = 0;
  // Integer keys are iterated in numeric order.
  for (const [bucket, count] of Object.entries(interval.latencies)) {
    counted += count;
    if (counted >= wanted) return 2 ** (Number(bucket) / bucketsPerDoubling) - 1;
  }
  return undefined;
}

export function isRunTimeline(value: unknown): value is RunTimeline {
  const isInterval = (interval: unknown) =>
    interval === null || hasFields(interval, { outcomes: areCounts, latencies: areCounts });
  return hasFields(value, {
    intervalMs: (ms) => isNumber(ms) && ms > 0,
    intervals: (intervals) => Array.isArray(intervals) && intervals.every(isInterval),
  });
}

export function areCounts(value: unknown): value is Counts {
  return isJsonObject(value) && Object.values(value).every(isNumber);
}
