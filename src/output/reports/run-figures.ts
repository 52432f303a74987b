import {
  addCounts,
  addIntervals,
  addOperations,
  intervalsMaximum,
  type Latencies,
  latencyPercentile,
  type OperationTimes,
  type RunTimeline,
  type TimelineInterval,
} from '../../store/runs/run-timeline.ts';

/** A timeline and its start. */
export interface PlacedTimeline {
  readonly startedMs: number;
  readonly timeline: RunTimeline;
}

/** The course of several runs, merged. */
export interface Course {
  readonly startedMs: number;
  readonly intervalMs: number;
  readonly intervals: readonly TimelineInterval[];
  readonly operations: Readonly<Record<string, OperationTimes>>;
}

const nothing: TimelineInterval = { outcomes: {}, latencies: {} };

/** Merges timelines, in intervals as long as the longest of any, or longer if there were too many. */
export function mergeTimelines(timelines: readonly PlacedTimeline[]): Course {
  const startedMs = Math.min(...timelines.map((one) => one.startedMs));
  const endedMs = Math.max(
    ...timelines.map(
      ({ startedMs: from, timeline }) => from + timeline.intervals.length * timeline.intervalMs,
    ),
  );
  let intervalMs = Math.max(...timelines.map(({ timeline }) => timeline.intervalMs));
  while ((endedMs - startedMs) / intervalMs > intervalsMaximum) intervalMs *= 2;
  const intervals: TimelineInterval[] = [];
  for (const { startedMs: from, timeline } of timelines) {
    timeline.intervals.forEach((interval, index) => {
      const at = Math.floor((from + index * timeline.intervalMs - startedMs) / intervalMs);
      intervals[at] = addIntervals(intervals[at] ?? nothing, interval ?? nothing);
    });
  }
  return {
    startedMs,
    intervalMs,
    intervals: Array.from(intervals, (interval) => interval ?? nothing),
    operations: mergeOperations(timelines),
  };
}

function mergeOperations(timelines: readonly PlacedTimeline[]): Course['operations'] {
  const merged: Record<string, OperationTimes> = {};
  for (const { timeline } of timelines) {
    for (const [name, times] of Object.entries(timeline.operations)) {
      const known = merged[name];
      merged[name] = known === undefined ? times : addOperations(known, times);
    }
  }
  return merged;
}

/** The latencies of all requests. */
export function allLatencies({ operations }: Course): Latencies {
  return Object.values(operations).reduce<Latencies>((sum, { latencies }) => addCounts(sum, latencies), {});
}

/** Percentiles that reports show. */
export const percentiles = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

/** `840 ms`, `2.1 s`. */
export function latencyInWords(ms: number): string {
  if (ms === 0) return '0 ms';
  return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** The percentiles of these latencies as table cells; null without latencies. */
export function percentileCells(latencies: Latencies) {
  return Object.values(percentiles).map((share) => {
    const value = latencyPercentile(latencies, share);
    return value === undefined ? null : { text: latencyInWords(value), value };
  });
}
