import * as z from 'zod';
import type { Tally } from '../../push/outcome.ts';

/** How many records may go wrong before a push stops: a number, or a share of those done. */
export type ErrorBudget =
  | { readonly kind: 'count'; readonly most: number }
  | { readonly kind: 'share'; readonly mostPercent: number };

/** A share is judged from so many records on: the first ones of a good push may be bad. */
const judgedFrom = 100;

/** `20` or `1.5%`. */
export const errorBudgetValue = z
  .union([z.string(), z.number().transform(String)])
  .pipe(z.string().regex(/^(\d+|\d+(\.\d+)?%)$/, 'expected a number of records, or a share such as 1%'))
  .transform(
    (text): ErrorBudget =>
      text.endsWith('%')
        ? { kind: 'share', mostPercent: Number(text.slice(0, -1)) }
        : { kind: 'count', most: Number(text) },
  );

/** The records of a tally that were rejected, failed or became unknown. */
export function errorsOf({ rejected, failed, unknown }: Tally): number {
  return rejected + failed + unknown;
}

/** Whether more went wrong than the budget allows. */
export function isOverspent(budget: ErrorBudget, tally: Tally): boolean {
  const errors = errorsOf(tally);
  if (budget.kind === 'count') return errors > budget.most;
  const done = Object.values(tally).reduce((sum, count) => sum + count, 0);
  return done >= judgedFrom && errors * 100 > budget.mostPercent * done;
}
