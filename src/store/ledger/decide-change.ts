import { isDeepStrictEqual } from 'node:util';
import type { CappedBudgets } from './capped-budgets.ts';
import type { Facts, LedgerEntry, Step } from './ledger.ts';
import { type Change, checkChange, summaryInWords, summaryOf } from './ledger-invariants.ts';
import { damagedLedger, type LastEvent, storable } from './ledger-rows.ts';

/** What a step is asked for. */
export interface ChangeRequest<Kept> {
  readonly rewardId: string;
  readonly step: Step<Kept>;
  readonly scopes: readonly string[];
}

/** What a transaction looks up only if a decision needs it. */
interface Lookups {
  readonly budgets: Pick<CappedBudgets, 'find'>;
  /** The last event of the reward; undefined if it has none. */
  lastEvent(): LastEvent | undefined;
}

/**
 * Decides by a step, within the transaction that writes it. What it returns may be written as it is.
 * @throws Error where the step decides what must never happen, or asks for a budget that was not named.
 * @throws Failure('ledger') where the entry is not as its last event left it, and the change does not lead to `paid`.
 */
export function decideChange<Kept>(
  { rewardId, step, scopes }: ChangeRequest<Kept>,
  facts: Omit<Facts, 'budget' | 'lastEventAtMs'>,
  lookups: Lookups,
): Change | Extract<ReturnType<Step<Kept>>, { readonly kind: 'no-change' }> {
  const decision = step({
    ...facts,
    budget: askedFor(scopes, (scope) => lookups.budgets.find(scope)),
    lastEventAtMs: () => lookups.lastEvent()?.atMs,
  });
  if (decision.kind === 'no-change') return decision;
  const change = storableChange(decision);
  checkChange(change, { rewardId, before: facts.entry, frozen: facts.frozen, scopes });
  // That something was paid is recorded in any case: nothing more is paid by it.
  const isRecorded = change.event === undefined || change.entry.payment === 'paid';
  if (!isRecorded) checkContinuity(rewardId, facts.entry, lookups.lastEvent());
  return change;
}

/**
 * A row that someone put back, or removed, would be paid once more. Every change is checked, and not only claims: the
 * event of another one would make an older row look like the newest.
 */
function checkContinuity(
  rewardId: string,
  entry: LedgerEntry | undefined,
  last: LastEvent | undefined,
): void {
  const held = entry && summaryOf(entry);
  if (isDeepStrictEqual(held, last?.summary)) return;
  if (last === undefined) throw damagedLedger(`reward ${rewardId} has no event`);
  const left = summaryInWords(last.summary);
  const found = held === undefined ? 'gone' : summaryInWords(held);
  const is = found === left ? 'it has another payment or other budgets' : `it is ${found}`;
  throw damagedLedger(`reward ${rewardId} is not as its last event left it (${left}): ${is}`);
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
