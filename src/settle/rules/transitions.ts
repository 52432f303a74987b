import type { JsonObject } from '../../base/json.ts';
import { formatMoney } from '../../base/money.ts';
import {
  isProgram,
  type LookupAnswer,
  type PayerAnswer,
  type PayerCapabilities,
  type RecoveredOutcome,
} from '../../payer/payer.ts';
import type {
  Budget,
  Call,
  Cap,
  Decision,
  EventKind,
  Facts,
  LedgerEntry,
  LedgerIdentity,
  Observation,
  Step,
  Terms,
} from '../../store/ledger/ledger.ts';
import type { Change } from '../../store/ledger/ledger-invariants.ts';
import { paymentKey } from './payment-key.ts';
import { driftOf } from './payment-plan.ts';
import type { PlannedPayment } from './plan-codec.ts';
import {
  haveTermsChanged,
  isDecided,
  type Policy,
  planScope,
  runScope,
  scopeInWords,
  type Verdict,
  verdictOn,
} from './policy.ts';
import { joinedObservation } from './reward-terms.ts';

/*
 * All changes of a reward, as functions without I/O. The ledger runs each in one transaction with its event; the model
 * in the tests runs the same functions. `payment`: intended -> paying -> paid | refused | unknown, and safe ways back;
 * `report`: pending -> sent -> confirmed | conflict.
 */

/** The reason why a step left an entry unchanged. */
export interface NoChangeReason<Kind extends string> {
  readonly kind: Kind;
  readonly message: string;
}

/** Records an observation of a reward; the first one adds it to the ledger. */
export function observe(rewardId: string, seen: Observation): Step<NoChangeReason<'older'>> {
  return ({ entry, nowMs }) => {
    if (entry === undefined) return change(firstEntry(rewardId, seen), 'seen', observationDetail(seen));
    // An observation dated in the future was made before the clock was set back; it would hide all later ones.
    const isKnownLater = seen.atMs < entry.seen.atMs && entry.seen.atMs <= nowMs;
    if (isKnownLater) return noChange('older', 'a later observation is known');
    const isSame = JSON.stringify(observationDetail(seen)) === JSON.stringify(observationDetail(entry.seen));
    const next = { ...entry, seen };
    return isSame ? { kind: 'change', entry: next } : change(next, 'seen', observationDetail(seen));
  };
}

/** Like `observe`, for a reward that an earlier page of the same list showed: the list may contradict itself. */
export function observeAgain(rewardId: string, seen: Observation): Step<NoChangeReason<'older'>> {
  return (facts) => {
    const { entry } = facts;
    return observe(rewardId, entry === undefined ? seen : joinedObservation(entry.seen, seen))(facts);
  };
}

/** The entry of a reward that was never observed before. */
export function firstEntry(rewardId: string, seen: Observation): LedgerEntry {
  return {
    rewardId,
    payment: 'intended',
    report: 'pending',
    seen,
    keyGeneration: 0,
    terms: null,
    payer: null,
    attempt: 0,
    firstCallAtMs: null,
    lastCallAtMs: null,
    isInDoubt: false,
    call: null,
    scopes: [],
    ref: null,
    reason: null,
  };
}

function observationDetail({ status, amount, memberOriginId }: Observation): JsonObject {
  return { status, amount: amount === null ? null : formatMoney(amount), memberOriginId };
}

export interface ClaimOptions {
  readonly identity: Pick<LedgerIdentity, 'origin' | 'shop'>;
  /** The run that claims. */
  readonly run: string;
  /** The run or batch that may act on the claim. */
  readonly owner: string;
  /** Null for a batch that a person pays. */
  readonly leaseMs: number | null;
  readonly policy: Policy;
  readonly capabilities: PayerCapabilities;
  /** The caps of every budget of the payment. */
  readonly caps: readonly Cap[];
  /** The plan of this run, if any, and its payment for this reward. */
  readonly plan?: { readonly id: string; readonly payment: PlannedPayment | undefined };
}

/** The reason why a reward was not claimed: the verdict on it, a frozen ledger, a different plan, or a full cap. */
export type ClaimRejection =
  | Exclude<Verdict, { readonly kind: 'pay' }>
  | NoChangeReason<'not-found'>
  | NoChangeReason<'frozen'>
  | NoChangeReason<'not-planned' | 'drifted'>
  | (NoChangeReason<'capped'> & { readonly scope: string });

/** Claims a reward for one call to the payer. From now on, its money may be moving. */
export function claim(options: ClaimOptions): Step<ClaimRejection> {
  return (facts) => {
    const { entry, nowMs, frozen } = facts;
    if (entry === undefined) return noChange('not-found', 'the ledger does not know this reward');
    if (frozen !== undefined) return noChange('frozen', `the ledger is frozen: ${frozen}`);
    const verdict = verdictOn(timed(facts, entry), { ...options, nowMs });
    if (verdict.kind !== 'pay') return { kind: 'no-change', reason: verdict };
    const difference = differenceFromPlan(entry, options);
    if (difference !== undefined) return difference;
    const terms = entry.terms ?? termsOf(entry, options.identity);
    const caps = capsDue(entry, options);
    const full = caps.find((cap) => !hasRoom(facts.budget(cap.scope), cap, terms));
    if (full !== undefined) return capped(entry, facts.budget(full.scope), { cap: full, terms });
    const claimed: LedgerEntry = {
      ...entry,
      payment: 'paying',
      terms,
      payer: options.capabilities.name,
      attempt: entry.attempt + 1,
      firstCallAtMs: entry.firstCallAtMs ?? nowMs,
      lastCallAtMs: entry.isInDoubt ? entry.lastCallAtMs : latest(facts),
      call: { owner: options.owner, leaseUntilMs: leaseEnd(entry, options, nowMs) },
      scopes: [...entry.scopes, ...caps.map(({ scope }) => scope)],
      reason: null,
    };
    return {
      ...change(claimed, 'claimed', {
        key: terms.key,
        amount: formatMoney(terms.amount),
        memberOriginId: terms.memberOriginId,
        payer: options.capabilities.name,
        owner: options.owner,
        ...(options.plan === undefined ? {} : { plan: options.plan.id }),
      }),
      reserve: caps,
    };
  };
}

/**
 * Moves the last call to the time of the last recorded event, if that is later. Otherwise, after the clock was set
 * back, the payer would seem to honour a key that it has forgotten.
 */
function timed(facts: Facts, entry: LedgerEntry): LedgerEntry {
  if (entry.payment !== 'unknown' || entry.lastCallAtMs === null) return entry;
  return { ...entry, lastCallAtMs: Math.max(entry.lastCallAtMs, facts.lastEventAtMs() ?? 0) };
}

/**
 * Now, or the time of the last event if that is later. Otherwise, after the clock was set back, a lookup would prove
 * too much.
 */
function latest(facts: Facts): number {
  return Math.max(facts.nowMs, facts.lastEventAtMs() ?? 0);
}

/** Rejects a reward that differs from its plan: it is paid as planned, or not at all. */
function differenceFromPlan(
  entry: LedgerEntry,
  { plan, identity }: ClaimOptions,
): ReturnType<typeof noChange<'not-planned' | 'drifted'>> | undefined {
  if (plan === undefined) return undefined;
  if (plan.payment === undefined) return noChange('not-planned', 'it is not in this plan');
  const drift = driftOf(entry, plan.payment, { plan, identity });
  return drift === undefined ? undefined : noChange('drifted', drift);
}

/**
 * The budgets that reserve a call. A call with an unknown outcome keeps its reservation. A repeated call is reserved
 * only for the run and the plan that repeat it.
 */
function capsDue({ payment, scopes }: LedgerEntry, { run, plan, caps }: ClaimOptions): readonly Cap[] {
  if (payment !== 'unknown') return caps;
  const repeating = [runScope(run), ...(plan === undefined ? [] : [planScope(plan.id)])];
  return caps.filter(({ scope }) => repeating.includes(scope) && !scopes.includes(scope));
}

/**
 * The end of a claim's lease. A repeated call must end while the payer still honours its key, because its owner may be
 * suspended between claim and call. The lease also covers that of the previous call, which may still pay.
 */
function leaseEnd(
  { payment, firstCallAtMs, call }: LedgerEntry,
  { leaseMs, capabilities }: ClaimOptions,
  nowMs: number,
): number | null {
  if (leaseMs === null) return null;
  const keyEndMs =
    payment === 'unknown' && firstCallAtMs !== null
      ? firstCallAtMs + (capabilities.idempotentForMs ?? 0)
      : Infinity;
  return Math.min(Math.max(nowMs + leaseMs, call?.leaseUntilMs ?? 0), keyEndMs);
}

/** Policy holds rewards without an amount or a member, so none of them gets here. */
function termsOf({ rewardId, keyGeneration, seen }: LedgerEntry, identity: ClaimOptions['identity']): Terms {
  const { amount, memberOriginId, document } = seen;
  if (amount === null || memberOriginId === null) throw new Error(`reward ${rewardId} has no terms`);
  return { key: paymentKey(identity, rewardId, keyGeneration), amount, memberOriginId, document };
}

function hasRoom(budget: Budget, cap: Cap, { amount }: Terms): boolean {
  const isAmountFree =
    cap.amount === null || budget.reservedAmount + budget.spentAmount + amount <= cap.amount;
  const isCountFree = cap.count === null || budget.reservedCount + budget.spentCount + 1 <= cap.count;
  return isAmountFree && isCountFree;
}

function capped(
  { payment, reason }: LedgerEntry,
  budget: Budget,
  { cap, terms: { amount } }: { readonly cap: Cap; readonly terms: Terms },
): Decision<ClaimRejection> {
  const used = formatMoney(budget.reservedAmount + budget.spentAmount);
  const limits = [
    ...(cap.amount === null ? [] : [`${used} of ${formatMoney(cap.amount)}`]),
    ...(cap.count === null ? [] : [`${budget.reservedCount + budget.spentCount} of ${cap.count} payments`]),
  ].join(' and ');
  const what = cap.amount === null ? 'another payment' : formatMoney(amount);
  const noRoom = `no room for ${what} under the cap of ${scopeInWords(cap.scope)}: ${limits} used`;
  const message =
    payment === 'unknown' ? `${reason ?? 'a call was lost'}; it is not repeated: ${noRoom}` : noRoom;
  return { kind: 'no-change', reason: { kind: 'capped', scope: cap.scope, message } };
}

/** The last check before the call `attempt`, by the process that claimed it. */
interface CallCheck {
  readonly attempt: number;
  readonly owner: string;
  readonly nowMs: number;
  readonly timeoutMs: number;
}

/** True if a claimed call may leave now: the claim is still held, and its lease outlasts the call. */
export function mayCall(
  entry: LedgerEntry | undefined,
  { attempt, owner, nowMs, timeoutMs }: CallCheck,
): boolean {
  if (entry?.attempt !== attempt || entry.call?.owner !== owner) return false;
  return (entry.call.leaseUntilMs ?? 0) > nowMs + timeoutMs;
}

/** The capabilities that decide whether the answer to a repeated call is final. */
type RepeatPromises = Pick<PayerCapabilities, 'idempotentForMs' | 'replaysResponse' | 'lookupDelayMs'>;

/**
 * Records the payer's answer to the call `attempt`, which began at `beganAtMs`, if known. An answer that nothing was
 * paid is final unless an earlier call under the same key may have paid. A refusal is also final if the payer replays
 * its answers, or if its books already had to show an earlier payment when the call began. Otherwise the call stays on
 * record until its lease ends: until then, an unseen earlier call may pay.
 */
export function answered(
  attempt: number,
  answer: PayerAnswer,
  capabilities: RepeatPromises,
  beganAtMs: number = Number.NEGATIVE_INFINITY,
  isShared = false,
): Step<NoChangeReason<'superseded'>> {
  return ({ entry, nowMs }) => {
    if (entry === undefined || entry.attempt !== attempt || !['paying', 'unknown'].includes(entry.payment)) {
      return noChange('superseded', 'another call, or a person, decided meanwhile');
    }
    if (answer.kind === 'paid') return paid(entry, answer);
    const call = entry.isInDoubt && isUnseen(entry, isShared) ? entry.call : null;
    if (answer.kind === 'ambiguous') return callLost(entry, answer.message, nowMs, call);
    const message = answer.message ?? 'the payer refused';
    if (answer.kind !== 'refused') {
      if (!entry.isInDoubt) return released(entry, message);
      return outcomeUnknown(entry, `${message}, but an earlier call may have paid`, call);
    }
    const isFinal =
      !entry.isInDoubt || capabilities.replaysResponse || beganAtMs >= finalFromMs(entry, capabilities);
    return isFinal
      ? refused(entry, message)
      : outcomeUnknown(entry, refusedInDoubt(entry, message, capabilities), call);
  };
}

/** True if the payer can continue unseen without its caller: a service, or a program on another machine. */
function isUnseen({ payer }: LedgerEntry, isShared = false): boolean {
  return isShared || !isProgram(payer);
}

/** The instant after which the refusal of a repeated call proves that no earlier call paid. */
function finalFromMs({ lastCallAtMs }: LedgerEntry, { lookupDelayMs }: RepeatPromises): number {
  return lastCallAtMs === null ? Number.POSITIVE_INFINITY : lastCallAtMs + lookupDelayMs;
}

function refusedInDoubt(entry: LedgerEntry, message: string, capabilities: RepeatPromises): string {
  const inDoubt = `${message}, but an earlier call may have paid`;
  const fromMs = finalFromMs(entry, capabilities);
  const keyEndMs = (entry.firstCallAtMs ?? 0) + (capabilities.idempotentForMs ?? 0);
  // A key that is no longer honoured is never used again, so no refusal can follow.
  if (fromMs >= keyEndMs) return inDoubt;
  const second = new Date(Math.ceil(fromMs / 1000) * 1000).toISOString().replace('.000Z', 'Z');
  return `${inDoubt}; a refusal after ${second} is final`;
}

/**
 * Concludes the call `attempt` of a process that has ended: with the outcome that the payer left behind, otherwise as
 * unknown. Leaves the call of a live owner alone, and that of an owner of unknown state until its lease ends. A payer
 * that cannot be seen from here (a service, or a program on another machine that shares the ledger) may continue
 * without its caller. Its call stays on record with its lease.
 */
export function recover(
  attempt: number,
  recovered: RecoveredOutcome,
  {
    isOwnerAlive,
    isShared,
    capabilities,
  }: {
    readonly isOwnerAlive: boolean | undefined;
    readonly isShared?: boolean | undefined;
    readonly capabilities: RepeatPromises;
  },
): Step<NoChangeReason<'under-way' | 'settled' | 'superseded'>> {
  return (facts) => {
    const { entry, nowMs } = facts;
    if (entry === undefined || !['paying', 'unknown'].includes(entry.payment)) {
      return noChange('settled', 'its outcome is known');
    }
    if (entry.attempt !== attempt) return noChange('superseded', 'a later call has begun meanwhile');
    const leaseUntilMs = entry.call?.leaseUntilMs;
    const isGone = isOwnerAlive === undefined ? (leaseUntilMs ?? Infinity) < nowMs : !isOwnerAlive;
    if (entry.payment === 'paying' && (leaseUntilMs === null || !isGone)) {
      return noChange('under-way', `another process is paying it (run ${entry.call?.owner ?? 'unknown'})`);
    }
    if (recovered.kind === 'running') return noChange('under-way', recovered.message);
    if (recovered.kind !== 'none' && recovered.kind !== 'ended') {
      return answered(entry.attempt, recovered, capabilities, undefined, isShared)(facts);
    }
    if (entry.payment === 'unknown') return noChange('settled', 'nothing more was left behind');
    const reason = 'the process that called the payer ended before the answer came';
    const mayGoOn = isUnseen(entry, isShared) && (recovered.kind === 'none' || entry.isInDoubt);
    return callLost(entry, reason, nowMs, mayGoOn ? entry.call : null);
  };
}

/**
 * Records the answer of the payer's books about an unknown payment. The books were asked at `askedAtMs`. A missing
 * payment is conclusive only if they had to show it by that instant: the process may have been suspended since.
 */
export function recordLookup(
  attempt: number,
  answer: LookupAnswer,
  { capabilities, askedAtMs }: { readonly capabilities: PayerCapabilities; readonly askedAtMs: number },
): Step<NoChangeReason<'undecided'>> {
  return ({ entry, nowMs }) => {
    if (entry === undefined || entry.payment !== 'unknown' || entry.attempt !== attempt) {
      return noChange('undecided', 'its outcome is not unknown');
    }
    if (answer.kind === 'paid') return paid(entry, answer);
    if (answer.kind === 'undecided') return noChange('undecided', answer.message);
    const lastMs = Math.max(entry.lastCallAtMs ?? askedAtMs, entry.call?.leaseUntilMs ?? 0);
    const sinceMs = askedAtMs - lastMs;
    if (sinceMs < capabilities.lookupDelayMs) {
      return noChange('undecided', 'the books do not show it, but the last call is too recent to be sure');
    }
    return notPaid(entry, 'the books do not show it', { capabilities, nowMs });
  };
}

/** An operator's statement about a reward. */
export type ManualOutcome =
  | { readonly kind: 'paid'; readonly ref: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'not-paid'; readonly reason: string }
  /** The person accepts the difference between service and ledger. */
  | { readonly kind: 'accepted'; readonly reason: string };

/**
 * Records an operator's statement about the call `attempt`, the last one that the operator saw (0 for none). Refuses it
 * if a later call has begun since, or if a call may be under way, except in a batch.
 */
export function resolve(
  attempt: number,
  finding: ManualOutcome,
  capabilities: PayerCapabilities,
): Step<NoChangeReason<'under-way' | 'decided' | 'not-found' | 'never-called' | 'superseded'>> {
  return ({ entry, nowMs }) => {
    if (entry === undefined) return noChange('not-found', 'the ledger does not know this reward');
    if (finding.kind === 'accepted') return accepted(entry, finding.reason);
    if (isDecided(entry)) return noChange('decided', `it is ${entry.payment} already`);
    if (entry.attempt !== attempt) return noChange('superseded', 'a later call has begun meanwhile');
    const acting = mayStillAct(entry, finding, nowMs);
    if (acting !== undefined) return noChange('under-way', acting);
    if (finding.kind === 'paid') return paid(entry, { ...finding, evidence: 'person' });
    if (finding.kind === 'refused') return refused(entry, finding.reason, 'person');
    if (entry.terms === null) return noChange('never-called', 'the payer was never called for it');
    return notPaid(entry, finding.reason, { capabilities, nowMs, evidence: 'person' });
  };
}

/** The reason why the last call may still pay, for messages; undefined if it cannot, or if the finding holds anyway. */
function mayStillAct(
  { payment, call }: LedgerEntry,
  { kind }: ManualOutcome,
  nowMs: number,
): string | undefined {
  if (call === null || call.leaseUntilMs === null) return undefined;
  if (payment === 'paying') return `${call.owner} may still be calling the payer`;
  if (kind === 'paid' || call.leaseUntilMs <= nowMs) return undefined;
  return (
    `the payer that ${call.owner} called may still pay it until ` +
    `${new Date(call.leaseUntilMs).toISOString()}: run the same command again after that`
  );
}

/** An operator's statement that the payer reversed a payment. */
export interface Reversal {
  readonly kind: 'reversed';
  /** The payer's receipt for the reversal. */
  readonly ref: string;
  readonly reason?: string;
}

/**
 * Records that the payer reversed a payment. The reward stays decided, and its amount stays spent. `read` is the entry
 * in which the operator saw no reversal yet.
 */
export function reverse(
  read: Pick<LedgerEntry, 'reason'>,
  { ref, reason }: Reversal,
): Step<NoChangeReason<'not-found' | 'not-paid' | 'superseded'>> {
  return ({ entry }) => {
    if (entry === undefined) return noChange('not-found', 'the ledger does not know this reward');
    if (entry.payment !== 'paid')
      return noChange('not-paid', `it is ${entry.payment}, and only a payment can be taken back`);
    if (entry.reason !== read.reason)
      return noChange('superseded', 'it was changed meanwhile: run the same command again');
    const amount = formatMoney((entry.terms ?? entry.seen).amount ?? 0n);
    const next = { ...entry, reason: `taken back by the payer: ${ref}` };
    return change(next, 'reversed', { ref, amount, ...optional({ reason }) });
  };
}

/** Resolves a conflict that a person accepts. */
function accepted(entry: LedgerEntry, reason: string): Decision<NoChangeReason<'decided'>> {
  if (entry.report !== 'conflict') return noChange('decided', 'the service agrees with the ledger');
  return change({ ...entry, report: 'confirmed', reason }, 'reported', { accepted: reason });
}

/** Records as paid a reward that this ledger never called a payer for: paid earlier, or by a ledger that was lost. */
export function importReward(
  rewardId: string,
  seen: Observation,
  ref: string | null,
): Step<NoChangeReason<'known'>> {
  return ({ entry }) => {
    if (entry !== undefined) return noChange('known', 'the ledger knows this reward already');
    return change({ ...firstEntry(rewardId, seen), payment: 'paid', ref }, 'paid', {
      ...observationDetail(seen),
      ...optional({ ref: ref ?? undefined, evidence: (ref === null ? 'list' : 'person') satisfies Evidence }),
    });
  };
}

/** The result of a report: sent, or the reaction of the service. */
export type ReportResult =
  | { readonly kind: 'sent'; readonly status: string }
  | { readonly kind: 'confirmed'; readonly status: string }
  | { readonly kind: 'conflict'; readonly message: string };

/** Records the result of a report. A confirmed report stays confirmed. */
export function recordReport(result: ReportResult): Step<NoChangeReason<'undecided' | 'known'>> {
  return ({ entry }) => {
    if (entry === undefined || !isDecided(entry)) {
      return noChange('undecided', 'there is no outcome to report yet');
    }
    if (
      entry.report === result.kind ||
      entry.report === 'confirmed' ||
      (entry.report === 'conflict' && result.kind === 'sent')
    ) {
      return noChange('known', `the service has it as ${entry.report}`);
    }
    // A conflict ends when the service confirms the report.
    const left = entry.report === 'conflict' ? null : entry.reason;
    const reason = result.kind === 'conflict' ? result.message : left;
    const detail = result.kind === 'conflict' ? { message: result.message } : { status: result.status };
    return change({ ...entry, report: result.kind, reason }, 'reported', detail);
  };
}

/** The source of an outcome, unless it is the payer or its call records. */
type Evidence = 'person' | 'list';

/** The fields of an entry whose call has ended with a known outcome. */
const ended = { call: null, isInDoubt: false } as const;
/** The fields of an entry that was not paid and may be paid again. */
const freed = { ...ended, payment: 'intended', lastCallAtMs: null, scopes: [] } as const;

function paid(
  entry: LedgerEntry,
  {
    ref,
    message,
    evidence,
  }: { readonly ref?: string; readonly message?: string; readonly evidence?: Evidence },
): Change {
  const next: LedgerEntry = { ...entry, ...ended, payment: 'paid', ref: ref ?? null, reason: null };
  return change(next, 'paid', optional({ ref, message, evidence }));
}

function refused(entry: LedgerEntry, reason: string, evidence?: Evidence): Change {
  const next: LedgerEntry = { ...entry, ...ended, payment: 'refused', scopes: [], reason };
  return change(next, 'refused', optional({ reason, evidence }));
}

/** Records that the call provably paid nothing, and no earlier call may have. The key is as good as before the call. */
function released(entry: LedgerEntry, reason: string): Change {
  const firstCallAtMs = entry.firstCallAtMs === entry.lastCallAtMs ? null : entry.firstCallAtMs;
  return change({ ...entry, ...freed, firstCallAtMs, reason }, 'released', { reason });
}

/** Records that the call itself may have paid. It may have left at any time until now, or until its lease ended. */
function callLost(
  entry: LedgerEntry,
  reason: string,
  nowMs: number,
  call: Call | null = null,
): Decision<NoChangeReason<'superseded'>> {
  const leftByMs = Math.min(nowMs, entry.call?.leaseUntilMs ?? nowMs);
  const lastCallAtMs = Math.max(leftByMs, entry.lastCallAtMs ?? leftByMs);
  return outcomeUnknown({ ...entry, lastCallAtMs }, reason, call);
}

function outcomeUnknown(
  entry: LedgerEntry,
  reason: string,
  call: Call | null = null,
): Decision<NoChangeReason<'superseded'>> {
  if (entry.payment === 'unknown') return noChange('superseded', reason);
  return change({ ...entry, payment: 'unknown', call, isInDoubt: true, reason }, 'unknown', { reason });
}

/**
 * Records that the reward is provably not paid. If the payer still honours the key, it gets the same key again, so that
 * a late payment under it is not made twice. Otherwise, or if the terms changed, the next payment gets a new key.
 */
function notPaid(
  entry: LedgerEntry,
  reason: string,
  {
    capabilities,
    nowMs,
    evidence,
  }: { readonly capabilities: PayerCapabilities; readonly nowMs: number; readonly evidence?: Evidence },
): Change {
  const isHonoured = nowMs < (entry.firstCallAtMs ?? nowMs) + (capabilities.idempotentForMs ?? 0);
  const isKept = isHonoured && !haveTermsChanged(entry);
  const keyed = isKept ? {} : { keyGeneration: entry.keyGeneration + 1, terms: null, firstCallAtMs: null };
  return change({ ...entry, ...freed, ...keyed, reason }, 'released', optional({ reason, evidence }));
}

function change(entry: LedgerEntry, kind: EventKind, detail: JsonObject): Change {
  return { kind: 'change', entry, event: { kind, detail } };
}

function noChange<Kind extends string>(
  kind: Kind,
  message: string,
): { readonly kind: 'no-change'; readonly reason: NoChangeReason<Kind> } {
  return { kind: 'no-change', reason: { kind, message } };
}

/** The object without undefined fields. */
function optional(fields: Readonly<Record<string, string | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
