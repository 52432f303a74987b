import { backoffMs } from '../../base/backoff.ts';
import { nowFrom } from '../../base/clock.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import type { PayerAnswer } from '../../payer/payer.ts';
import type { Decision, Facts, LedgerEntry, Step, Stepped } from '../../store/ledger/ledger.ts';
import { capOfPlan } from '../rules/payment-plan.ts';
import { capsOn, isDecided } from '../rules/policy.ts';
import { answered, type ClaimOptions, type ClaimRejection, claim, mayCall } from '../rules/transitions.ts';
import { handedOverReason, isBatch } from './entry-record.ts';
import { recoverReward } from './recover-rewards.ts';
import { type MoneyOutcome, paymentOf, type Settlement } from './settlement.ts';

/** The cause why a run left the payment of a reward undecided. */
export type UnpaidCause =
  /** Held by policy, or in a batch that a person pays. */
  | 'held'
  /** Differs from the plan. */
  | 'drifted'
  /** Not in the plan of this run. */
  | 'not-planned'
  /** Listed by the service more than once, with different terms. */
  | 'contradictory'
  /** Above the cap of one reward. */
  | 'above-cap'
  /** No room left under a cap. */
  | 'capped'
  | 'frozen'
  /** Another process is paying it. */
  | 'under-way'
  /** The service no longer lists it as QUEUED, or does not show it. */
  | 'not-queued'
  /** A call of an earlier run may have paid, and another call could pay twice. */
  | 'in-doubt'
  /** A call of this run may have paid. */
  | 'outcome-unknown'
  /** The payer asked to be called later, or could not be reached. */
  | 'retry'
  /** The payer rejected our credentials or endpoint. */
  | 'misconfigured';

/** The result of paying one reward. */
export type PaymentResult =
  | {
      readonly kind: 'decided';
      readonly entry: LedgerEntry;
      /** True if this run decided it. */
      readonly isNew: boolean;
    }
  | {
      readonly kind: 'unpaid';
      readonly entry: LedgerEntry;
      readonly cause: UnpaidCause;
      readonly reason: string;
      /** The next step of a person, if the reason has one. */
      readonly remedy?: HintText | undefined;
    };

/** Fetches the reward from the service and records the observation. */
export type Refresh = (entry: LedgerEntry) => Promise<void>;

/** The slot of one reward. Others may use it while the outcome is written to disk. */
export interface Slot {
  /** The payer has paid; only the ledger is waited for. */
  paid(): void;
  /** Resolves when the service may be called. */
  readyToReport(): Promise<void>;
  /** The service has confirmed the payment; only the ledger is waited for. */
  confirmed(): void;
  /** True if a reward that another process decides is left to that process to report, for now. */
  readonly skipIfTaken: boolean;
}

/** A placeholder that gives up nothing: the reward has no slot. */
export const noSlot: Slot = {
  paid: () => undefined,
  readyToReport: async () => undefined,
  confirmed: () => undefined,
  skipIfTaken: false,
};

/** The pause before repeating a call with an unknown outcome, to a payer that honours keys. */
const repeatPause = { firstMs: 500, longestMs: 5_000 };

/** Claims per turn. A second one is made if the first was too old when its call could leave. */
const claimsMaximum = 2;

/**
 * A reward to pay: its id, or an entry read just before, which saves a read of the ledger. The claim decides by the
 * current entry.
 */
export type RewardToPay = LedgerEntry | { readonly rewardId: string; readonly payment?: undefined };

/**
 * Pays one reward, if that is allowed, and records the outcome. Claim, call and outcome are each durable before the
 * next. Calls the payer at most once. If the payer honours keys, a call with an unknown outcome is repeated in a later
 * turn of the reward, under the same key.
 */
export async function payReward(
  settlement: Settlement,
  reward: RewardToPay,
  refresh: Refresh,
  slot: Slot = noSlot,
): Promise<PaymentResult> {
  let known = reward;
  for (let claims = 1; ; claims += 1) {
    const claimed = await claimReward(settlement, known, refresh);
    if (claimed.kind !== 'claimed') return claimed;
    const { answer, beganAtMs } = await callPayer(settlement, claimed.entry);
    const noted = noteAnswer(settlement, claimed.entry, answer, beganAtMs);
    // The ledger applies changes in order of arrival: no later claim is durable before this outcome is.
    if (answer.kind === 'paid') slot.paid();
    const entry = await noted;
    known = entry;
    if (answer === tooLate && claims < claimsMaximum) continue;
    if (!isDecided(entry)) return unpaidAfter(entry, answer);
    await settlement.payer.forget(paymentOf(entry).key);
    return { kind: 'decided', entry, isNew: true };
  }
}

type Claimed = PaymentResult | { readonly kind: 'claimed'; readonly entry: LedgerEntry };

async function claimReward(settlement: Settlement, reward: RewardToPay, refresh: Refresh): Promise<Claimed> {
  const found = reward.payment === 'intended' ? reward : await settlement.ledger.find(reward.rewardId);
  if (found === undefined) throw new Error(`reward ${reward.rewardId} was not observed before its payment`);
  const { entry, underWay } = await recoverReward(settlement, found);
  if (underWay !== undefined) return unpaidUnderWay(entry, underWay);
  if (isDecided(entry)) return { kind: 'decided', entry, isNew: false };
  const stepped = await claimFresh(settlement, entry, { refresh });
  if (stepped.kind === 'changed') return { kind: 'claimed', entry: stepped.entry };
  return unclaimed(stepped.entry ?? entry, stepped.reason);
}

type Owner = Pick<ClaimOptions, 'owner' | 'leaseMs'>;

/** Like `tryClaim`, but observes a stale reward once more and tries again. */
export async function claimFresh(
  settlement: Settlement,
  entry: LedgerEntry,
  { refresh, owner }: { readonly refresh: Refresh; readonly owner?: Owner },
): Promise<Stepped<ClaimRejection>> {
  const stepped = await tryClaim(settlement, entry, owner);
  if (stepped.kind === 'changed' || stepped.reason.kind !== 'stale') return stepped;
  await refresh(entry);
  return tryClaim(settlement, (await settlement.ledger.find(entry.rewardId)) ?? entry, owner);
}

/**
 * Claims a reward for one call, for this run or another owner.
 * @throws Failure('ledger') if this ledger is no longer the one in use. The claim is released, and nothing may be paid.
 */
export async function tryClaim(
  settlement: Settlement,
  entry: LedgerEntry,
  owner: Owner = {
    owner: settlement.run,
    leaseMs: settlement.payer.timeoutMs + settlement.claimLeaseMs,
  },
): Promise<Stepped<ClaimRejection>> {
  const { ledger, run } = settlement;
  const scopes = claimOptions(settlement, entry, settlement.clock.now()).caps.map(({ scope }) => scope);
  const step: Step<ClaimRejection> = (facts) => {
    const options = claimOptions(settlement, facts.entry ?? entry, facts.nowMs);
    // The budgets were read for one member and one day; either may have changed since.
    return options.caps.every(({ scope }) => scopes.includes(scope))
      ? claim({ ...options, ...owner })(facts)
      : { kind: 'no-change', reason: { kind: 'stale' } };
  };
  const stepped = await ledger.change(entry.rewardId, step, { by: run, scopes });
  if (stepped.kind === 'kept') return stepped;
  try {
    // The last check before a claim is used: of several copies of a ledger, only one passes.
    await ledger.fence();
  } catch (error) {
    await noteAnswer(settlement, stepped.entry, {
      kind: 'retry',
      message: 'this ledger is not the one in use',
    });
    throw error;
  }
  return stepped;
}

/** The conditions of every claim in this settlement, for any owner. */
export function claimOptions(
  { ledger, payer, policy, plan, run }: Settlement,
  entry: LedgerEntry,
  nowMs: number,
): Omit<ClaimOptions, 'owner' | 'leaseMs'> {
  const { memberOriginId } = entry.terms ?? entry.seen;
  const caps = capsOn(policy, { run, memberOriginId: memberOriginId ?? '', nowMs });
  return {
    identity: ledger.identity,
    run,
    policy,
    capabilities: payer.capabilities,
    ...(plan === undefined
      ? { caps }
      : {
          caps: [...caps, capOfPlan(plan)],
          plan: { id: plan.id, payment: plan.payments.get(entry.rewardId) },
        }),
  };
}

export type ForeseenFacts = Pick<Facts, 'nowMs' | 'frozen' | 'budget'>;

/**
 * Foresees what a claim would decide now. A stale observation counts as fresh, since it is renewed before the claim. A
 * clock that was set back is not foreseen.
 */
export function foreseeClaim(
  settlement: Settlement,
  entry: LedgerEntry,
  facts: ForeseenFacts,
): Decision<ClaimRejection> {
  const { payer, run } = settlement;
  const { nowMs } = facts;
  const options = { ...claimOptions(settlement, entry, nowMs), owner: run, leaseMs: payer.timeoutMs };
  const fresh = { ...entry, seen: { ...entry.seen, atMs: nowMs } };
  return claim(options)({ ...facts, entry: fresh, lastEventAtMs: () => undefined });
}

/** Converts a rejected claim to the result of the reward. */
export function unclaimed(entry: LedgerEntry, reason: ClaimRejection): PaymentResult {
  switch (reason.kind) {
    case 'decided':
      return { kind: 'decided', entry, isNew: false };
    case 'not-found':
      throw new Error(reason.message);
    case 'under-way':
      return unpaidUnderWay(entry);
    case 'stale':
      return { kind: 'unpaid', entry, cause: 'not-queued', reason: 'the service no longer shows it' };
    case 'held': {
      const { reason: why, message } = reason;
      return {
        kind: 'unpaid',
        entry,
        cause: why === 'contradictory' || why === 'above-cap' ? why : 'held',
        reason: message,
        remedy: why === 'changed' ? remedyOfChange(entry) : undefined,
      };
    }
    default:
      return { kind: 'unpaid', entry, cause: reason.kind, reason: reason.message };
  }
}

function remedyOfChange({ rewardId }: LedgerEntry): HintText {
  return hint`if that was not paid: ${reviewctl`ledger resolve ${rewardId} --not-paid --reason …`}`;
}

function unpaidUnderWay(entry: LedgerEntry, reason = 'another process is paying it'): PaymentResult {
  return isBatch(entry)
    ? { kind: 'unpaid', entry, cause: 'held', reason: handedOverReason(entry) }
    : { kind: 'unpaid', entry, cause: 'under-way', reason };
}

const causesOfHold: ReadonlySet<string> = new Set<UnpaidCause>([
  ...(['held', 'contradictory', 'above-cap', 'capped', 'drifted'] as const),
]);

/** The outcome of a reward whose payment a run left undecided. */
export function undecidedOutcome({ payment }: LedgerEntry, cause: string): MoneyOutcome {
  // The process that is paying it may still learn the outcome.
  if (cause === 'under-way') return 'waiting';
  if (payment === 'unknown') return 'unknown';
  return payment !== 'paying' && causesOfHold.has(cause) ? 'held' : 'waiting';
}

/**
 * Calls the payer for a claimed reward. The answer is `tooLate` if nothing left this process because the claim was too
 * old, or another owner's. The ledger is read once more just before the call. The age of the claim is checked in the
 * last instant before the payment leaves: this process may have been suspended at any point until then.
 */
async function callPayer({ ledger, payer, run, clock }: Settlement, claimed: LedgerEntry) {
  // Created before the read: its result may have been waiting for this process.
  const now = nowFrom(clock);
  /** Nothing left this process before this instant. */
  const beganAtMs = now();
  const entry = await ledger.find(claimed.rewardId);
  const look = { attempt: claimed.attempt, owner: run, timeoutMs: payer.timeoutMs };
  let isInTime = true;
  const mayLeave = () => {
    isInTime = mayCall(entry, { ...look, nowMs: now() });
    return isInTime;
  };
  let answer = tooLate;
  try {
    if (mayLeave()) answer = await payer.pay(paymentOf(claimed), mayLeave);
  } catch (error) {
    // The claim must not remain for the lifetime of this process.
    const isUncalled = error instanceof Failure && error.kind === 'config';
    answer = { kind: isUncalled ? 'misconfigured' : 'ambiguous', message: messageOf(error) };
  }
  return { answer: !isInTime && answer.kind === 'retry' ? tooLate : answer, beganAtMs };
}

const tooLate: PayerAnswer = {
  kind: 'retry',
  message: 'the payer was not called: this process was suspended, or too slow, after its claim',
};

async function noteAnswer(
  { ledger, payer, run, isShared }: Settlement,
  { rewardId, attempt }: LedgerEntry,
  answer: PayerAnswer,
  beganAtMs?: number,
): Promise<LedgerEntry> {
  const step = answered(attempt, answer, payer.capabilities, beganAtMs, isShared);
  const { entry } = await ledger.change(rewardId, step, { by: run });
  if (entry === undefined) throw new Error(`reward ${rewardId} is gone from the ledger`);
  return entry;
}

/**
 * Waits before a call with an unknown outcome is repeated. Returns false if it must not be repeated: the payer does not
 * honour keys, or the run is stopping.
 */
export async function pauseBeforeRepeat({ payer, clock, random, stopping }: Settlement): Promise<boolean> {
  if (payer.capabilities.idempotentForMs === null) return false;
  try {
    await clock.sleep(backoffMs(1, random, repeatPause), stopping);
    return true;
  } catch {
    return false;
  }
}

function unpaidAfter(entry: LedgerEntry, answer: PayerAnswer): PaymentResult {
  const reason = entry.reason ?? answer.message ?? 'the payer gave no answer';
  const isUnknown = entry.payment === 'unknown';
  const cause = answer.kind === 'misconfigured' ? answer.kind : isUnknown ? 'outcome-unknown' : 'retry';
  return { kind: 'unpaid', entry, cause, reason };
}
