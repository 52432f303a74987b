import { formatMoney, type Money } from '../../base/money.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import type { PayerCapabilities } from '../../payer/payer.ts';
import type { Cap, LedgerEntry } from '../../store/ledger/ledger.ts';
import { areSameTerms, contradiction, isContradictory, namesMember, termsInWords } from './reward-terms.ts';

/** The payment limits set by the operator. */
export interface Policy {
  readonly maxPerReward: Money | null;
  readonly maxPerMemberPerDay: Money | null;
  readonly maxPerDay: Money | null;
  readonly maxPerRun: { readonly amount: Money | null; readonly count: number | null };
}

/** The reason why policy holds a reward until a person changes the cause. */
export type HoldReason = 'no-address' | 'no-member' | 'no-amount' | 'changed' | 'above-cap' | 'contradictory';

/** The verdict on a payment now. Computed each time; never stored. */
export type Verdict =
  | { readonly kind: 'pay' }
  /** Paid or refused: only its report may remain. */
  | { readonly kind: 'decided' }
  /** A call of some process may be under way. */
  | { readonly kind: 'under-way' }
  /** An earlier call may have paid, and another call could pay twice. */
  | { readonly kind: 'in-doubt'; readonly message: string }
  | { readonly kind: 'held'; readonly reason: HoldReason; readonly message: string }
  /** The service does not wait for this payment. */
  | { readonly kind: 'not-queued'; readonly message: string }
  /** The last observation is too old to pay by. */
  | { readonly kind: 'stale' };

/** The greatest age of an observation that a payment relies on, in milliseconds. */
export const freshMs = 60_000;

/** The capabilities to use if no payer will be called. */
export const noPayer: PayerCapabilities = {
  name: '',
  idempotentForMs: null,
  replaysResponse: false,
  lookupDelayMs: 0,
};

/** True if it is paid or refused for good. */
export function isDecided({ payment }: Pick<LedgerEntry, 'payment'>): boolean {
  return payment === 'paid' || payment === 'refused';
}

/** The verdict on a reward at the instant `nowMs`, for a payer with these capabilities. */
export function verdictOn(
  entry: LedgerEntry,
  {
    policy,
    capabilities,
    nowMs,
  }: { readonly policy: Policy; readonly capabilities: PayerCapabilities; readonly nowMs: number },
): Verdict {
  if (isDecided(entry)) return { kind: 'decided' };
  if (entry.payment === 'paying') return { kind: 'under-way' };
  if (entry.payment === 'unknown' && !isKeyHonoured(entry, capabilities, nowMs))
    return inDoubt(entry, capabilities);
  if (isContradictory(entry.seen)) return held('contradictory', contradiction);
  // After the clock was set back, an observation may look newer than it is, but never newer than now.
  if (Math.abs(nowMs - entry.seen.atMs) > freshMs) return { kind: 'stale' };
  if (entry.seen.status !== 'QUEUED') {
    return {
      kind: 'not-queued',
      message: entry.seen.status
        ? `the service says ${entry.seen.status}`
        : 'the service does not show it or its status',
    };
  }
  return holdOn(entry, policy) ?? { kind: 'pay' };
}

/** True if the payer still honours the key of an earlier call, so that a repeated call pays at most once. */
function isKeyHonoured(
  { payer, firstCallAtMs, lastCallAtMs }: LedgerEntry,
  { name, idempotentForMs }: PayerCapabilities,
  nowMs: number,
): boolean {
  if (payer !== name || idempotentForMs === null || firstCallAtMs === null || lastCallAtMs === null)
    return false;
  return nowMs >= lastCallAtMs && nowMs < firstCallAtMs + idempotentForMs;
}

function inDoubt({ reason, payer }: LedgerEntry, { name, idempotentForMs }: PayerCapabilities): Verdict {
  const why =
    payer !== name
      ? `the call was made to another payer, ${payer ?? 'now unknown'}`
      : idempotentForMs === null
        ? 'the payer is not idempotent'
        : 'the payer no longer honours its key';
  return { kind: 'in-doubt', message: `${reason ?? 'a call was lost'}; ${why}` };
}

function holdOn(entry: LedgerEntry, { maxPerReward }: Policy): Verdict | undefined {
  const { rewardId, seen, terms } = entry;
  const { amount, memberOriginId } = seen;
  if (!isPathSegment(rewardId)) return held('no-address', unaddressable(rewardId));
  if (memberOriginId === null || memberOriginId.trim() === '') {
    return held(
      'no-member',
      namesMember(seen)
        ? 'the id of its member cannot be read exactly: have the service send it as plain text'
        : 'the order names no member: a guest order earns no reward',
    );
  }
  if (amount === null || amount <= 0n) return held('no-amount', 'it has no exact amount above zero');
  if (terms !== null && haveTermsChanged(entry)) {
    return held(
      'changed',
      `its key is for ${termsInWords(terms, seen)}; the service now shows ${termsInWords(seen, terms)}`,
    );
  }
  if (maxPerReward !== null && amount > maxPerReward) {
    return held(
      'above-cap',
      `${formatMoney(amount)} is above the cap of one reward, ${formatMoney(maxPerReward)}`,
    );
  }
  return undefined;
}

/** The reason why a reward cannot be reported: its id would have another meaning in a path. */
export function unaddressable(rewardId: string): string {
  return `its id ${JSON.stringify(rewardId)} cannot be part of an address, so its outcome could not be reported`;
}

/** True if the service now shows other terms than those of the key. */
export function haveTermsChanged({ seen, terms }: LedgerEntry): boolean {
  return terms !== null && !areSameTerms(terms, seen);
}

function held(reason: HoldReason, message: string): Verdict {
  return { kind: 'held', reason, message };
}

const koreanOffsetMs = 9 * 60 * 60 * 1000;

/** The current day in Korea, by which budgets are kept: `2026-11-20`. */
export function koreanDay(nowMs: number): string {
  return new Date(nowMs + koreanOffsetMs).toISOString().slice(0, 10);
}

/**
 * The budget of a run. Includes each reward that the run calls the payer for, once, even if an earlier run called for
 * it too.
 */
export function runScope(run: string): string {
  return `run ${run}`;
}

/** The budget of a plan. Its cap is the plan's total, so that all its runs together pay no more. */
export function planScope(plan: string): string {
  return `plan ${plan}`;
}

/** The scope in the words of the operator who set its cap. */
export function scopeInWords(scope: string): string {
  const [kind = '', day = '', ...member] = scope.split(' ');
  if (kind === 'run' || kind === 'plan') return `this ${kind}`;
  return kind === 'day' ? day : `member ${member.join(' ')} on ${day}`;
}

/**
 * All budgets of a payment to `memberOriginId`, with their caps. A repeated call is the same payment: member and day
 * are charged once, on the day of its first call.
 */
export function capsOn(
  policy: Policy,
  {
    run,
    memberOriginId,
    nowMs,
  }: { readonly run: string; readonly memberOriginId: string; readonly nowMs: number },
): readonly [run: Cap, day: Cap, member: Cap] {
  const day = koreanDay(nowMs);
  return [
    { scope: runScope(run), ...policy.maxPerRun },
    { scope: `day ${day}`, amount: policy.maxPerDay, count: null },
    { scope: `member ${day} ${memberOriginId}`, amount: policy.maxPerMemberPerDay, count: null },
  ];
}

/**
 * The instant since which the outcome of a payment is unknown; undefined if it is known. This is the first call under
 * its key: repeated calls do not shorten the time.
 */
export function inDoubtSinceMs({ payment, firstCallAtMs, lastCallAtMs }: LedgerEntry): number | undefined {
  return payment === 'unknown' ? (firstCallAtMs ?? lastCallAtMs ?? undefined) : undefined;
}

/** An age in milliseconds. Infinite for a future instant, since the clock was set back after it. */
export function ageOf(sinceMs: number, nowMs: number): number {
  return nowMs >= sinceMs ? nowMs - sinceMs : Number.POSITIVE_INFINITY;
}
