import { isJsonObject } from '../../base/json.ts';
import type { Latencies } from './latencies.ts';

type Counts = Readonly<Record<string, number>>;

/** What happened within one interval of a run. */
export interface TimelineInterval {
  /** How many records came to each outcome. */
  readonly outcomes: Counts;
  /** Of the requests that ended, each attempt by itself. */
  readonly latencies: Latencies;
}

/** The requests of one operation. */
export interface OperationTimes {
  /** How many had each status, or `no answer`. */
  readonly answers: Counts;
  readonly latencies: Latencies;
}

/** The course of a run in so many intervals that it stays small, however long the run was. */
export interface RunTimeline {
  readonly intervalMs: number;
  /** From the start of the run to its end; null where nothing happened. */
  readonly intervals: readonly (TimelineInterval | null)[];
  readonly operations: Readonly<Record<string, OperationTimes>>;
}

/** Intervals of a timeline, at most. */
export const intervalsMaximum = 120;

/** The sum of two tallies. */
export function addCounts(one: Counts, other: Counts): Counts {
  const sum: Record<string, number> = { ...one };
  for (const [word, count] of Object.entries(other)) sum[word] = (sum[word] ?? 0) + count;
  return sum;
}

/** What happened in two intervals. */
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
  if (!isJsonObject(value)) return false;
  const { intervalMs, intervals, operations } = value;
  return (
    typeof intervalMs === 'number' &&
    intervalMs > 0 &&
    Array.isArray(intervals) &&
    intervals.every((interval) => interval === null || hasCounts(interval, ['outcomes', 'latencies'])) &&
    isJsonObject(operations) &&
    Object.values(operations).every((times) => hasCounts(times, ['answers', 'latencies']))
  );
}

function hasCounts(value: unknown, names: readonly string[]): boolean {
  return isJsonObject(value) && names.every((name) => areCounts(value[name]));
}

function areCounts(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every((count) => typeof count === 'number');
}
