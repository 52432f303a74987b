import { kebabCase } from '../../../base/name-case.ts';
import { ReviewTally } from '../../../output/reports/review-tally.ts';
import { reviewsPage } from '../../../output/reports/reviews-page.ts';
import { defaultFlag, integerValue } from '../../flags/flags.ts';
import { pushFlags } from '../../flags/sending-flags.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { useService } from '../../runtime/session.ts';
import { readingFlags } from '../../templates/list/list-command.ts';
import { checkOut, footer, reportFlags, writePage } from '../../templates/report/report-page.ts';
import { readReviews, reviewFilterFlags } from '../reviews/read-reviews.ts';

/** More would make the page too large for a mail. */
const productsMaximum = 1000;

const flags = {
  limit: defaultFlag(
    integerValue(1, productsMaximum),
    100,
    'N',
    'products to list, worst first (default 100)',
  ),
  pageSize: readingFlags.pageSize,
  progress: pushFlags.progress,
  ...reportFlags,
  ...connectionFlags,
};

export const command = defineCommand({
  flags: { ...reviewFilterFlags, ...flags },
  examples: [
    'reviewctl report reviews --created-at-start 365d',
    'reviewctl report reviews --product-origin-ids A-1,A-2 --out two-products.html',
  ],
  exitCodes: [4, 5, 6],
  run: async (invocation: Invocation<typeof flags>) => {
    checkOut(invocation);
    const session = await useService(invocation);
    const { context, flags: given } = invocation;
    const tally = new ReviewTally({ ...given, top: given.limit });
    const { exitCode } = await readReviews(invocation, session, (review) => tally.add(review));
    // A page about some of the reviews would look like one about all.
    context.stopping.throwIfAborted();
    const page = reviewsPage({ tally, filters: filtersInWords(invocation), footer: footer(invocation) });
    await writePage(invocation, page, 'reviews.html');
    return exitCode;
  },
});

/** Filters whose values may be personal data. */
const personalFilter = /^(?:order|text$)/;

/** The filters of the call, as flags. */
function filtersInWords({ flags: given }: Invocation<typeof flags>): string {
  const values = new Map<string, unknown>(Object.entries(given));
  return Object.keys(reviewFilterFlags)
    .filter((name) => values.get(name) !== undefined)
    .map((name) => {
      const isShown = given.withIds || !personalFilter.test(name);
      return `--${kebabCase(name)} ${isShown ? written(values.get(name)) : '…'}`;
    })
    .join(' ');
}

/** The value of a filter, as typed. */
function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(written).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
