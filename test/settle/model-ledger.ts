import type { Budget, Cap, LedgerEntry, Step } from '../../src/store/ledger/ledger.ts';
import {
  checkChange,
  freed,
  type Posting,
  postingOf,
  reserved,
  spent,
  untouched,
} from '../../src/store/ledger/ledger-invariants.ts';
import { breachOfChange, isOverCap, promises } from './model-promises.ts';
import { msOf, rewardAt, type Setting, type State, withReward } from './model-state.ts';

/** The result of a step: the next state, and the reason if the entry was kept. */
interface ModelStepped<Kept> {
  readonly state: State;
  readonly entry: LedgerEntry | undefined;
  readonly reason?: Kept;
  readonly breach?: string | undefined;
}

/**
 * Runs a step as a ledger does: read, decide and write at one instant. With `isLawful` false, the ledger's own guard is
 * off.
 */
export function changeLedger<Kept>(
  state: State,
  reward: number,
  step: Step<Kept>,
  { setting, isLawful }: { readonly setting: Setting; readonly isLawful: boolean },
): ModelStepped<Kept> {
  const { row, books } = rewardAt(state, reward);
  const before = row.entry;
  const frozen = state.world.isFrozen ? 'by a person' : undefined;
  const decision = step({
    entry: before,
    // Within a tick, time advances with each call, so that no two calls begin at the same instant.
    nowMs: msOf(state.world.tick) + (before?.attempt ?? 0),
    frozen,
    budget: (scope) => budgetIn(state.budgets, scope),
    // The model never sets a clock back.
    lastEventAtMs: () => undefined,
  });
  if (decision.kind === 'no-change') return { state, entry: before, reason: decision.reason };
  const { entry, event, reserve = [] } = decision;
  try {
    if (isLawful) {
      const scopes = reserve.map(({ scope }) => scope);
      checkChange(decision, { rewardId: entry.rewardId, before, frozen, scopes });
    }
  } catch (error) {
    return { state, entry: before, breach: `${promises.lawful}: ${String(error)}` };
  }
  const budgets = posted(state.budgets, before, {
    entry,
    posting: event && postingOf(event.kind, before, entry),
    reserve,
  });
  const isFull = budgets === undefined || budgets.some((budget) => isOverCap(budget, setting));
  const breach = breachOfChange(state, reward, entry) ?? (isFull ? promises.budget : undefined);
  // A later step may only read the evidence of the last call.
  const isClaim = before !== undefined && entry.attempt > before.attempt;
  const next = withReward(state, reward, {
    row: { entry: withoutWords(entry) },
    ...(isClaim && books.evidence !== null ? { books: { ...books, evidence: null } } : {}),
  });
  return { state: { ...next, budgets: budgets ?? state.budgets }, entry, breach };
}

/** Removes texts for people, so that they do not multiply states. */
function withoutWords(entry: LedgerEntry): LedgerEntry {
  return entry.reason === null && entry.ref === null ? entry : { ...entry, reason: null, ref: null };
}

function budgetIn(budgets: readonly Budget[], scope: string): Budget {
  return budgets.find((budget) => budget.scope === scope) ?? untouched(scope);
}

/** The budgets after a posting; undefined if it is impossible. */
function posted(
  budgets: readonly Budget[],
  before: LedgerEntry | undefined,
  {
    entry,
    posting,
    reserve,
  }: {
    readonly entry: LedgerEntry;
    readonly posting: Posting | null | undefined;
    readonly reserve: readonly Cap[];
  },
): readonly Budget[] | undefined {
  if (posting == null) return budgets;
  try {
    let next = budgets;
    if (posting === 'reserve') {
      const amount = entry.terms?.amount ?? 0n;
      for (const cap of reserve) next = put(next, reserved(budgetIn(next, cap.scope), amount, cap));
      return next;
    }
    const amount = before?.terms?.amount ?? 0n;
    const move = posting === 'spend' ? spent : freed;
    for (const scope of before?.scopes ?? []) next = put(next, move(budgetIn(next, scope), amount));
    return next;
  } catch {
    return undefined;
  }
}

function put(budgets: readonly Budget[], budget: Budget): readonly Budget[] {
  const others = budgets.filter(({ scope }) => scope !== budget.scope);
  return [...others, budget].sort((one, other) => (one.scope < other.scope ? -1 : 1));
}
