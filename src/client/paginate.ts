import type * as z from 'zod';
import { Failure } from '../base/failure.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { firstMaximum } from '../contract/limits.ts';
import type { OperationName, Operations } from '../contract/operations.ts';
import type { Api, CallInput, Received } from './caller.ts';
import { createPageCheck, endlessList } from './list-end.ts';
import type { RecordLines, SoughtPath } from './page-lines.ts';
import { ServiceFailure } from './service-failure.ts';

/** The list operations of the document (API 4). */
export type ListName = Extract<OperationName, `list${string}`>;

/** The filters and order of a list. */
export type ListQuery<N extends ListName> = Partial<z.output<Operations[N]['query']>>;
type PageOf<N extends ListName> = z.output<Operations[N]['reply']>;
/** A page without its records. */
type Envelope = Pick<PageOf<ListName>, 'totalCount' | 'pageInfo'>;
type RecordOf<N extends ListName> = PageOf<N>['data'][number];

/** One page: each record as decoded by the contract, and at the same index of `sent` as the service wrote it. */
export interface Page<T> {
  readonly records: readonly T[];
  readonly sent: readonly JsonObject[];
  /** The number of records omitted because they are unreadable; undefined if there are none. */
  readonly unreadable?: number | undefined;
  /** The number of all matching records, if the service reports it. */
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

/** The part of a list to read: at most `limit` records, `first` per page. By default all records, in pages of 100. */
export interface PageBounds {
  readonly first?: number;
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** The expected number of records, after which the list may end without saying so. */
  readonly recordsExpected?: number;
}

/**
 * Reads a list page by page, and fetches the next page while the current one is consumed. Leaving the loop early aborts
 * the request under way. The pages yielded before an error are complete.
 * @throws Failure('usage') if `first` is not within 1 to 100.
 * @throws ServiceFailure as every call.
 * @throws Failure('inconsistent-list') for an endless list (`createPageCheck`), for one that promises more records
 *   without a cursor or refuses its own, and for one with a full page but neither a total nor an indication of more
 *   pages.
 */
export function paginate<N extends ListName>(
  api: Api,
  name: N,
  query: ListQuery<N>,
  bounds: PageBounds = {},
): AsyncGenerator<Page<RecordOf<N>>> {
  const ask: Ask = (input, signal) => api.call<ListName>(name, input, signal);
  // The operation's own schema decoded the records, and this call returns no lines.
  return pagesOf(name, query, bounds, ask) as AsyncGenerator<Page<RecordOf<N>>>;
}

/**
 * Reads a list like `paginate`, for a caller that prints the records unchanged. A page consists of lines if they equal
 * its decoded and printed records.
 */
export function paginateLines<N extends ListName>(
  api: Api,
  name: N,
  query: ListQuery<N>,
  bounds: PageBounds,
): AsyncGenerator<Page<RecordOf<N>> | LinePage> {
  const ask: Ask = (input, signal) => api.callForLines<ListName>(name, input, signal);
  return pagesOf(name, query, bounds, ask) as AsyncGenerator<Page<RecordOf<N>> | LinePage>;
}

type Ask = (
  input: CallInput<Operations[ListName]>,
  signal: AbortSignal,
) => Promise<Received<PageOf<ListName>>>;

function pageOf({
  value: { data: records, totalCount },
  sent,
  lines,
  unreadable,
  serviceMs,
}: Received<PageOf<ListName>>): ListPage {
  if (lines !== undefined) return { lines, totalCount, serviceMs };
  // The schema of the reply has ensured that these are objects.
  const { data } = sent as JsonObject & { readonly data: readonly JsonObject[] };
  return { records, sent: data, unreadable, totalCount, serviceMs };
}

/** The number of readable records of a page. */
export function countOf(page: ListPage): number {
  return 'lines' in page ? page.lines.count : page.sent.length;
}

/** A member of a record as it was sent, by index; -1 is the last record. Undefined if there is none. */
export function valueAt(page: ListPage, index: number, path: SoughtPath): unknown {
  if ('lines' in page) return page.lines.valueAt(index, path);
  const valueIn = (value: unknown, name: string) => (isJsonObject(value) ? value[name] : undefined);
  return path.split('.').reduce<unknown>(valueIn, page.sent.at(index));
}

/** A page with only the wanted records, by index. */
export function onlyWanted(page: ListPage, isWanted: (index: number) => boolean): ListPage {
  if ('lines' in page) return { ...page, lines: page.lines.only(isWanted) };
  const only = <T>(all: readonly T[]) => all.filter((_, index) => isWanted(index));
  return { ...page, records: only(page.records), sent: only(page.sent) };
}

async function* pagesOf<N extends ListName>(
  name: N,
  query: ListQuery<N>,
  { first = firstMaximum, limit = Number.POSITIVE_INFINITY, signal, recordsExpected }: PageBounds,
  ask: Ask,
): AsyncGenerator<ListPage> {
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
  let next: ReturnType<Ask> | undefined;
  try {
    next = left > 0 ? fetchPage(query.after, Math.min(first, left)) : undefined;
    while (next !== undefined) {
      const received: Received<PageOf<ListName>> = await next;
      next = undefined;
      const { value: envelope, unreadable = 0 } = received;
      const page = pageOf(received);
      const count = countOf(page);
      const wanted = left;
      left -= Math.min(count, left);
      given += count;
      const areMissing = query.after === undefined && (envelope.totalCount ?? 0) > given;
      const cursor = left > 0 ? cursorAfter(name, envelope, count, areMissing) : undefined;
      const isFull = count + unreadable >= first;
      if (left > 0 && isFull && !isEndShown(envelope) && given !== recordsExpected) throw cutOffList(name);
      checkPage({ envelope, count, outerIds: [valueAt(page, 0, 'id'), valueAt(page, -1, 'id')] }, cursor);
      if (cursor !== undefined) {
        next = fetchPage(cursor, Math.min(first, left)).catch((error: unknown) => rejectPage(name, error));
        // Awaited in the next turn; a failure before that must not be reported as unhandled.
        next.catch(() => undefined);
      }
      yield onlyWanted(page, (index) => index < wanted);
    }
  } finally {
    abandoned.abort();
  }
}

/** A refusal concerns the cursor, because the service accepted all other parameters for the page before. */
function rejectPage(name: string, error: unknown): never {
  if (!(error instanceof ServiceFailure) || error.kind !== 'usage') throw error;
  throw endlessList(name, `the service refused its own endCursor (${error.reason})`);
}

/**
 * The cursor of the next page; undefined after the last one. If the service omits whether there is more (it may omit
 * any field), reading continues until a page is empty. `areMissing` is true if the total promises more.
 */
function cursorAfter(
  name: string,
  { pageInfo }: Envelope,
  count: number,
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

/** True if a page shows where its list ends. Without that, a full page may be the first of many. */
function isEndShown({ totalCount, pageInfo }: Envelope): boolean {
  return totalCount != null || pageInfo?.hasNextPage != null || Boolean(pageInfo?.endCursor);
}

function cutOffList(name: string): Failure {
  return endlessList(name, 'the service gave a full page, and neither pageInfo nor totalCount');
}
