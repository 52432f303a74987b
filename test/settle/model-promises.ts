import { runScope } from '../../src/settle/rules/policy.ts';
import type { Budget, LedgerEntry } from '../../src/store/ledger/ledger.ts';
import {
  effectsOf,
  isDecided,
  msOf,
  ownerOf,
  type PlannedCall,
  type RewardState,
  rewardAt,
  type Setting,
  type State,
  type Word,
  type World,
} from './model-state.ts';

/** The promises that `settlement` keeps in every circumstance. */
export const promises = {
  effects: 'a reward is paid at most once',
  key: 'a key stands for one payment, and changes only after proof that nothing was paid',
  intent: 'every call has an earlier durable intent with its key and amount',
  success: 'SUCCESS told means paid, durably, and once',
  cancelled: 'CANCELLED told means not paid, ever',
  amount: 'what is paid is what the service showed, waiting, when it was decided on',
  budget: 'reserved and spent are what the rewards add up to, within the cap, and cover all that may be paid',
  run: 'a run calls the payer for nothing that its own budget does not hold',
  lawful: 'only legal transitions, each with its event',
  outstanding: 'one call of a reward is under way at a time',
  trouble: 'nothing is unknown but after a kill, a suspension or a lost answer',
  frozen: 'a frozen ledger begins no payment',
  settles: 'once faults stop, what may be paid is paid, and an honoured key leaves nothing unknown',
  told: 'once faults stop, what is decided is told or in conflict',
  repeats: 'copies of a webhook get the same answer and pay nothing more',
} as const;

export function breachIn(state: State): string | undefined {
  for (const reward of state.rewards) {
    const broken = breachInReward(reward, state.world);
    if (broken !== undefined) return broken;
  }
  return areBudgetsRight(state) ? undefined : promises.budget;
}

function breachInReward(
  { row: { entry }, books, shown }: RewardState,
  { restored, other }: World,
): string | undefined {
  const effects = effectsOf(books);
  if (effects > 1) return promises.effects;
  if (effects > 0 && (shown.isToldUnpaid || entry?.payment === 'refused')) return promises.cancelled;
  if (entry?.payment === 'paid' && effects === 0) return promises.success;
  if (entry?.payment === 'unknown' && !books.isTroubled) return promises.trouble;
  const mayBePaid = effects > 0 || books.calls.length > 0;
  // A restored ledger has lost the budget with the claim; of two ledgers, only one has it.
  return restored === 'never' &&
    other === null &&
    mayBePaid &&
    entry?.scopes.length === 0 &&
    !isDecided(entry)
    ? promises.budget
    : undefined;
}

function areBudgetsRight({ rewards, budgets }: State): boolean {
  return budgets.every((budget) => {
    const entries = rewards.flatMap(({ row: { entry } }) =>
      entry?.scopes.includes(budget.scope) ? [entry] : [],
    );
    const isSpent = ({ payment }: LedgerEntry) => payment === 'paid';
    const isReserved = ({ payment }: LedgerEntry) => payment === 'paying' || payment === 'unknown';
    return (
      sum(entries.filter(isSpent)) === budget.spentAmount &&
      sum(entries.filter(isReserved)) === budget.reservedAmount &&
      entries.filter(isSpent).length === budget.spentCount &&
      entries.filter(isReserved).length === budget.reservedCount
    );
  });
}

function sum(entries: readonly LedgerEntry[]): bigint {
  return entries.reduce((total, { terms }) => total + (terms?.amount ?? 0n), 0n);
}

/** Checks a change of the ledger in the state before it. */
export function breachOfChange(state: State, reward: number, after: LedgerEntry): string | undefined {
  const { row, books, shown } = rewardAt(state, reward);
  const before = row.entry;
  const isKeyKept = before === undefined || before.terms === null || after.terms?.key === before.terms.key;
  const mayBePaid = effectsOf(books) > 0 || books.calls.length > 0;
  if (!isKeyKept && (mayBePaid || after.keyGeneration === before.keyGeneration)) return promises.key;
  if (before !== undefined && after.attempt > before.attempt) {
    if (state.world.isFrozen) return promises.frozen;
    const amount = after.terms?.amount;
    const isShown = amount === shown.amount || amount === shown.before.amount;
    if (!isShown || ![shown.status, shown.before.status].includes('QUEUED')) return promises.amount;
  }
  return undefined;
}

/** Checks a budget after a change. */
export function isOverCap(
  { scope, reservedAmount, spentAmount }: Budget,
  { capPerDay, capPerRun }: Setting,
): boolean {
  const cap = scope.startsWith(runScope('')) ? capPerRun : capPerDay;
  return cap !== null && reservedAmount + spentAmount > cap;
}

/** Checks a call to the payer in the state in which it leaves. */
export function breachOfCall(
  state: State,
  { index, reward, call }: { readonly index: number; readonly reward: number; readonly call: PlannedCall },
  setting: Setting,
): string | undefined {
  const { row, books } = rewardAt(state, reward);
  const { terms, attempt } = row.entry ?? { terms: null, attempt: 0 };
  const isSameGen = terms?.key !== call.key || terms.amount === call.amount;
  if (attempt < call.attempt || !isSameGen) return promises.intent;
  const caller = state.processes[index];
  const isCounted = caller !== undefined && row.entry?.scopes.includes(runScope(ownerOf(caller)));
  if (setting.capPerRun !== null && !isCounted) return promises.run;
  if (setting.capabilities.idempotentForMs === null)
    return books.calls.length > 0 ? promises.outstanding : undefined;
  const isAwaited = books.calls.some((other) =>
    state.processes.some(
      ({ at }, waiting) =>
        waiting !== index &&
        at.kind === 'waiting' &&
        at.reward === reward &&
        at.attempt === other.attempt &&
        (setting.isOwnerKnown || isLeased(row.entry, other.attempt, state)),
    ),
  );
  return isAwaited ? promises.outstanding : undefined;
}

function isLeased(entry: LedgerEntry | undefined, attempt: number, { world }: State): boolean {
  return entry?.attempt === attempt && (entry.call?.leaseUntilMs ?? 0) >= msOf(world.tick);
}

/** Checks a word that reaches the service, by an update or as the answer to a webhook. */
export function breachOfWord(state: State, reward: number, word: Word): string | undefined {
  const { row, books } = rewardAt(state, reward);
  const effects = effectsOf(books);
  if (word === 'SUCCESS')
    return row.entry?.payment === 'paid' && effects === 1 ? undefined : promises.success;
  return row.entry?.payment === 'refused' && effects === 0 ? undefined : promises.cancelled;
}
