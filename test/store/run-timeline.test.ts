import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countRequests,
  intervalsMaximum,
  isRunTimeline,
  latencyPercentile,
  sumOf,
  TimelineRecorder,
} from '../../src/store/runs/run-timeline.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';

test('requests and outcomes are recorded in the second in which they came', () => {
  const clock = new ManualClock();
  const recorder = new TimelineRecorder(clock);
  recorder.addRequest(1);
  recorder.addOutcomes([{ outcome: 'created' }, { outcome: 'created' }]);
  clock.advance(2500);
  recorder.addRequest(-5);
  recorder.addRequest(1023);
  recorder.addOutcomes([{ outcome: 'created' }, { outcome: 'failed' }]);
  expect(recorder.timeline).toEqual({
    intervalMs: 1000,
    intervals: [
      { outcomes: { created: 2 }, latencies: { 8: 1 } },
      null,
      { outcomes: { created: 1, failed: 1 }, latencies: { 0: 1, 80: 1 } },
    ],
  });
});

test('however long a run is, its timeline stays small and loses nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 5_000_000 }), { maxLength: 200 }), (pauses) => {
      const clock = new ManualClock();
      const recorder = new TimelineRecorder(clock);
      for (const pauseMs of pauses) {
        clock.advance(pauseMs);
        recorder.addRequest(pauseMs);
        recorder.addOutcomes([{ outcome: 'created' }]);
      }
      const { intervals } = recorder.timeline;
      expect(intervals.length).toBeLessThanOrEqual(intervalsMaximum);
      const sum = sumOf(intervals);
      expect([countRequests(sum), sum.outcomes['created'] ?? 0]).toEqual([pauses.length, pauses.length]);
    }),
  );
});

test('percentiles of latencies are right within 5 %, or half a millisecond', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 60_000 }), { minLength: 1, maxLength: 300 }), (times) => {
      const recorder = new TimelineRecorder(new ManualClock());
      for (const time of times) recorder.addRequest(time);
      const sum = sumOf(recorder.timeline.intervals);
      const sorted = times.toSorted((a, b) => a - b);
      for (const share of [0.5, 0.95, 0.99, 1]) {
        const exact = sorted[Math.max(1, Math.ceil(share * times.length)) - 1] ?? 0;
        const found = latencyPercentile(sum, share) ?? Number.NaN;
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(0.5 + 0.05 * exact);
      }
    }),
  );
  expect(latencyPercentile(sumOf([]), 0.5)).toBeUndefined();
});

const interval = { outcomes: { a: 1 }, latencies: { 3: 1 } };

test.each([
  [true, { intervalMs: 1, intervals: [null, interval] }],
  [true, { intervalMs: 1, intervals: [] }],
  [false, null],
  [false, { intervalMs: '1', intervals: [] }],
  [false, { intervalMs: 0, intervals: [] }],
  [false, { intervalMs: 1, intervals: {} }],
  [false, { intervalMs: 1, intervals: [null, 1] }],
  [false, { intervalMs: 1, intervals: [interval, { latencies: {} }] }],
  [false, { intervalMs: 1, intervals: [{ outcomes: {} }, interval] }],
  [false, { intervalMs: 1, intervals: [{ ...interval, outcomes: { a: 1, b: '1' } }] }],
])('it is %s that a timeline may be read back as %j', (isOne, value) => {
  expect(isRunTimeline(value)).toBe(isOne);
});
