import type { Clock } from '../../base/clock.ts';
import {
  addIntervals,
  intervalsMaximum,
  latencyBucket,
  type OperationTimes,
  type RunTimeline,
  type TimelineInterval,
} from './run-timeline.ts';

/** An ended attempt of a request: its status, or what happened instead. */
interface EndedRequest {
  readonly operation: string;
  readonly tookMs: number;
  readonly result: number | string;
}

type Counter = Record<string, number>;
type Writable<T> = { -readonly [Name in keyof T]: Counter };

const firstIntervalMs = 1000;

/**
 * Records the course of a run while it lasts: a few additions per request, none per record. When a timeline exceeds its
 * maximum of intervals, each becomes twice as long.
 */
export class TimelineRecorder {
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #operations: Record<string, Writable<OperationTimes>> = {};
  readonly #reported: Counter = {};
  #intervalMs = firstIntervalMs;
  #intervals: (Writable<TimelineInterval> | undefined)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  addRequest({ operation, tookMs, result }: EndedRequest): void {
    const bucket = String(latencyBucket(tookMs));
    this.#operations[operation] ??= { answers: {}, latencies: {} };
    const times = this.#operations[operation];
    increase(times.answers, typeof result === 'number' ? String(result) : 'no answer');
    increase(times.latencies, bucket);
    increase(this.#now().latencies, bucket);
  }

  /** Records the number of records by outcome since the start. */
  addOutcomes(tally: Readonly<Record<string, number>>): void {
    const { outcomes } = this.#now();
    for (const word of Object.keys(tally)) {
      const count = tally[word] ?? 0;
      const before = this.#reported[word] ?? 0;
      if (count === before) continue;
      increase(outcomes, word, count - before);
      this.#reported[word] = count;
    }
  }

  get timeline(): RunTimeline {
    const intervals = Array.from(this.#intervals, (interval) => interval ?? null);
    return { intervalMs: this.#intervalMs, intervals, operations: this.#operations };
  }

  #now(): Writable<TimelineInterval> {
    const elapsedMs = this.#clock.monotonicMs() - this.#startMs;
    while (elapsedMs >= intervalsMaximum * this.#intervalMs) this.#widen();
    const index = Math.floor(elapsedMs / this.#intervalMs);
    this.#intervals[index] ??= { outcomes: {}, latencies: {} };
    return this.#intervals[index];
  }

  #widen(): void {
    const narrow = this.#intervals;
    this.#intervalMs *= 2;
    this.#intervals = Array.from({ length: Math.ceil(narrow.length / 2) }, (_, index) => {
      const [one, other] = [narrow[2 * index], narrow[2 * index + 1]];
      return one === undefined || other === undefined ? (one ?? other) : addIntervals(one, other);
    });
  }
}

function increase(counter: Counter, word: string, by = 1): void {
  counter[word] = (counter[word] ?? 0) + by;
}
