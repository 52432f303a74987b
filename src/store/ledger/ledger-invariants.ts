import { isDeepStrictEqual } from 'node:util';
import type { Money } from '../../base/money.ts';
import type {
  Budget,
  Cap,
  Decision,
  EventKind,
  LedgerEntry,
  PaymentState,
  ReportState,
  Terms,
} from './ledger.ts';

/*
 * The changes that a ledger accepts from any caller: pure functions, the same for every implementation. Settlement
 * decides what to do. These rules define only what must never happen, so that a bug in settlement cannot pay twice.
 */

/** The change that a step decided on. */
export type Change = Extract<Decision<never>, { readonly kind: 'change' }>;

/** The state of a reward after an event, as far as its history needs it. */
export interface Summary
  extends Pick<LedgerEntry, 'payment' | 'report' | 'attempt' | 'keyGeneration' | 'scopes'> {
  /** The payment that the key identifies; null before the first call under it. */
  readonly terms: Omit<Terms, 'document'> | null;
}

/** One event as a move from state to state. */
export interface Move {
  readonly kind: EventKind;
  readonly before: Summary | undefined;
  readonly after: Summary;
}

/**
 * The effect of an event on budgets, by the amount of its terms and a count of one. `reserve`: in the scopes new to the
 * entry. `spend`, `release`: in all scopes of the entry, the reservation is spent or freed.
 */
export type Posting = 'reserve' | 'spend' | 'release';

export function summaryOf({ payment, report, attempt, keyGeneration, terms, scopes }: LedgerEntry): Summary {
  const known = terms && { key: terms.key, amount: terms.amount, memberOriginId: terms.memberOriginId };
  return { payment, report, attempt, keyGeneration, terms: known, scopes };
}

/** Describes a state to a person. */
export function summaryInWords({ payment, report, attempt, keyGeneration }: Summary): string {
  return `${payment} and ${report}, attempt ${attempt}, key generation ${keyGeneration}`;
}

/** The effect of an event on a reward. */
interface Rule {
  /** The payment states it may start from; `none` is a reward unknown to the ledger. */
  readonly from: readonly (PaymentState | 'none')[];
  /** The payment state it leads to; undefined if it keeps the state. */
  readonly to?: PaymentState;
  readonly posting?: Posting;
}

const undecided = ['intended', 'paying', 'unknown'] as const;

const rules: Readonly<Record<EventKind, Rule>> = {
  seen: { from: ['none', ...undecided, 'paid', 'refused'] },
  claimed: { from: ['intended', 'unknown'], to: 'paying', posting: 'reserve' },
  unknown: { from: ['paying'], to: 'unknown' },
  // `none`: the reward was paid before the ledger knew it.
  paid: { from: ['none', ...undecided], to: 'paid', posting: 'spend' },
  refused: { from: undecided, to: 'refused', posting: 'release' },
  released: { from: undecided, to: 'intended', posting: 'release' },
  reported: { from: ['paid', 'refused'] },
  reversed: { from: ['paid'] },
};

/** For each report state, the states that `reported` may reach it from. Other events keep the report state. */
const reportsBefore: Readonly<Record<ReportState, readonly ReportState[]>> = {
  pending: [],
  sent: ['pending'],
  confirmed: ['pending', 'sent', 'conflict'],
  conflict: ['pending', 'sent'],
};

const neverSeen: Summary = {
  payment: 'intended',
  report: 'pending',
  attempt: 0,
  keyGeneration: 0,
  terms: null,
  scopes: [],
};

/** Describes why a transition is invalid; undefined if it is valid. */
export function invalidTransition({ kind, before: known, after }: Move): string | undefined {
  const before = known ?? neverSeen;
  const { from, to = before.payment } = rules[kind];
  if (!from.includes(known?.payment ?? 'none') || after.payment !== to)
    return `'${kind}' leads from ${known?.payment ?? 'none'} to ${after.payment}`;
  const isReported = reportsBefore[after.report].includes(before.report);
  if (kind === 'reported' ? !isReported : after.report !== before.report)
    return `'${kind}' leads the report from ${before.report} to ${after.report}`;
  if (after.attempt !== before.attempt + (kind === 'claimed' ? 1 : 0)) {
    return `'${kind}' leads from attempt ${before.attempt} to ${after.attempt}`;
  }
  return invalidTerms(kind, before, after) ?? invalidScopes(kind, before, after);
}

function invalidTerms(kind: EventKind, before: Summary, after: Summary): string | undefined {
  if (after.keyGeneration !== before.keyGeneration) {
    if (kind !== 'released' || after.keyGeneration !== before.keyGeneration + 1)
      return `'${kind}' leads from key generation ${before.keyGeneration} to ${after.keyGeneration}`;
    return after.terms === null ? undefined : 'a new key generation begins with terms';
  }
  if (kind === 'claimed') {
    if (after.terms === null) return 'it is claimed without terms';
    if (after.terms.amount <= 0n) return 'its amount is not above zero';
  }
  // A claim sets missing terms. They stay the same until the next key generation.
  if (isDeepStrictEqual(before.terms, after.terms) || (kind === 'claimed' && before.terms === null))
    return undefined;
  return before.terms === null ? `'${kind}' sets terms` : 'its terms change under the same key generation';
}

function invalidScopes(kind: EventKind, before: Summary, after: Summary): string | undefined {
  const { scopes } = after;
  switch (postingOf(kind, before, after)) {
    case 'release':
      return scopes.length === 0 ? undefined : 'released scopes are still named';
    case 'reserve':
      // Reservations are kept, and no scope holds an amount twice.
      if (!isDeepStrictEqual(scopes.slice(0, before.scopes.length), before.scopes))
        return 'reserved scopes are no longer named';
      return new Set(scopes).size === scopes.length ? undefined : 'a scope is named twice';
    default:
      return isDeepStrictEqual(before.scopes, scopes) ? undefined : `'${kind}' changes the scopes`;
  }
}

/**
 * The posting of an event, if any. A call reserves money when it begins, and its outcome spends or releases it. A
 * repeated call keeps its reservation and may reserve in further scopes.
 */
export function postingOf(
  kind: EventKind,
  before: Pick<Summary, 'payment' | 'scopes'> | undefined,
  after: Pick<Summary, 'scopes'>,
): Posting | null {
  const isRepeated = kind === 'claimed' && before?.payment === 'unknown';
  if (isRepeated && isDeepStrictEqual(before.scopes, after.scopes)) return null;
  return rules[kind].posting ?? null;
}

/** The facts by which a change is checked. */
interface Circumstances {
  readonly rewardId: string;
  readonly before: LedgerEntry | undefined;
  readonly frozen: string | undefined;
  /** Every budget the step may have read. */
  readonly scopes: readonly string[];
}

/** @throws Error if the change is invalid. That is a bug, and nothing is written. */
export function checkChange(change: Change, circumstances: Circumstances): void {
  const why = invalidChange(change, circumstances);
  if (why !== undefined) throw new Error(`invalid change of reward ${circumstances.rewardId}: ${why}`);
}

function invalidChange(change: Change, circumstances: Circumstances): string | undefined {
  const { entry, event, reserve = [] } = change;
  const { rewardId, before, frozen } = circumstances;
  if (entry.rewardId !== rewardId) return `its entry has the id ${entry.rewardId}`;
  if (event === undefined) {
    const isSeen = before !== undefined && reserve.length === 0 && isSeenAnew(before, entry);
    return isSeen ? invalidText(entry) : 'more than the observation changes without an event';
  }
  if (event.kind === 'claimed' && frozen !== undefined) return 'it is claimed while the ledger is frozen';
  return (
    invalidTransition({ kind: event.kind, before: before && summaryOf(before), after: summaryOf(entry) }) ??
    invalidEvidence(event, before) ??
    invalidReserve(event.kind, { entry, reserve }, circumstances) ??
    invalidEntry(event.kind, before, entry) ??
    invalidText(entry)
  );
}

/** True if only the observation changes. */
function isSeenAnew(before: LedgerEntry, entry: LedgerEntry): boolean {
  return isDeepStrictEqual({ ...before, seen: entry.seen }, entry);
}

/** An outcome for a reward without a call needs evidence from a person or a list. */
function invalidEvidence(
  { kind, detail }: NonNullable<Change['event']>,
  before: LedgerEntry | undefined,
): string | undefined {
  const isCalled = before?.payment === 'paying' || before?.payment === 'unknown';
  const isOutcome = kind === 'paid' || kind === 'refused' || kind === 'released';
  if (isCalled || !isOutcome || detail['evidence'] !== undefined) return undefined;
  return `'${kind}' of a reward without a call names no evidence`;
}

/** Only a claim reserves, and only in the scopes named by the caller. */
function invalidReserve(
  kind: EventKind,
  { entry, reserve }: Required<Pick<Change, 'entry' | 'reserve'>>,
  { before, scopes }: Circumstances,
): string | undefined {
  const joining = reserve.map(({ scope }) => scope);
  if (postingOf(kind, before, entry) !== 'reserve')
    return joining.length === 0 ? undefined : `'${kind}' reserves in ${joining.join()}`;
  if (!isDeepStrictEqual([...(before?.scopes ?? []), ...joining], entry.scopes))
    return 'the scopes reserved are not those that join the entry';
  const unnamed = joining.find((scope) => !scopes.includes(scope));
  return unnamed === undefined ? undefined : `it reserves in ${unnamed}, which the caller did not name`;
}

function invalidEntry(
  kind: EventKind,
  before: LedgerEntry | undefined,
  entry: LedgerEntry,
): string | undefined {
  const { payment, call, isInDoubt, terms } = entry;
  const isOfCall = payment === 'paying' || (payment === 'unknown' && call !== null);
  if ((call !== null) !== isOfCall) return `it is ${payment} ${call === null ? 'without' : 'with'} a call`;
  const isDoubtful = payment === 'unknown' || (payment === 'paying' && before?.isInDoubt === true);
  if (isInDoubt !== isDoubtful) return `it is ${payment} and ${isInDoubt ? '' : 'not '}in doubt`;
  const isCalled = payment === 'paying' || payment === 'unknown';
  if (isCalled && (entry.firstCallAtMs === null || entry.lastCallAtMs === null))
    return `it is ${payment} without a time of a call`;
  if (kind !== 'claimed' && entry.payer !== (before?.payer ?? null)) return `'${kind}' changes the payer`;
  if (entry.ref !== null && payment !== 'paid') return `it is ${payment} with a receipt`;
  if (before === undefined) return undefined;
  if (terms !== null && before.terms !== null && before.terms.document !== terms.document)
    return 'the document for the payer changes';
  if (kind !== 'seen')
    return isDeepStrictEqual(before.seen, entry.seen) ? undefined : `'${kind}' changes the observation`;
  return isSeenAnew(before, entry) ? undefined : "'seen' changes more than the observation";
}

/** Names must be read back unchanged: a database may cut them at a NUL or replace a lone surrogate. */
function invalidText({ rewardId, terms, seen, scopes, call }: LedgerEntry): string | undefined {
  const names = [rewardId, terms?.key, terms?.memberOriginId, seen.memberOriginId, call?.owner, ...scopes];
  const odd = names.find((name) => typeof name === 'string' && !isStorable(name));
  return odd === undefined ? undefined : `${JSON.stringify(odd)} cannot be stored as it is`;
}

/** True if every database stores `text` unchanged. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** A budget without any posting. */
export function untouched(scope: string): Budget {
  return { scope, reservedAmount: 0n, reservedCount: 0, spentAmount: 0n, spentCount: 0 };
}

/** The maximum of a 64-bit integer column. */
const budgetMaximum: Money = 2n ** 63n - 1n;

/** @throws Error if it exceeds the cap. The step should have checked that. */
export function reserved(budget: Budget, amount: Money, cap: Cap): Budget {
  const next = {
    ...budget,
    reservedAmount: budget.reservedAmount + amount,
    reservedCount: budget.reservedCount + 1,
  };
  const used = next.reservedAmount + next.spentAmount;
  const isWithin =
    used <= (cap.amount ?? budgetMaximum) &&
    (cap.count === null || next.reservedCount + next.spentCount <= cap.count);
  if (!isWithin) throw new Error(`invalid reservation: it breaks the cap of ${cap.scope}`);
  return next;
}

/** @throws Error if less than that is reserved. */
export function freed(budget: Budget, amount: Money): Budget {
  if (budget.reservedAmount < amount || budget.reservedCount < 1) {
    throw new Error(`invalid posting: ${budget.scope} has less reserved than the posting needs`);
  }
  return {
    ...budget,
    reservedAmount: budget.reservedAmount - amount,
    reservedCount: budget.reservedCount - 1,
  };
}

/** @throws Error if less than that is reserved. */
export function spent(budget: Budget, amount: Money): Budget {
  const next = freed(budget, amount);
  return { ...next, spentAmount: next.spentAmount + amount, spentCount: next.spentCount + 1 };
}
