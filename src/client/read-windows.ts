import { Failure } from '../base/failure.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Assumptions } from '../contract/assumptions.ts';
import { firstMaximum } from '../contract/limits.ts';
import type { Api } from './caller.ts';
import { type ListName, type ListQuery, type Page, type PageBounds, paginate } from './paginate.ts';
import {
  type Direction,
  directionOf,
  instantOf,
  mayFollow,
  overlapMs,
  type TimeWindow,
  withOverlap,
} from './time-windows.ts';
import { type Pages, readInWindows } from './window-reading.ts';

/** The lists that can be asked for a part of their time (API 4.15, 4.18). */
export type WindowedName = Extract<ListName, 'listReviews' | 'listRewards'>;

/** Which part of a list to read, in how many windows at once. */
export interface WindowBounds extends PageBounds {
  readonly lanes: number;
}

/** What a windowed list is narrowed to, as far as windows have to do with it. */
type TimedQuery<N extends WindowedName> = ListQuery<N> &
  TimeQuery & { readonly direction?: Direction | undefined };

interface TimeQuery {
  readonly createdAtStart?: string | undefined;
  readonly createdAtEnd?: string | undefined;
}

/**
 * Reads a list in windows of time, several at once, and gives its pages in the order of the list. Neighbours overlap, and a record that both
 * show is given once. Each page tells the total of the whole list as it was at first; where other records came, an empty one behind them tells that at last.
 * @throws as `paginate`; Failure('contradictory-reply') where the service sends records of another time than was asked for;
 *   Failure('inconsistent-list') where it does not list them in the order of their time.
 */
export async function* readWindows<N extends WindowedName>(
  api: Api,
  name: N,
  query: TimedQuery<N>,
  { lanes, ...bounds }: WindowBounds,
): Pages {
  const { first = firstMaximum, limit = Number.POSITIVE_INFINITY } = bounds;
  const front = await onlyPage(paginate(api, name, query, { ...bounds, limit: Math.min(first, limit) }));
  if (front === undefined) return;
  const { totalCount } = front;
  if (front.sent.length === Math.min(limit, totalCount ?? Number.POSITIVE_INFINITY)) {
    yield front;
    return;
  }
  const order = await findOrder(api, name, query, front);
  const abandoned = new AbortController();
  const { signal = abandoned.signal } = bounds;
  const pagesOf = (window: TimeWindow) => {
    const narrowed = { ...query, ...timeQuery(window) };
    const either = AbortSignal.any([signal, abandoned.signal]);
    const pages = paginate(api, name, narrowed, { ...bounds, signal: either });
    return checkedPages(api, name, order.direction, withOverlap(window), pages);
  };
  const plan = { ...order, lanes, isLatestFirst: order.direction === 'DESC', pagesOf };
  const isRepeated = createRepetitionCheck((record) => timeOf(name, record, api.assumptions));
  let given = 0;
  const isWanted = (record: JsonObject) => {
    if (given === limit || isRepeated(record)) return false;
    given += 1;
    return true;
  };
  const windows = readInWindows(plan, totalCount ?? undefined);
  for await (const page of leaving(windows, () => abandoned.abort())) {
    yield { ...picked(page, isWanted), totalCount };
    if (given === limit) return;
  }
  if (given === totalCount) return;
  const back = await onlyPage(paginate(api, name, query, { ...bounds, first: 1, limit: 1 }));
  if (back !== undefined) yield { ...back, records: [], sent: [] };
}

/** The page of a list that is read no further than this. */
async function onlyPage(pages: Pages): Promise<Page<unknown> | undefined> {
  for await (const page of pages) return page;
  return undefined;
}

/** A page with those of its records that are wanted. */
function picked(page: Page<unknown>, isWanted: (record: JsonObject) => boolean): Page<unknown> {
  const areWanted = page.sent.map(isWanted);
  const only = <T>(records: readonly T[]) => records.filter((_, index) => areWanted[index]);
  return { ...page, records: only(page.records), sent: only(page.sent) };
}

/** Gives what `pages` gives; as soon as nobody takes more, `leave` is called, before what is under way is waited for. */
async function* leaving(pages: Pages, leave: () => void): Pages {
  for await (const page of pages) {
    let isTaken = false;
    try {
      yield page;
      isTaken = true;
    } finally {
      if (!isTaken) leave();
    }
  }
}

/** The filters of a window; where it has no end, that of the list stays. */
function timeQuery(window: TimeWindow): TimeQuery {
  const { fromMs, toMs } = withOverlap(window);
  return {
    ...(Number.isFinite(fromMs) ? { createdAtStart: new Date(fromMs).toISOString() } : {}),
    ...(Number.isFinite(toMs) ? { createdAtEnd: new Date(toMs).toISOString() } : {}),
  };
}

/** When a record is, as the time filters of its list mean it (assumption `rewardTimeMeans`). */
function timeOf(name: WindowedName, record: JsonObject, { rewardTimeMeans }: Assumptions): number {
  const { createdAt, review } = record;
  if (name === 'listReviews' || rewardTimeMeans === 'reward') return instantOf(createdAt);
  return instantOf(isJsonObject(review) ? review['createdAt'] : undefined);
}

/** How a list is sorted, and between which times its records are. */
interface ListOrder {
  readonly direction: Direction;
  readonly known: TimeWindow;
}

async function findOrder<N extends WindowedName>(
  api: Api,
  name: N,
  query: TimedQuery<N>,
  front: Page<unknown>,
): Promise<ListOrder> {
  const times = front.sent.map((record) => timeOf(name, record, api.assumptions));
  const direction = name === 'listReviews' ? (query.direction ?? 'DESC') : directionOf(times);
  if (direction === undefined) throw unsorted(name);
  const others = { sort: 'CREATED_AT', direction: direction === 'DESC' ? 'ASC' : 'DESC' } as const;
  // Rewards cannot be sorted, but are given for reviews.
  const filters = name === 'listReviews' ? query : {};
  const back = await onlyPage(
    paginate(api, 'listReviews', { ...filters, ...others }, { first: 1, limit: 1 }),
  );
  const [frontMs = Number.NaN] = times;
  const backMs = instantOf(back?.sent[0]?.['createdAt']);
  const [oldestMs, newestMs] = direction === 'DESC' ? [backMs, frontMs] : [frontMs, backMs];
  const { createdAtStart, createdAtEnd } = query;
  return {
    direction,
    known: {
      fromMs: createdAtStart === undefined ? oldestMs : Date.parse(createdAtStart),
      toMs: createdAtEnd === undefined ? newestMs : Date.parse(createdAtEnd),
    },
  };
}

/** The pages of a window, each record held against its time and the one before it. */
async function* checkedPages(
  api: Api,
  name: WindowedName,
  direction: Direction,
  asked: TimeWindow,
  pages: Pages,
): Pages {
  for await (const page of pages) {
    // What moved while the list is read may come again on the next page.
    let beforeMs: number | undefined;
    for (const record of page.sent) {
      const timeMs = timeOf(name, record, api.assumptions);
      // A service may compare whole seconds.
      if (timeMs < asked.fromMs - overlapMs || timeMs > asked.toMs + overlapMs) throw unasked(api, name);
      if (!mayFollow(timeMs, beforeMs ?? timeMs, direction)) throw unsorted(name);
      beforeMs = timeMs;
    }
    yield page;
  }
}

/** Records that are known to have been given: so many, and all that neighbours can have in common. */
const givenMinimum = 10_000;

/** Whether a record was given a while ago: because neighbours overlap, or because it moved to the next page. */
function createRepetitionCheck(timeMsOf: (record: JsonObject) => number): (record: JsonObject) => boolean {
  const given = new Map<unknown, number>();
  return (record) => {
    const timeMs = timeMsOf(record);
    for (const [id, givenMs] of given) {
      if (given.size < givenMinimum || Math.abs(givenMs - timeMs) <= 4 * overlapMs) break;
      given.delete(id);
    }
    const { id } = record;
    if (given.has(id)) return true;
    given.set(id, timeMs);
    return false;
  };
}

function unsorted(operation: WindowedName): Failure {
  return new Failure(
    'inconsistent-list',
    `${operation}: the service does not list records in the order of their time, so they cannot be read in windows of time`,
    'leave out --parallel',
    { operation },
  );
}

function unasked({ assumptions: { rewardTimeMeans } }: Api, operation: WindowedName): Failure {
  const other = rewardTimeMeans === 'review' ? 'reward' : 'review';
  return new Failure(
    'contradictory-reply',
    `${operation}: the service sends records that createdAtStart and createdAtEnd did not ask for, so they cannot be read in windows of time`,
    operation === 'listRewards'
      ? `it may mean another date of rewards: try --assume rewardTimeMeans=${other}, or leave out --parallel`
      : 'leave out --parallel',
    { operation },
  );
}
