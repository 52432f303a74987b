import type { ExitCode } from '../../../base/failure.ts';
import type { JsonObject } from '../../../base/json.ts';
import { readList } from '../../../client/read-list.ts';
import { createTotalCheck } from '../../../client/total-check.ts';
import { operations } from '../../../contract/operations.ts';
import type { FlagSet } from '../../flags/flags.ts';
import { queryFlags, queryValues } from '../../flags/query-flags.ts';
import { progressFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import type { Session } from '../../runtime/session.ts';
import { readingFlags } from '../../templates/list/list-command.ts';
import { withListProgress } from '../../templates/list/list-progress.ts';
import { warnOfTotal } from '../../templates/list/total-warning.ts';

const { query } = operations.listReviews;
/** The order of reviews does not affect their counts. */
const { sort: _sort, direction: _direction, ...filters } = queryFlags(query);

/** The flags that filter the counted reviews. */
export const reviewFilterFlags: FlagSet = filters;

const flags = {
  pageSize: readingFlags.pageSize,
  timeZone: readingFlags.timeZone,
  progress: progressFlags.progress,
};

/** The reviews that were read: their total, as the service counts them, and 6 if it listed another number. */
export interface ReviewReading {
  readonly total: number | null | undefined;
  readonly exitCode: ExitCode;
}

/** Passes every review that matches the filters to `add`. Warns if the service listed another number than its total. */
export async function readReviews(
  invocation: Invocation<typeof flags>,
  { api }: Session,
  add: (review: JsonObject) => void,
): Promise<ReviewReading> {
  const { context, flags: given, notices } = invocation;
  const { pageSize: first, timeZone } = given;
  const values = queryValues(query, given, { nowMs: context.clock.now(), timeZone });
  const pages = readList(api, 'listReviews', values, { first, signal: context.stopping });
  const check = createTotalCheck();
  let total: number | null | undefined;
  for await (const page of withListProgress(invocation, 'review records', {}, pages)) {
    for (const review of page.sent) add(review);
    check.page(page);
    total = page.totalCount;
  }
  return { total, exitCode: warnOfTotal(check, notices) };
}
