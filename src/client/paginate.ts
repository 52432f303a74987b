import type * as z from 'zod';
import { Failure } from '../base/failure.ts';
import type { JsonObject } from '../base/json.ts';
import { firstMaximum } from '../contract/limits.ts';
import type { OperationName, Operations } from '../contract/operations.ts';
import type { Api, CallInput, Received } from './caller.ts';
import { createPageCheck, endlessList } from './list-end.ts';
import type { RecordLines } from './page-lines.ts';

/** The list operations of the document (API 4). */
export type ListName = Extract<OperationName, `list${string}`>;

export function isListName(name: OperationName): name is ListName {
  return name.startsWith('list');
}

/** The filters and the order of a list. */
export type ListQuery<N extends ListName> = Partial<z.output<Operations[N]['query']>>;
type PageOf<N extends ListName> = z.output<Operations[N]['reply']>;
type RecordOf<N extends ListName> = PageOf<N>['data'][number];

/**
 * One page: each record as decoded by the contract, and at the same index of `sent` as the service wrote it.
 */
export interface Page<T> {
  readonly records: readonly T[];
  readonly sent: readonly JsonObject[];
  /** The number of records left out because they are unreadable. */
  readonly unreadable?: number;
  /** The number of all matching records, if the service gives it. */
  readonly totalCount: number | null | undefined;
  /** The service's time of the page; undefined if the reply has none. */
  readonly serviceMs: number | undefined;
}

/** One page whose records are printed unchanged, without decoding. */
export interface LinePage extends Pick<Page<unknown>, 'totalCount' | 'serviceMs'> {
  readonly lines: RecordLines;
}

/** A page for a caller that prints its records. */
export type ListPage = Page<unknown> | LinePage;

/**
 * The part of a list to read: at most `limit` records, `first` per page. By default everything, in pages of
 * 100.
 */
export interface PageBounds {
  readonly first?: number;
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** The number of records with which the list may end unsaid: as many as a lookup asked for. */
  readonly recordsExpected?: number;
}

/**
 * Reads a list page by page, fetching the next page while the current one is consumed. Leaving the loop early
 * aborts the request under way. The pages yielded before an error are complete.
 * @throws Failure('usage') for a `first` outside 1 to 100.
 * @throws ServiceFailure as every call.
 * @throws Failure('inconsistent-list') for a list without an end (`createPageCheck`), for one that promises more
 *   records without a cursor, and for one that says at a full page neither whether there is more nor how many there
 *   are.
 */
export function paginate<N extends ListName>(
  api: Api,
  name: N,
  query: ListQuery<N>,
  bounds: PageBounds = {},
): AsyncGenerator<Page<RecordOf<N>>> {
  const ask: Ask<N> = (input, signal) => api.call<ListName>(name, input, signal) as Promise<never>;
  return pagesOf(name, query, bounds, async (...asked) => decodedPage<N>(await ask(...asked)));
}

/**
 * Reads a list as `paginate`, for a caller that prints the records unchanged: a page comes as lines if they
 * equal what printing its decoded records would give.
 */
export function paginateLines<N extends ListName>(
  api: Api,
  name: N,
  query: ListQuery<N>,
  bounds: PageBounds,
): AsyncGenerator<Page<RecordOf<N>> | LinePage> {
  const ask: Ask<N> = (input, signal) => api.callForLines<ListName>(name, input, signal) as Promise<never>;
  return pagesOf(
    name,
    query,
    bounds,
    async (...asked): Promise<FetchedPage<Page<RecordOf<N>> | LinePage>> => {
      const received = await ask(...asked);
      const { lines } = received;
      return lines === undefined ? decodedPage<N>(received) : linePage(received, lines);
    },
  );
}

type Ask<N extends ListName> = (
  input: CallInput<Operations[ListName]>,
  signal: AbortSignal,
) => Promise<Received<PageOf<N>>>;

/** A page as it was fetched. */
interface FetchedPage<P> {
  readonly envelope: Pick<PageOf<ListName>, 'totalCount' | 'pageInfo'>;
  readonly count: number;
  /** The number of records as sent, with those that are unreadable. */
  readonly sentCount: number;
  /** The ids that distinguish it from other pages. */
  readonly outerIds: readonly unknown[];
  /** The page with at most `limit` of its records. */
  readonly upTo: (limit: number) => P;
}

function decodedPage<N extends ListName>({
  value,
  sent,
  unreadable = 0,
  serviceMs,
}: Received<PageOf<N>>): FetchedPage<Page<RecordOf<N>>> {
  // The schema of the reply has shown that these are objects.
  const { data } = sent as JsonObject & { readonly data: readonly JsonObject[] };
  const { totalCount } = value;
  return {
    envelope: value,
    count: data.length,
    sentCount: data.length + unreadable,
    outerIds: [data[0]?.['id'], data.at(-1)?.['id']],
    upTo: (limit) => ({
      records: value.data.slice(0, limit),
      sent: data.slice(0, limit),
      ...(unreadable > 0 ? { unreadable } : {}),
      totalCount,
      serviceMs,
    }),
  };
}

function linePage(
  { value, serviceMs }: Received<PageOf<ListName>>,
  lines: RecordLines,
): FetchedPage<LinePage> {
  const { totalCount } = value;
  return {
    envelope: value,
    count: lines.count,
    sentCount: lines.count,
    outerIds: [lines.valueAt(0, 'id'), lines.valueAt(-1, 'id')],
    upTo: (limit) => ({ lines: lines.only((index) => index < limit), totalCount, serviceMs }),
  };
}

async function* pagesOf<N extends ListName, P>(
  name: N,
  query: ListQuery<N>,
  { first = firstMaximum, limit = Number.POSITIVE_INFINITY, signal, recordsExpected }: PageBounds,
  ask: (input: CallInput<Operations[ListName]>, signal: AbortSignal) => Promise<FetchedPage<P>>,
): AsyncGenerator<P> {
  if (!Number.isInteger(first) || first < 1 || first > firstMaximum) {
    throw new Failure('usage', `first must be an integer from 1 to ${firstMaximum}, not ${first}`);
  }
  const abandoned = new AbortController();
  const eitherSignal = signal === undefined ? abandoned.signal : AbortSignal.any([signal, abandoned.signal]);
  const fetchPage = (after: string | undefined, size: number) => {
    const input = { query: { ...query, first: size, ...(after === undefined ? {} : { after }) } };
    return ask(input as CallInput<Operations[ListName]>, eitherSignal);
  };

  const checkPage = createPageCheck(name, query.after);
  let left = limit;
  let given = 0;
  let next: Promise<FetchedPage<P>> | undefined;
  try {
    next = left > 0 ? fetchPage(query.after, Math.min(first, left)) : undefined;
    while (next !== undefined) {
      const page: FetchedPage<P> = await next;
      next = undefined;
      const wanted = left;
      left -= Math.min(page.count, left);
      given += page.count;
      const areMissing = query.after === undefined && (page.envelope.totalCount ?? 0) > given;
      const cursor = left > 0 ? cursorAfter(name, page, areMissing) : undefined;
      if (left > 0 && isCutOff(page, first) && given !== recordsExpected) throw cutOffList(name);
      checkPage(page, cursor);
      if (cursor !== undefined) {
        next = fetchPage(cursor, Math.min(first, left));
        // Awaited on the next turn; a failure before that must not be reported as unhandled.
        next.catch(() => undefined);
      }
      yield page.upTo(wanted);
    }
  } finally {
    abandoned.abort();
  }
}

/**
 * The cursor of the next page; undefined after the last one. A service that omits whether there is more (it
 * may omit any field) is asked until a page is empty. `areMissing` says whether its total promises more.
 */
function cursorAfter(
  name: string,
  { envelope: { pageInfo }, count }: FetchedPage<unknown>,
  areMissing: boolean,
): string | undefined {
  const cursor = pageInfo?.endCursor || undefined;
  const isMore = pageInfo?.hasNextPage ?? (count > 0 && (cursor !== undefined || areMissing));
  if (!isMore) return undefined;
  if (cursor === undefined) {
    throw endlessList(name, 'the service has more records, but gave no endCursor to ask for them');
  }
  return cursor;
}

/** Whether a full page is all that is known of the list: it may be the first of many, and nothing leads to the next. */
function isCutOff(
  { envelope: { totalCount, pageInfo }, sentCount }: FetchedPage<unknown>,
  first: number,
): boolean {
  const isEndShown = totalCount != null || pageInfo?.hasNextPage != null || Boolean(pageInfo?.endCursor);
  return !isEndShown && sentCount >= first;
}

function cutOffList(name: string): Failure {
  return endlessList(name, 'the service gave a full page, and neither pageInfo nor totalCount');
}
