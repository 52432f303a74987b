import type { JsonObject } from '../../../base/json.ts';
import { readList } from '../../../client/read-list.ts';
import { operations } from '../../../contract/operations.ts';
import { createProgress } from '../../../output/terminal/progress.ts';
import { counted, grouped, listTotal } from '../../../output/terminal/totals.ts';
import type { View } from '../../../output/views/view.ts';
import { type FlagSet, integerValue, valueFlag } from '../../flags/flags.ts';
import { queryFlags, queryValues } from '../../flags/query-flags.ts';
import { pushFlags } from '../../flags/sending-flags.ts';
import { connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { type Session, withService } from '../../runtime/session.ts';
import { readingFlags } from '../../templates/list/list-command.ts';
import { writeList } from '../../templates/list/write-list.ts';
import { keysMaximum, ReviewTally } from './review-tally.ts';

const statisticView: View = {
  noun: 'line',
  id: 'key',
  csvColumns: ['group', 'key', 'name', 'count', 'share', 'ratingAverage'],
  columns: [
    { header: 'group', path: 'group', kind: 'word' },
    { header: 'name', path: 'name', kind: 'text', width: 20 },
    { header: 'reviews', path: 'count', kind: 'number' },
    { header: 'share', path: 'share', kind: 'share' },
    { header: 'rating', path: 'ratingAverage', kind: 'number', decimals: 2, isOptional: true },
    { header: '', path: 'share', kind: 'bar', width: 20, isOptional: true },
  ],
};

const { query } = operations.listReviews;
/** The order of reviews changes no number. */
const { sort: _sort, direction: _direction, ...filterFlags } = queryFlags(query);

const flags = {
  ...readingFlags,
  top: valueFlag(integerValue(0, keysMaximum.product).default(10), {
    value: 'N',
    help: 'number of products to list, by reviews; the others are summarized in one line (default 10)',
  }),
  progress: pushFlags.progress,
  ...outputFlags,
  ...connectionFlags,
};
type StatsInvocation = Invocation<typeof flags>;

export const reviewsStats = defineCommand({
  flags: { ...(filterFlags as FlagSet), ...flags },
  examples: [
    'reviewctl reviews stats --created-at-start 30d',
    'reviewctl reviews stats --product-origin-ids A-1,A-2',
    'reviewctl reviews stats --top 100 -o csv --excel > stats.csv',
    'reviewctl reviews stats -o ndjson | jq \'select(.group == "month")\'',
  ],
  exitCodes: [4, 5],
  run: (invocation: StatsInvocation) =>
    withService(invocation, async (session) => {
      const { flags: given, notices } = invocation;
      const tally = new ReviewTally(given);
      let total: number | null | undefined;
      async function* statistics(): AsyncGenerator<readonly JsonObject[]> {
        total = await countReviews(invocation, session, tally);
        yield [...tally.statistics()];
      }
      await writeList(invocation, statistics(), statisticView, {
        summary: () => `${listTotal(tally.count, total, 'review')}${otherProducts(tally)}`,
      });
      if (total !== undefined && total !== null && total !== tally.count) {
        notices.warning(
          `the service counts ${grouped(total)} reviews and listed ${grouped(tally.count)}: some were added or ` +
            'removed meanwhile',
          'run it again, or limit the time with --created-at-end',
        );
      }
      return 0;
    }),
});

/** Reads all reviews into the tally; resolves to how many the service says there are. */
async function countReviews(
  { context, flags: given }: StatsInvocation,
  { api }: Session,
  tally: ReviewTally,
): Promise<number | null | undefined> {
  const { first, timeZone, progress: mode } = given;
  const filters = queryValues(query, given, { nowMs: context.clock.now(), timeZone });
  const progress = createProgress(context.streams, mode, context.clock);
  let total: number | null | undefined;
  try {
    const bounds = { first, signal: context.stopping };
    for await (const { sent, totalCount } of readList(api, 'listReviews', filters, bounds)) {
      for (const review of sent) tally.add(review);
      total = totalCount;
      progress.update({ label: 'reading reviews', done: tally.count, total: total ?? undefined });
    }
  } finally {
    progress.done();
  }
  return total;
}

function otherProducts({ otherProducts: count }: ReviewTally): string {
  return count === 0
    ? ''
    : `; ${counted(count, 'more product')}; use --top to list ${count === 1 ? 'it' : 'them'}`;
}
