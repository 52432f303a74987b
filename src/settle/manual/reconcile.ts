import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { SeenIds } from '../../base/id-set.ts';
import type { JsonObject } from '../../base/json.ts';
import { instantMs } from '../../base/korean-time.ts';
import { flatten } from '../../base/lists.ts';
import { formatMoney, type JsonMoney, jsonMoney, type Money } from '../../base/money.ts';
import { cellText, isSameCell } from '../../payer/read-results.ts';
import { type StatedPayment, type Statement, timesPaid } from '../../payer/read-statement.ts';
import type { Ledger, LedgerEntry, Observation, PaymentState } from '../../store/ledger/ledger.ts';
import type { LackingPayment } from '../../store/ledger/ledger-custody.ts';
import type { ObservedReward, RewardService } from '../flow/reward-service.ts';
import { isAcceptedAsShown } from '../flow/settlement.ts';
import { paymentKey } from '../rules/payment-key.ts';
import { isDecided } from '../rules/policy.ts';
import { areSameTerms } from '../rules/reward-terms.ts';

/** The ways in which ledger, service and payer differ. */
export const differenceKinds = {
  unknown: 'its outcome is unknown',
  'paid-twice': 'the payer reports more than one payment',
  'paid-by-payer': 'the payer reports it as paid, the ledger does not',
  'not-in-statement': 'the ledger has it as paid, the statement omits or reverses it',
  'not-in-ledger': 'the statement names a payment or a reversal that the ledger does not know',
  'amount-differs': 'the amounts differ',
  'member-differs': 'the service or the payer names another member',
  'success-unpaid': 'the service says SUCCESS, the ledger does not have it as paid',
  'success-not-in-ledger': 'the service says SUCCESS, but it is not in the ledger',
  'given-up': 'the service no longer waits, and it was not paid',
  'not-reported': 'decided, but the service still waits',
  'report-conflict': 'the service disagrees with the reported outcome',
  'not-at-service': 'the service does not show it',
} as const satisfies Record<string, string>;

export type DifferenceKind = keyof typeof differenceKinds;

export const differenceKindNames = Object.keys(differenceKinds) as [DifferenceKind, ...DifferenceKind[]];

/** One difference, and the command that continues. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Null for a payment that only the payer knows. */
  readonly rewardId: string | null;
  readonly payment: string | null;
  readonly report: string | null;
  /** The status at the service, if it was read. */
  readonly status: string | null;
  readonly ledgerAmount: JsonMoney | null;
  readonly otherAmount: JsonMoney | null;
  readonly key: string | null;
  /** The line of the statement. */
  readonly line: number | null;
  readonly message: string;
  readonly next: HintText;
}

export interface ReconcileOptions {
  /** The payer's statement. Without one, only ledger and service are compared. */
  readonly statement?: Statement | undefined;
  /** The period of the statement. A missing payment counts only if it was called for in this period. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** Called with each stated payment that the ledger does not have as paid, and that could be paid again. */
  readonly noteLacking?: (payment: LackingPayment) => void;
  /** Called with the number of ledger entries compared so far. */
  readonly onCompared?: (count: number) => void;
}

/** The parts of a ledger that a comparison reads. */
export type ComparedLedger = Pick<Ledger, 'identity' | 'find' | 'entries' | 'events' | 'reversals'>;

/**
 * Compares the ledger with all rewards of the service, and with the payer's statement. Changes nothing. Memory grows by
 * about 20 bytes per reward, and with the statement.
 * @throws ServiceFailure
 */
export async function* reconcile(
  ledger: ComparedLedger,
  service: Pick<RewardService, 'all'>,
  options: ReconcileOptions,
): AsyncGenerator<Difference> {
  const shown = new SeenIds();
  for await (const reward of flatten(service.all())) {
    shown.add(reward.rewardId, 0, 0);
    const entry = await ledger.find(reward.rewardId);
    if (entry === undefined) yield* notEntered(ledger, reward, options);
    else yield* unlessAccepted(ledger, entry, reward.seen, withService(entry, reward));
  }
  const reversed = await reversedRewards(ledger, options);
  let compared = 0;
  for await (const page of ledger.entries()) {
    compared += page.length;
    options.onCompared?.(compared);
    for (const entry of page) {
      if (shown.add(entry.rewardId, 0, 0) === undefined)
        yield* unlessAccepted(ledger, entry, undefined, [notAtService(entry)]);
      yield* withPayer(ledger, entry, { ...options, reversal: reversed.get(entry.rewardId) });
    }
  }
  for (const payment of options.statement?.unclaimed() ?? []) {
    const { name, line, payments } = payment;
    if (payments > 0) options.noteLacking?.({ name, line, rewardId: null });
    yield notInLedger(payment);
  }
}

/** The rewards recorded as reversed, with the name of the reversal. Only a statement is compared with them. */
async function reversedRewards(
  ledger: ComparedLedger,
  { statement }: ReconcileOptions,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  if (statement === undefined) return names;
  for await (const { rewardId, detail } of flatten(ledger.reversals()))
    names.set(rewardId, `ref ${cellText(detail['ref'])}`);
  return names;
}

/** Differences of a reward that is not in the ledger. A restored ledger lacks the newest ones. */
function* notEntered(
  ledger: ComparedLedger,
  { rewardId, seen }: ObservedReward,
  options: ReconcileOptions,
): Generator<Difference> {
  const { status, amount, document } = seen;
  const about = { ...blank, rewardId, status, otherAmount: jsonMoney(amount) };
  const stated = options.statement?.claim(namesOf(ledger, { rewardId, keyGeneration: 0, ref: null })) ?? [];
  const isEarlier = isBefore(document, ledger.identity.createdAtMs);
  const [first] = stated;
  // Payments and reports of others before this ledger existed do not concern it. A payment under its key is its own.
  const isOfOthers = isEarlier && status === 'SUCCESS' && !first?.name.startsWith('key ');
  if (first !== undefined && !isOfOthers) {
    const reward = { rewardId, payment: null, owed: amount, memberOriginId: seen.memberOriginId };
    yield* withStated(reward, stated, { ...about, line: first.line });
    options.noteLacking?.({ name: first.name, line: first.line, rewardId });
    return;
  }
  if (isEarlier) return;
  if (isGivenUp(seen)) yield givenUp(about);
  if (status !== 'SUCCESS') return;
  const message = 'SUCCESS was reported to the service without this ledger';
  yield differ(about, 'success-not-in-ledger', message, { next: reviewctl`rewards get ${rewardId}` });
}

/** Differences from the service, unless a person accepted them and the service has not changed since. */
async function* unlessAccepted(
  ledger: ComparedLedger,
  entry: LedgerEntry,
  shown: Observation | undefined,
  differences: Iterable<Difference>,
): AsyncGenerator<Difference> {
  const found = [...differences];
  // The status alone may have changed, by the very report that it contradicts; no run has seen the new status.
  const isUnchanged =
    shown === undefined ||
    (areSameTerms(shown, entry.seen) && (shown.status !== 'QUEUED' || entry.seen.status === 'QUEUED'));
  if (found.length > 0 && isUnchanged && (await isAcceptedAsShown(ledger, entry))) return;
  yield* found;
}

/** Differences between the service and the ledger. */
function* withService(entry: LedgerEntry, { seen }: ObservedReward): Generator<Difference> {
  const { status } = seen;
  const { payment, terms } = entry;
  const about = { ...aboutEntry(entry), status };
  if (payment === 'paid' && terms !== null && seen.amount !== terms.amount) {
    const otherAmount = jsonMoney(seen.amount);
    const message = `${formatMoney(terms.amount)} were paid, the service now says ${otherAmount ?? 'no exact amount'}`;
    yield differ(about, 'amount-differs', message, { otherAmount });
  }
  if (isDecided(entry) && terms !== null && seen.memberOriginId !== terms.memberOriginId) {
    const member = seen.memberOriginId ?? 'none';
    const message = `it is ${payment} for member ${terms.memberOriginId}, the service now names ${member}`;
    yield differ(about, 'member-differs', message);
  }
  if (payment === 'intended' && isGivenUp(seen)) yield givenUp(about);
  yield* byStatus(entry, status, about);
}

/**
 * True for a reward that is due to a member, but that no settlement will see QUEUED again: a webhook call failed or was
 * missed.
 */
function isGivenUp({ status, memberOriginId, amount }: Observation): boolean {
  return status === 'FAILURE' && memberOriginId !== null && amount !== null && amount > 0n;
}

function givenUp(about: About): Difference {
  return differ(about, 'given-up', 'the service says FAILURE, and it was not paid', {
    next: hint`ask its operator to queue it again, then: ${reviewctl`rewards settle`}`,
  });
}

function* byStatus(entry: LedgerEntry, status: string, about: About): Generator<Difference> {
  const { rewardId, payment } = entry;
  if (status === 'SUCCESS' && payment !== 'paid') {
    const message = `the service says SUCCESS, the ledger ${payment}`;
    const next = reviewctl`ledger resolve ${rewardId} --paid --ref …`;
    yield differ(about, 'success-unpaid', message, payment === 'refused' ? {} : { next });
  } else if (isDecided(entry) && status === 'QUEUED') {
    const message = `it is ${payment}, and the service still waits`;
    yield differ(about, 'not-reported', message, { next: reviewctl`rewards settle` });
  } else if (payment === 'paid' && status !== 'SUCCESS') {
    const message = `it is paid, the service says ${status || 'nothing about its status'}`;
    const next = reviewctl`rewards update ${rewardId} --status SUCCESS`;
    yield differ(about, 'report-conflict', message, { next });
  }
}

/** Differences between the payer and the ledger. */
function* withPayer(
  ledger: ComparedLedger,
  entry: LedgerEntry,
  { reversal, ...options }: ReconcileOptions & { readonly reversal: string | undefined },
): Generator<Difference> {
  const { statement, noteLacking } = options;
  const isReversed = reversal !== undefined;
  const about = aboutEntry(entry);
  const { rewardId, payment, reason } = entry;
  // A reversal usually has a receipt of its own.
  const names = [...new Set([...namesOf(ledger, entry), ...(isReversed ? [reversal] : [])])];
  const claimed = statement?.claim(names) ?? [];
  const isFinal = isDecided(entry);
  const stated = isFinal ? claimed.filter((payment) => timesPaid(payment) > 0) : claimed;
  if (payment === 'unknown' && stated.length === 0) {
    const message = reason ?? 'the outcome of a call is unknown';
    yield differ(about, 'unknown', message, { next: reviewctl`ledger list --payment unknown` });
  }
  if (statement === undefined) return;
  const { amount: owed, memberOriginId } = entry.terms ?? entry.seen;
  const remaining = isFinal ? remainingOf(statement.named(names), owed ?? 0n) : undefined;
  if (remaining !== undefined && (remaining <= 0n || isReversed || stated.length === 0)) {
    if (payment === 'paid') yield* takenBack(entry, remaining, isReversed, about);
    return;
  }
  const [first] = stated;
  if (first === undefined) {
    if (payment === 'paid' && !isReversed && isOfPeriod(entry, options)) {
      yield differ(about, 'not-in-statement', 'the statement does not name this payment');
    }
    return;
  }
  yield* withStated({ rewardId, payment, owed, memberOriginId }, stated, { ...about, line: first.line });
  if (!isFinal) noteLacking?.({ name: first.name, line: first.line, rewardId });
}

/**
 * The remaining amount of a payment that the statement reverses, in full or in part; undefined without a reversal. The
 * statement may show the payment itself too, or belong to a later period.
 */
function remainingOf(named: readonly StatedPayment[], owed: Money): Money | undefined {
  if (named.every(({ reversals }) => reversals === 0)) return undefined;
  const sum = named.reduce((total, { amount }) => total + amount, 0n);
  return named.some(({ payments }) => payments > 0) ? sum : owed + sum;
}

/** Differences of a payment that the statement reverses. A partial reversal is never booked. */
function* takenBack(
  { rewardId }: LedgerEntry,
  remaining: Money,
  isReversed: boolean,
  about: About,
): Generator<Difference> {
  if (remaining > 0n) {
    const otherAmount = jsonMoney(remaining);
    const ours = isReversed ? 'that it was taken back' : (about.ledgerAmount ?? 'no exact amount');
    const message = `the payer says ${otherAmount}, the ledger ${ours}`;
    yield differ(about, 'amount-differs', message, { otherAmount });
  } else if (!isReversed) {
    const next = reviewctl`ledger resolve ${rewardId} --reversed --ref …`;
    yield differ(about, 'not-in-statement', 'the statement reverses this payment', { next });
  }
}

/** True if a statement for this period would show the payment. */
function isOfPeriod({ lastCallAtMs }: LedgerEntry, { fromMs, untilMs }: ReconcileOptions): boolean {
  return lastCallAtMs !== null && lastCallAtMs >= fromMs && lastCallAtMs <= untilMs;
}

/** A reward named by a statement. `payment` is null if the reward is not in the ledger. */
interface StatedReward extends Pick<LedgerEntry, 'rewardId'> {
  readonly payment: PaymentState | null;
  readonly owed: Money | null;
  readonly memberOriginId: string | null;
}

function* withStated(
  { rewardId, payment, owed, memberOriginId }: StatedReward,
  stated: readonly StatedPayment[],
  about: About,
): Generator<Difference> {
  const times = stated.reduce((sum, payment) => sum + timesPaid(payment), 0);
  const amount = stated.reduce((sum, payment) => sum + payment.amount, 0n);
  const otherAmount = jsonMoney(amount);
  // A payer may split a payment into rows.
  const isPaidTwice = times > 1 && (owed === null || amount > owed);
  if (isPaidTwice) {
    const message = `paid ${times} times, ${otherAmount} in all: ${stated.map(({ name }) => name).join(', ')}`;
    yield differ(about, 'paid-twice', message, { otherAmount, next: 'ask the payer to reverse one' });
  }
  const member = memberOriginId ?? 'none';
  const other = stated.flatMap(({ members }) => members).find((name) => !isSameCell(name, member));
  if (other !== undefined) {
    // Never reported as paid by the payer: resolving from that list would record it as paid to the right member.
    const message = `the payer paid member ${other}, but the reward is for ${member}`;
    const next = payment === null ? { next: reviewctl`rewards get ${rewardId}` } : {};
    yield differ(about, 'member-differs', message, { otherAmount, ...next });
  } else if (payment !== 'paid') {
    const next =
      payment === 'refused'
        ? 'refused is final and already reported to the service: ask the payer to reverse the payment'
        : reviewctl`ledger resolve ${rewardId} --paid --ref …`;
    const ours = payment === null ? 'the ledger does not know it' : `the ledger says ${payment}`;
    const message = times > 0 ? ours : `${ours}, and the statement shows only that it was taken back`;
    yield differ(about, 'paid-by-payer', message, { otherAmount, next });
  }
  if (times > 0 && !isPaidTwice && owed !== amount) {
    const message = `the payer says ${otherAmount}, the ledger ${jsonMoney(owed) ?? 'no exact amount'}`;
    yield differ(about, 'amount-differs', message, { otherAmount });
  }
}

/** Keys beyond the last known one that a restored ledger may have used before it was lost. */
const laterKeys = 3;

/** Every possible name of a payment of this reward, in the order of keys. */
function namesOf(
  { identity }: Pick<Ledger, 'identity'>,
  { rewardId, keyGeneration, ref }: Pick<LedgerEntry, 'rewardId' | 'keyGeneration' | 'ref'>,
): readonly string[] {
  const keys = Array.from(
    { length: keyGeneration + 1 + laterKeys },
    (_, past) => `key ${paymentKey(identity, rewardId, past)}`,
  );
  return [...keys, `reward ${rewardId}`, ...(ref === null ? [] : [`ref ${ref}`])];
}

type About = Omit<Difference, 'kind' | 'message' | 'next'>;

const blank: About = {
  rewardId: null,
  payment: null,
  report: null,
  status: null,
  ledgerAmount: null,
  otherAmount: null,
  key: null,
  line: null,
};

function aboutEntry({ rewardId, payment, report, terms, seen }: LedgerEntry): About {
  const ledgerAmount = jsonMoney((terms ?? seen).amount);
  return { ...blank, rewardId, payment, report, ledgerAmount, key: terms?.key ?? null };
}

function notAtService(entry: LedgerEntry): Difference {
  const message = `it was ${entry.seen.status || 'without a status'} when it was last seen`;
  return differ(aboutEntry(entry), 'not-at-service', message);
}

function notInLedger({ line, name, amount, payments }: StatedPayment): Difference {
  const about = { ...blank, line, otherAmount: jsonMoney(amount) };
  if (payments === 0)
    return differ(about, 'not-in-ledger', `${name}, which takes back no payment known to this ledger`, {
      next: hint`find out what it takes back; if it is a whole payment of this ledger:
        ${reviewctl`ledger resolve ID --reversed --ref …`}`,
    });
  return differ(about, 'not-in-ledger', `${name}, which this ledger never paid`, {
    next: 'check whether it belongs to another shop or was paid by hand',
  });
}

/** Creates a difference. By default, the next command shows the reward. */
function differ(
  about: About,
  kind: DifferenceKind,
  message: string,
  more: Partial<Pick<Difference, 'otherAmount' | 'next'>> = {},
): Difference {
  return { ...about, kind, message, next: reviewctl`ledger show ${about.rewardId ?? ''}`, ...more };
}

/** True if a reward is older than the ledger. Earlier settlements do not concern it. */
function isBefore(document: string, createdAtMs: number): boolean {
  const { createdAt } = JSON.parse(document) as JsonObject;
  return typeof createdAt === 'string' && instantMs(createdAt) < createdAtMs;
}
