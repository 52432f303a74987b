import type { Tally } from '../../../push/steps/outcome.ts';
import { type CountOrShare, isMoreThan } from '../../flags/count-or-share.ts';

/** A share of errors is checked from this number of records on, because the first records of a good push may fail. */
const judgedFrom = 100;

/** Number of records with an outcome. */
export function outcomeCount(tally: Readonly<Record<string, number>>): number {
  return Object.values(tally).reduce((sum, count) => sum + count, 0);
}

/** Number of records that were rejected, failed or became unknown. */
export function errorsOf({ rejected, failed, unknown }: Tally): number {
  return rejected + failed + unknown;
}

/** True if there are more errors than the budget allows. */
export function isOverspent(budget: CountOrShare | undefined, tally: Tally): boolean {
  if (budget === undefined) return false;
  const done = outcomeCount(tally);
  const isJudged = budget.kind === 'count' || done >= judgedFrom;
  return isJudged && isMoreThan(budget, errorsOf(tally), done);
}
