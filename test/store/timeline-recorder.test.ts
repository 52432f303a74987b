import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addIntervals,
  addOperations,
  countLatencies,
  intervalsMaximum,
  isRunTimeline,
  latencyBucket,
  latencyPercentile,
  type RunTimeline,
} from '../../src/store/runs/run-timeline.ts';
import { TimelineRecorder } from '../../src/store/runs/timeline-recorder.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';

const request = { operation: 'createProduct', tookMs: 20, result: 200 };

const requestsOf = ({ intervals }: RunTimeline) =>
  intervals.reduce((sum, interval) => sum + countLatencies(interval?.latencies ?? {}), 0);

const outcomesOf = ({ intervals }: RunTimeline, word: string) =>
  intervals.reduce((sum, interval) => sum + (interval?.outcomes[word] ?? 0), 0);

test('requests and outcomes are recorded in the second in which they came', () => {
  const clock = new ManualClock();
  const recorder = new TimelineRecorder(clock);
  recorder.addRequest(request);
  recorder.addOutcomes({ created: 100, failed: 0 });
  clock.advance(2500);
  recorder.addRequest({ ...request, result: 503 });
  recorder.addRequest({ ...request, operation: 'listProducts', result: 'connect ECONNREFUSED 10.0.0.7:443' });
  recorder.addOutcomes({ created: 150, failed: 2 });
  const bucket = String(latencyBucket(20));
  expect(recorder.timeline).toEqual({
    intervalMs: 1000,
    intervals: [
      { outcomes: { created: 100 }, latencies: { [bucket]: 1 } },
      null,
      { outcomes: { created: 50, failed: 2 }, latencies: { [bucket]: 2 } },
    ],
    operations: {
      createProduct: { answers: { 200: 1, 503: 1 }, latencies: { [bucket]: 2 } },
      listProducts: { answers: { 'no answer': 1 }, latencies: { [bucket]: 1 } },
    },
  });
});

test('however long a run is, its timeline stays small and loses nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 5_000_000 }), { maxLength: 200 }), (pauses) => {
      const clock = new ManualClock();
      const recorder = new TimelineRecorder(clock);
      pauses.forEach((pauseMs, index) => {
        clock.advance(pauseMs);
        recorder.addRequest({ ...request, tookMs: pauseMs });
        recorder.addOutcomes({ created: 3 * (index + 1) });
      });
      const { timeline } = recorder;
      expect(timeline.intervals.length).toBeLessThanOrEqual(intervalsMaximum);
      expect(requestsOf(timeline)).toBe(pauses.length);
      expect(outcomesOf(timeline, 'created')).toBe(3 * pauses.length);
    }),
  );
});

test('a run of a day with 200 different latencies in each interval takes no more than 100 kB', () => {
  const clock = new ManualClock();
  const recorder = new TimelineRecorder(clock);
  for (let second = 0; second < 86_400; second += 1) {
    clock.advance(1000);
    recorder.addRequest({ ...request, tookMs: (second * 7919) % 30_000 });
  }
  expect(JSON.stringify(recorder.timeline).length).toBeLessThan(100_000);
});

test('percentiles of latencies are right within 5 %, or half a millisecond', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 60_000 }), { minLength: 1, maxLength: 300 }), (times) => {
      const latencies: Record<number, number> = {};
      for (const time of times) latencies[latencyBucket(time)] = (latencies[latencyBucket(time)] ?? 0) + 1;
      const sorted = times.toSorted((a, b) => a - b);
      for (const share of [0.5, 0.95, 0.99, 1]) {
        const exact = sorted[Math.max(1, Math.ceil(share * times.length)) - 1] ?? 0;
        const found = latencyPercentile(latencies, share) ?? Number.NaN;
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(0.5 + 0.05 * exact);
      }
    }),
  );
  expect(latencyPercentile({}, 0.5)).toBeUndefined();
});

test('what happened in two intervals, or to two operations, adds up', () => {
  const [one, other] = [
    { 3: 1, 4: 2 },
    { 4: 5, 6: 7 },
  ];
  const sum = { 3: 1, 4: 7, 6: 7 };
  expect(
    addIntervals({ outcomes: { a: 1 }, latencies: one }, { outcomes: { a: 2, b: 3 }, latencies: other }),
  ).toEqual({
    outcomes: { a: 3, b: 3 },
    latencies: sum,
  });
  expect(
    addOperations({ answers: { 200: 1 }, latencies: one }, { answers: { 503: 2 }, latencies: other }),
  ).toEqual({
    answers: { 200: 1, 503: 2 },
    latencies: sum,
  });
  expect(one).toEqual({ 3: 1, 4: 2 });
});

describe('a timeline that is read back', () => {
  const timeline = {
    intervalMs: 1000,
    intervals: [null, { outcomes: { a: 1 }, latencies: { 3: 1 } }],
    operations: { listProducts: { answers: { 200: 1 }, latencies: { 3: 1 } } },
  };
  const [, interval] = timeline.intervals;
  const { listProducts } = timeline.operations;

  test('is one with intervals and operations, also with none of them', () => {
    expect(isRunTimeline(timeline)).toBe(true);
    expect(isRunTimeline({ intervalMs: 1, intervals: [], operations: {} })).toBe(true);
  });

  test.each([
    ['which is a list', []],
    ['which is null', null],
    ['without a length of its intervals', { ...timeline, intervalMs: '1000' }],
    ['whose intervals have no length', { ...timeline, intervalMs: 0 }],
    ['without intervals', { ...timeline, intervals: {} }],
    ['with a number as an interval', { ...timeline, intervals: [null, 1] }],
    ['with an interval without outcomes', { ...timeline, intervals: [interval, { latencies: {} }] }],
    ['with an interval without latencies', { ...timeline, intervals: [{ outcomes: {} }, interval] }],
    ['with a text as a count', { ...timeline, intervals: [{ ...interval, outcomes: { a: 1, b: '1' } }] }],
    ['with null as an operation', { ...timeline, operations: { listProducts, other: null } }],
    ['without operations', { ...timeline, operations: [] }],
    [
      'with an operation without answers',
      { ...timeline, operations: { listProducts, other: { latencies: {} } } },
    ],
    [
      'with an operation without latencies',
      { ...timeline, operations: { other: { answers: {} }, listProducts } },
    ],
  ])('is none %s', (_, other) => {
    expect(isRunTimeline(other)).toBe(false);
  });
});

test.each([
  [-5, 0],
  [0, 0],
  [1, 8],
  [3, 16],
  [1023, 80],
])('a request that took %i ms is in the bucket %i', (tookMs, bucket) => {
  expect(latencyBucket(tookMs)).toBe(bucket);
});

test('percentiles go by the size of buckets, not by their order or as texts', () => {
  const latencies = { 80: 1, 8: 98, 16: 1 };
  expect([0, 0.98, 0.99, 1].map((share) => latencyPercentile(latencies, share))).toEqual([1, 1, 3, 1023]);
});
