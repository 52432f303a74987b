import type { CappedBudgets } from './capped-budgets.ts';
import type { Facts, Step } from './ledger.ts';
import { type Change, checkChange } from './ledger-invariants.ts';
import { storable } from './ledger-rows.ts';

/** What a step is asked for. */
export interface ChangeRequest<Kept> {
  readonly rewardId: string;
  readonly step: Step<Kept>;
  readonly scopes: readonly string[];
}

/**
 * Decides by a step, within the transaction that writes it. What it returns may be written as it is.
 * @throws Error where the step decides what must never happen, or asks for a budget that was not named.
 */
export function decideChange<Kept>(
  { rewardId, step, scopes }: ChangeRequest<Kept>,
  facts: Omit<Facts, 'budget'>,
  findBudgets: () => Pick<CappedBudgets, 'find'>,
): Change | Extract<ReturnType<Step<Kept>>, { readonly kind: 'no-change' }> {
  const decision = step({ ...facts, budget: askedFor(scopes, (scope) => findBudgets().find(scope)) });
  if (decision.kind === 'no-change') return decision;
  const change = storableChange(decision);
  checkChange(change, { rewardId, before: facts.entry, frozen: facts.frozen, scopes });
  return change;
}

/**
 * Texts from outside may hold characters that a database cuts off; people read them, so they need not come back
 * exactly.
 */
function storableChange(change: Change): Change {
  const { entry } = change;
  const seen = { ...entry.seen, status: storable(entry.seen.status) };
  return {
    ...change,
    entry: { ...entry, seen, ref: storable(entry.ref), reason: storable(entry.reason) },
  };
}

/** A budget that was not named is a mistake: a ledger must read those it may need beforehand. */
function askedFor(scopes: readonly string[], find: Facts['budget']): Facts['budget'] {
  return (scope) => {
    if (!scopes.includes(scope)) throw new Error(`the budget ${scope} was not asked for`);
    return find(scope);
  };
}
