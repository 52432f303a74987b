import { Failure } from '../base/failure.ts';
import type { Api } from './caller.ts';
import { countOf, type ListName, type ListPage, valueAt } from './paginate.ts';
import { type Direction, instantOf, mayFollow, overlapMs, type TimeWindow } from './time-windows.ts';

/** The lists with time filters (API 4.15, 4.18). */
export type WindowedName = Extract<ListName, 'listReviews' | 'listRewards'>;

/** The facts of a record that windows require. */
export interface TimedRecord {
  readonly id: unknown;
  /** The time of the record as meant by its list's time filters; NaN if it has none. */
  readonly timeMs: number;
}

/** A page, and the facts of its records that windows require. */
export interface TimedPage {
  readonly page: ListPage;
  readonly records: readonly TimedRecord[];
}

/** A page with the times of its records (assumption `rewardTimeMeans`). */
export function timedPage(
  { assumptions: { rewardTimeMeans } }: Api,
  name: WindowedName,
  page: ListPage,
): TimedPage {
  const timePath = name === 'listReviews' || rewardTimeMeans === 'reward' ? 'createdAt' : 'review.createdAt';
  const records = Array.from({ length: countOf(page) }, (_, index) => ({
    id: valueAt(page, index, 'id'),
    timeMs: instantOf(valueAt(page, index, timePath)),
  }));
  return { page, records };
}

/**
 * Yields the pages of a window after checking the times of their records, and their order.
 * @throws Failure('contradictory-reply') for records outside the requested time; Failure('inconsistent-list') if
 *   records are not sorted by time.
 */
export async function* timedPages(
  api: Api,
  name: WindowedName,
  direction: Direction,
  asked: TimeWindow,
  pages: AsyncIterable<ListPage>,
): AsyncGenerator<TimedPage> {
  for await (const page of pages) {
    const timed = timedPage(api, name, page);
    // Records that move while the list is read may appear again on the next page.
    let beforeMs: number | undefined;
    for (const { timeMs } of timed.records) {
      // A service may compare whole seconds.
      if (timeMs < asked.fromMs - overlapMs || timeMs > asked.toMs + overlapMs) throw unrequested(api, name);
      if (!mayFollow(timeMs, beforeMs ?? timeMs, direction)) throw unsorted(name);
      beforeMs = timeMs;
    }
    yield timed;
  }
}

/** The minimum number of yielded records to remember. It grows to the number that neighbouring windows share. */
const givenMinimum = 10_000;

/** Returns true if a record was yielded before: windows overlap, and records may move to the next page. */
export function createRepetitionCheck(): (record: TimedRecord) => boolean {
  let before = new Set<unknown>();
  let given = new Set<unknown>();
  let sinceMs: number | undefined;
  return ({ id, timeMs }) => {
    if (given.has(id) || before.has(id)) return true;
    given.add(id);
    sinceMs ??= timeMs;
    if (given.size >= givenMinimum && Math.abs(timeMs - sinceMs) > 4 * overlapMs) {
      before = given;
      given = new Set();
      sinceMs = undefined;
    }
    return false;
  };
}

export function unsorted(operation: WindowedName): Failure {
  return new Failure(
    'inconsistent-list',
    `${operation}: the service does not list records in order of time, ` +
      'so they cannot be read in time windows',
    'leave out --parallel',
    { operation },
  );
}

function unrequested({ assumptions: { rewardTimeMeans } }: Api, operation: WindowedName): Failure {
  const other = rewardTimeMeans === 'review' ? 'reward' : 'review';
  return new Failure(
    'contradictory-reply',
    `${operation}: the service sends records outside createdAtStart and createdAtEnd, ` +
      'so they cannot be read in time windows',
    operation === 'listRewards'
      ? `it may mean another date of rewards: try -c reward-time-means=${other}, or leave out --parallel`
      : 'leave out --parallel',
    { operation },
  );
}
