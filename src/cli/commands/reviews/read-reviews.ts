import type { JsonObject } from '../../../base/json.ts';
import { readList } from '../../../client/read-list.ts';
import { operations } from '../../../contract/operations.ts';
import { grouped } from '../../../output/terminal/totals.ts';
import type { FlagSet } from '../../flags/flags.ts';
import { queryFlags, queryValues } from '../../flags/query-flags.ts';
import { progressFlags } from '../../flags/shared-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import type { Session } from '../../runtime/session.ts';
import { readingFlags } from '../../templates/list/list-command.ts';
import { withListProgress } from '../../templates/list/list-progress.ts';

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

/**
 * Passes every review that matches the filters to `add`; resolves to the total of the service. Warns if the service
 * listed another number.
 */
export async function readReviews(
  invocation: Invocation<typeof flags>,
  { api }: Session,
  add: (review: JsonObject) => void,
): Promise<number | null | undefined> {
  const { context, flags: given, notices } = invocation;
  const { pageSize: first, timeZone } = given;
  const values = queryValues(query, given, { nowMs: context.clock.now(), timeZone });
  const pages = readList(api, 'listReviews', values, { first, signal: context.stopping });
  let count = 0;
  let total: number | null | undefined;
  for await (const { sent, totalCount } of withListProgress(invocation, 'review records', {}, pages)) {
    for (const review of sent) add(review);
    count += sent.length;
    total = totalCount;
  }
  if (total !== undefined && total !== null && total !== count) {
    notices.warning(
      `the service counts ${grouped(total)} reviews and listed ${grouped(count)}: some were added or removed meanwhile`,
      'run it again, or limit the time with --created-at-end',
    );
  }
  return total;
}
