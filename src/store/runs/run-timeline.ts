import { hasFields, isJsonObject, isNumber } from '../../base/json.ts';

/**
 * A histogram of request times: the number of requests per bucket. Each bucket is 9 % wider than the one before, so a
 * handful covers all times, and those of several runs can be added.
 */
export type Latencies = Readonly<Record<string, number>>;

type Counts = Readonly<Record<string, number>>;

/** The outcomes and requests of one interval of a run. */
export interface TimelineInterval {
  /** Number of records by outcome. */
  readonly outcomes: Counts;
  /** Times of the requests that ended, each attempt separately. */
  readonly latencies: Latencies;
}

/** The requests of one operation. */
export interface OperationTimes {
  /** Number of requests by status, or `no answer`. */
  readonly answers: Counts;
  readonly latencies: Latencies;
}

/** The course of a run, in a bounded number of intervals however long it was. */
export interface RunTimeline {
  readonly intervalMs: number;
  /** From the start of the run to its end; null for an interval without events. */
  readonly intervals: readonly (TimelineInterval | null)[];
  readonly operations: Readonly<Record<string, OperationTimes>>;
}

/** Maximum number of intervals of a timeline. */
export const intervalsMaximum = 120;

/** Adds two tallies. */
export function addCounts(one: Counts, other: Counts): Counts {
  const sum: Record<string, number> = { ...one };
  for (const [word, count] of Object.entries(other)) sum[word] = (sum[word] ?? 0) + count;
  return sum;
}

/** Adds two intervals. */
export function addIntervals(one: TimelineInterval, other: TimelineInterval): TimelineInterval {
  return {
    outcomes: addCounts(one.outcomes, other.outcomes),
    latencies: addCounts(one.latencies, other.latencies),
  };
}

export function addOperations(one: OperationTimes, other: OperationTimes): OperationTimes {
  return {
    answers: addCounts(one.answers, other.answers),
    latencies: addCounts(one.latencies, other.latencies),
  };
}

export function isRunTimeline(value: unknown): value is RunTimeline {
  const isInterval = (interval: unknown) =>
    interval === null || hasFields(interval, { outcomes: areCounts, latencies: areCounts });
  const areTimes = (times: unknown) => hasFields(times, { answers: areCounts, latencies: areCounts });
  return hasFields(value, {
    intervalMs: (ms) => isNumber(ms) && ms > 0,
    intervals: (intervals) => Array.isArray(intervals) && intervals.every(isInterval),
    operations: (operations) => isJsonObject(operations) && Object.values(operations).every(areTimes),
  });
}

export function areCounts(value: unknown): value is Counts {
  return isJsonObject(value) && Object.values(value).every(isNumber);
}

const bucketsPerDoubling = 8;

/** The bucket of a time in milliseconds. */
export function latencyBucket(tookMs: number): number {
  return Math.round(bucketsPerDoubling * Math.log2(Math.max(0, tookMs) + 1));
}

/** The time of a bucket, in milliseconds. */
function latencyOfBucket(bucket: number): number {
  return 2 ** (bucket / bucketsPerDoubling) - 1;
}

export function countLatencies(latencies: Latencies): number {
  return Object.values(latencies).reduce((sum, count) => sum + count, 0);
}

/** The time in milliseconds within which `share` of the requests were answered; undefined without requests. */
export function latencyPercentile(latencies: Latencies, share: number): number | undefined {
  const wanted = Math.max(1, Math.ceil(share * countLatencies(latencies)));
  let counted = 0;
  // Integer keys are iterated in numeric order.
  for (const [bucket, count] of Object.entries(latencies)) {
    counted += count;
    if (counted >= wanted) return latencyOfBucket(Number(bucket));
  }
  return undefined;
}
