import type { JsonObject } from '../../../base/json.ts';
import { keysMaximum, ReviewTally } from '../../../output/reports/review-tally.ts';
import { counted, listTotal } from '../../../output/terminal/totals.ts';
import { amount, number, share, text, type View, word } from '../../../output/views/view.ts';
import { defaultFlag, integerValue } from '../../flags/flags.ts';
import { connectionFlags, outputFlags, progressFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { printList } from '../../runtime/print.ts';
import { useService } from '../../runtime/session.ts';
import { readingFlags } from '../../templates/list/list-command.ts';
import { sinceFlag, withStart } from '../../templates/list/list-flags.ts';
import { type ReviewReading, readReviews, reviewFilterFlags } from './read-reviews.ts';

const statisticView: View = {
  noun: 'line',
  id: 'key',
  csvColumns: ['group', 'key', 'name', 'count', 'share', 'ratingAverage'],
  columns: [
    word('group'),
    text('name', 'name', { width: 20 }),
    amount('reviews', 'count'),
    share('share'),
    number('rating', 'ratingAverage', { decimals: 2, isOptional: true }),
  ],
};

const flags = {
  since: sinceFlag,
  ...readingFlags,
  limit: defaultFlag(
    integerValue(0, keysMaximum.product),
    10,
    'N',
    'products to list, by reviews (default 10)',
  ),
  ...outputFlags,
  ...connectionFlags,
  ...progressFlags,
};
type StatsInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  flags: { ...reviewFilterFlags, ...flags },
  examples: [
    'reviewctl reviews stats --created-at-start 30d',
    'reviewctl reviews stats --product-origin-ids A-1,A-2',
    'reviewctl reviews stats --limit 100 -o csv --excel > stats.csv',
    'reviewctl reviews stats -o ndjson | jq \'select(.group == "month")\'',
  ],
  exitCodes: [4, 5, 6],
  run: async (called: StatsInvocation) => {
    const invocation = { ...called, flags: withStart(called.flags) };
    const session = await useService(invocation);
    const tally = new ReviewTally({ ...invocation.flags, top: invocation.flags.limit });
    let reading: ReviewReading | undefined;
    async function* statistics(): AsyncGenerator<readonly JsonObject[]> {
      reading = await readReviews(invocation, session, (review) => tally.add(review));
      yield [...tally.statistics()];
    }
    await printList(
      invocation,
      statisticView,
      statistics(),
      () => `${listTotal(tally.count, reading?.total, 'review')}${otherProducts(tally)}`,
    );
    return reading?.exitCode ?? 0;
  },
});

function otherProducts({ otherProducts: count }: ReviewTally): string {
  return count === 0
    ? ''
    : `; ${counted(count, 'more product')}; use --limit to list ${count === 1 ? 'it' : 'them'}`;
}
