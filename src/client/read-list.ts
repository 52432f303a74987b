import { Failure } from '../base/failure.ts';
import { readFilters } from '../contract/array-filters.ts';
import type { Operations } from '../contract/operations.ts';
import { misreadArrays } from '../contract/reply-checks.ts';
import type { Api, CallInput } from './caller.ts';
import { unaskedRecord } from './look-up.ts';
import {
  type ListName,
  type ListPage,
  type ListQuery,
  type PageBounds,
  paginate,
  paginateLines,
} from './paginate.ts';
import { readWindows } from './read-windows.ts';
import type { WindowedName } from './timed-pages.ts';

/**
 * Reads a list like `paginate`, for a caller that prints it. A service that reads only one of several values sends a
 * reply that looks complete. So if a complete list shows none of the others, one of them is requested alone.
 * @throws Failure('contradictory-reply') for an unrequested record, and if records are missing; as `paginate`.
 */
export function readList<N extends ListName>(
  api: Api,
  name: N,
  query: ListQuery<N>,
  bounds: PageBounds,
): ReturnType<typeof paginate<N>> {
  return withShownValues(api, name, query, bounds, paginate(api, name, query, bounds));
}

interface PrintBounds extends PageBounds {
  /** Concurrent time windows to read the list in, if it has time filters. */
  readonly lanes: number | undefined;
  /** True if records may come as lines. */
  readonly takesLines: boolean;
}

/**
 * Reads a list like `readList`, for a caller that prints the records unchanged. A list filtered by several values is
 * decoded, to check them in its records.
 */
export function readListToPrint<N extends ListName>(
  api: Api,
  name: N,
  query: ListQuery<N>,
  { lanes, takesLines, ...bounds }: PrintBounds,
): AsyncGenerator<ListPage> {
  const read = takesLines && readFilters(name, query, []).length === 0 ? paginateLines : paginate;
  const pages =
    lanes === undefined
      ? read(api, name, query, bounds)
      : readWindows(read, api, name as WindowedName, query, { ...bounds, lanes });
  return withShownValues(api, name, query, bounds, pages);
}

/** The pages of a list. Checks the filter values that its records show. */
async function* withShownValues<P extends ListPage>(
  api: Api,
  name: ListName,
  query: Readonly<Record<string, unknown>>,
  bounds: PageBounds,
  pages: AsyncIterable<P>,
): AsyncGenerator<P> {
  const shown = new Map<string, Set<string>>();
  for await (const page of pages) {
    for (const reading of readFilters(name, query, 'records' in page ? page.records : [])) {
      const before = shown.get(reading.parameter) ?? new Set();
      shown.set(reading.parameter, new Set([...before, ...reading.shown]));
      if (reading.unrequested !== undefined)
        throw unaskedRecord(api, name, reading, 'the list ends before it');
    }
    yield page;
  }
  if (bounds.limit !== undefined || query['after'] !== undefined) return;
  for (const { parameter, asked } of readFilters(name, query, [])) {
    const values = shown.get(parameter) ?? new Set();
    if (asked.size > 1 && values.size < 2) await askForOne(api, name, query, parameter, values);
  }
}

/** The records of a list; empty if the service does not answer, since the list already read is complete and valid. */
async function recordsOf(
  api: Api,
  name: ListName,
  input: CallInput<Operations[ListName]>,
): Promise<readonly unknown[]> {
  try {
    return (await api.call<ListName>(name, input)).value.data;
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** Requests one missing value alone. */
async function askForOne(
  api: Api,
  name: ListName,
  query: Readonly<Record<string, unknown>>,
  parameter: string,
  shown: ReadonlySet<string>,
): Promise<void> {
  const values = query[parameter] as readonly unknown[];
  const value = values.find((one) => !shown.has(String(one)));
  const input = { query: { ...query, [parameter]: [value], first: 1 } };
  const data = await recordsOf(api, name, input as CallInput<Operations[ListName]>);
  const [reading] = readFilters(name, { [parameter]: [value] }, data);
  if (reading?.shown.size !== 1) return;
  const finding =
    `${name}: asked for several ${parameter}, the service sent no record of ${String(value)}, ` +
    'although it has some';
  throw new Failure('contradictory-reply', finding, misreadArrays(finding, api.assumptions).remedy);
}
