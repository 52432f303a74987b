import type { Tally } from '../../../push/steps/outcome.ts';
import { type CountOrShare, isMoreThan } from '../../flags/count-or-share.ts';

/** A share of errors is checked from this number of records on: the first ones of a good push may fail. */
const judgedFrom = 100;

/** The number of records that came to an outcome. */
export function outcomeCount(tally: Readonly<Record<string, number>>): number {
  return Object.values(tally).reduce((sum, count) => sum + count, 0);
}

/** The records of a tally that were rejected, failed or became unknown. */
export function errorsOf({ rejected, failed, unknown }: Tally): number {
  return rejected + failed + unknown;
}

/** Whether more went wrong than the budget allows. */
export function isOverspent(budget: CountOrShare | undefined, tally: Tally): boolean {
  if (budget === undefined) return false;
  const done = outcomeCount(tally);
  const isJudged = budget.kind === 'count' || done >= judgedFrom;
  return isJudged && isMoreThan(budget, errorsOf(tally), done);
}
