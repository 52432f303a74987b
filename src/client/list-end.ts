import { Failure } from '../base/failure.ts';

/** The facts of a page that show whether its list will end. */
interface CheckedPage {
  readonly envelope: { readonly totalCount?: number | null | undefined };
  readonly count: number;
  /** The ids that distinguish it from other pages. */
  readonly outerIds: readonly unknown[];
}

/** The maximum number of consecutive empty pages that promise more. */
const emptyPagesMaximum = 3;

/**
 * The number of records that a list may have beyond twice its total. A total may be outdated, and records are created
 * while the list is read; no shop creates this many in that time.
 */
const newRecordsMaximum = 10_000;

/** The maximum number of pages of a list without a total. */
const pagesMaximum = 1_000_000;

/**
 * Checks each page of a list, and the cursor of the next one if the page promises more. `after` is the cursor at which
 * the list begins. The first total limits the number of records. It also limits the number of pages, since empty pages
 * are rare, and every new page has at least one record.
 * @throws Failure('inconsistent-list') if pages promise more after any of these: a repeated cursor or page, a cursor
 *   that fits in no request, three consecutive empty pages, or more records or pages than these limits.
 */
export function createPageCheck(
  name: string,
  after: string | undefined,
): (page: CheckedPage, cursor: string | undefined) => void {
  const cursors = new Set([after]);
  const pages = new Set<string>();
  let empty = 0;
  let length: ReturnType<typeof countLength> | undefined;
  const findingOn = ({ envelope: { totalCount }, count, outerIds }: CheckedPage, cursor?: string) => {
    if (cursor !== undefined && cursors.has(cursor)) return 'the service gave the same endCursor twice';
    if (cursor?.isWellFormed() === false)
      return 'the service gave an endCursor that cannot be sent back to it';
    cursors.add(cursor);
    empty = count === 0 ? empty + 1 : 0;
    if (cursor !== undefined && empty === emptyPagesMaximum)
      return `the service gave ${emptyPagesMaximum} empty pages that promise more`;
    const ends = JSON.stringify([count, ...outerIds]);
    if (count > 0 && pages.has(ends))
      return 'the service gave the same page twice, as if it ignored the parameter after';
    pages.add(ends);
    length ??= countLength(totalCount, recordsMaximum(totalCount));
    const tooLong = length(count);
    return cursor === undefined || tooLong === undefined ? undefined : `${tooLong}, and promises more`;
  };
  return (page, cursor) => {
    const finding = findingOn(page, cursor);
    if (finding !== undefined) throw endlessList(name, finding);
  };
}

function recordsMaximum(total: number | null | undefined): number {
  return total == null ? Number.POSITIVE_INFINITY : 2 * Math.max(0, total) + newRecordsMaximum;
}

/** Counts the records and pages of a list. The returned function adds a page and describes an excess, if any. */
function countLength(total: number | null | undefined, most: number): (count: number) => string | undefined {
  let records = 0;
  let pages = 0;
  return (count) => {
    records += count;
    pages += 1;
    if (records <= most && pages < Math.min(most, pagesMaximum)) return undefined;
    const of = total == null ? 'without a totalCount' : `with a totalCount of ${total}`;
    return `the service gave ${records} records on ${pages} pages of a list ${of}`;
  };
}

/**
 * Counts the records of a list that is read in windows, over all windows; each window is also checked as a list of its
 * own. Neighbours share records, so all windows may have twice as many as the list.
 * @throws Failure('inconsistent-list') beyond that.
 */
export function createWindowsCheck(name: string, total: number | null | undefined): (count: number) => void {
  const length = countLength(total, 2 * recordsMaximum(total));
  return (count) => {
    const finding = length(count);
    if (finding !== undefined) throw endlessList(name, `${finding}, in time windows`);
  };
}

export function endlessList(name: string, what: string): Failure {
  return new Failure(
    'inconsistent-list',
    `${name}: ${what}, so the list cannot be read to its end`,
    'the records before this page are complete; run the same command again; ' +
      'if this persists, report it to the operator of the service',
    { operation: name },
  );
}
