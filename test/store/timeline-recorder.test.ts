import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countLatencies, latencyBucket, latencyPercentile } from '../../src/store/runs/latencies.ts';
import { intervalsMaximum, type RunTimeline } from '../../src/store/runs/run-timeline.ts';
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
