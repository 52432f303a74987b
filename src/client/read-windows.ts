import { firstMaximum } from '../contract/limits.ts';
import type { Api } from './caller.ts';
import { createWindowsCheck } from './list-end.ts';
import {
  type ListName,
  type ListPage,
  type ListQuery,
  onlyWanted,
  type PageBounds,
  paginate,
} from './paginate.ts';
import { type Direction, directionOf, instantOf, type TimeWindow, withOverlap } from './time-windows.ts';
import {
  createRepetitionCheck,
  type TimedPage,
  type TimedRecord,
  timedPage,
  timedPages,
  unsorted,
  type WindowedName,
} from './timed-pages.ts';
import { readInWindows } from './window-reading.ts';

/** The part of a list to read, and the number of concurrent windows. */
interface WindowBounds extends PageBounds {
  readonly lanes: number;
}

/** The filters and order of a list that concern windows. */
type TimedQuery<N extends WindowedName> = ListQuery<N> &
  TimeQuery & { readonly direction?: Direction | undefined };

interface TimeQuery {
  readonly createdAtStart?: string | undefined;
  readonly createdAtEnd?: string | undefined;
}

/** Reads the pages of a list: decoded, or as lines if possible. */
export type ReadPages = <N extends ListName>(
  api: Api,
  name: N,
  query: ListQuery<N>,
  bounds: PageBounds,
) => AsyncGenerator<ListPage>;

/**
 * Reads a list in concurrent time windows. Yields the pages of `read` in the order of the list. Neighbouring windows
 * overlap; a record in both is yielded once. Each page has the initial total of the whole list. If the number of
 * records differs, an empty last page has the final total.
 * @throws as `paginate`; Failure('contradictory-reply') for records outside the requested time;
 *   Failure('inconsistent-list') if records are not sorted by time, or if all windows together have far more than the
 *   list.
 */
export async function* readWindows<N extends WindowedName>(
  read: ReadPages,
  api: Api,
  name: N,
  query: TimedQuery<N>,
  { lanes, ...bounds }: WindowBounds,
): AsyncGenerator<ListPage> {
  const { first = firstMaximum, limit = Number.POSITIVE_INFINITY } = bounds;
  const front = await onlyPage(read(api, name, query, { ...bounds, limit: Math.min(first, limit) }));
  if (front === undefined) return;
  const { totalCount } = front;
  const { records } = timedPage(api, name, front);
  if (records.length === Math.min(limit, totalCount ?? Number.POSITIVE_INFINITY)) {
    yield front;
    return;
  }
  const order = await findOrder(api, name, query, records);
  const abandoned = new AbortController();
  const { signal = abandoned.signal } = bounds;
  const checkLength = createWindowsCheck(name, totalCount);
  async function* pagesOf(window: TimeWindow): AsyncGenerator<TimedPage> {
    const asked = withOverlap(window);
    const narrowed = { ...query, ...timeQuery(asked) };
    const either = AbortSignal.any([signal, abandoned.signal]);
    const pages = read(api, name, narrowed, { ...bounds, signal: either });
    for await (const page of timedPages(api, name, order.direction, asked, pages)) {
      checkLength(page.records.length);
      yield page;
    }
  }
  const plan = { ...order, lanes, isLatestFirst: order.direction === 'DESC', pagesOf };
  const isRepeated = createRepetitionCheck();
  let given = 0;
  const isWanted = (record: TimedRecord) => {
    if (given === limit || isRepeated(record)) return false;
    given += 1;
    return true;
  };
  const windows = readInWindows(plan, totalCount ?? undefined);
  for await (const { page, records: timed } of windows) {
    const areWanted = timed.map(isWanted);
    let isLeft = true;
    try {
      yield { ...onlyWanted(page, (index) => areWanted[index] === true), totalCount };
      isLeft = given === limit;
    } finally {
      // Before the loop ends, since that waits for the requests under way.
      if (isLeft) abandoned.abort();
    }
    if (isLeft) return;
  }
  if (given === totalCount) return;
  const back = await onlyPage(paginate(api, name, query, { ...bounds, first: 1, limit: 1 }));
  if (back !== undefined) yield { ...back, records: [], sent: [] };
}

/** The first page of a list, without reading further. */
async function onlyPage<P>(pages: AsyncIterable<P>): Promise<P | undefined> {
  for await (const page of pages) return page;
  return undefined;
}

/** The filters of a window; an open end keeps the filter of the list. */
function timeQuery({ fromMs, toMs }: TimeWindow): TimeQuery {
  return {
    ...(Number.isFinite(fromMs) ? { createdAtStart: new Date(fromMs).toISOString() } : {}),
    ...(Number.isFinite(toMs) ? { createdAtEnd: new Date(toMs).toISOString() } : {}),
  };
}

/** The order of a list, and the range of its records' times. */
interface ListOrder {
  readonly direction: Direction;
  readonly known: TimeWindow;
}

async function findOrder<N extends WindowedName>(
  api: Api,
  name: N,
  query: TimedQuery<N>,
  front: readonly TimedRecord[],
): Promise<ListOrder> {
  const times = front.map(({ timeMs }) => timeMs);
  const direction = name === 'listReviews' ? (query.direction ?? 'DESC') : directionOf(times);
  if (direction === undefined) throw unsorted(name);
  const others = { sort: 'CREATED_AT', direction: direction === 'DESC' ? 'ASC' : 'DESC' } as const;
  // Rewards cannot be sorted, so the outermost review is read, without the filters of the rewards.
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
