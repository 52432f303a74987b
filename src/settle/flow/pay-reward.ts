import { backoffMs } from '../../base/backoff.ts';
import type { PayerAnswer } from '../../payer/payer.ts';
import type { LedgerEntry, Step, Stepped } from '../../store/ledger/ledger.ts';
import { capOfPlan } from '../rules/payment-plan.ts';
import { capsOn } from '../rules/policy.ts';
import { answered, type ClaimOptions, type ClaimRejection, claim } from '../rules/transitions.ts';
import { callPayer } from './call-payer.ts';
import { handedOverReason, isBatch } from './entry-record.ts';
import { recoverReward } from './recover-rewards.ts';
import { type MoneyOutcome, paymentOf, type Settlement } from './settlement.ts';

/** Why a run left the payment of a reward undecided. */
export type UnpaidCause =
  /** Policy holds it, or it is in a batch that a person carries out. */
  | 'held'
  /** It differs from the plan. */
  | 'drifted'
  /** It is not in the plan that is carried out. */
  | 'not-planned'
  /** The service lists it more than once, with different terms. */
  | 'contradictory'
  /** It is above the cap of one reward. */
  | 'above-cap'
  /** A cap leaves no room for it. */
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
      /** Whether this run decided it. */
      readonly isNew: boolean;
    }
  | {
      readonly kind: 'unpaid';
      readonly entry: LedgerEntry;
      readonly cause: UnpaidCause;
      readonly outcome: Extract<MoneyOutcome, 'held' | 'unknown' | 'waiting'>;
      readonly reason: string;
    };

/** Fetches the reward from the service and records the observation. */
export type Refresh = (entry: LedgerEntry) => Promise<void>;

/** The stages of one reward, so that others can use its place while its outcome is written to disk. */
export interface RewardTurn {
  /** The payer has paid; only this machine is waited for now. */
  paid(): void;
  /** Resolves when the service may be called. */
  readyToReport(): Promise<void>;
  /** The service has confirmed the payment; only this machine is waited for now. */
  confirmed(): void;
  /** Whether what another process has decided since is that one's to report, for now. */
  readonly leavesToOthers: boolean;
}

/** The turn of a reward that has no place to give up. */
export const ownTurn: RewardTurn = {
  paid: () => undefined,
  readyToReport: async () => undefined,
  confirmed: () => undefined,
  leavesToOthers: false,
};

/** The pause before a call with an unknown outcome is repeated, to a payer that honours keys. */
const repeatPause = { firstMs: 500, longestMs: 5_000 };

/** Claims of one turn: a second one where the first was too old before its call could leave. */
const claimsMaximum = 2;

/** A reward that is to be paid. */
export interface RewardToPay {
  readonly rewardId: string;
  /** What was read of it a moment ago, in place of a look at the ledger; its claim decides by what is there then. */
  readonly read?: LedgerEntry;
}

/**
 * Pays one reward, where that is allowed, and records the outcome: claim, call, outcome, each durable before
 * the next. Calls the payer once at most. A call with an unknown outcome is repeated in a later turn of the
 * reward, under the same key, if the payer honours keys.
 */
export async function payReward(
  settlement: Settlement,
  { rewardId, read }: RewardToPay,
  refresh: Refresh,
  turn: RewardTurn = ownTurn,
): Promise<PaymentResult> {
  for (let claims = 1; ; claims += 1) {
    const isRead = claims === 1 && read !== undefined;
    const claimed = await claimReward(settlement, isRead ? { rewardId, read } : { rewardId }, refresh);
    if (claimed.kind !== 'claimed') return claimed;
    const { answer, beganAtMs, isTooLate } = await callPayer(settlement, claimed.entry);
    const noted = noteAnswer(settlement, claimed.entry, answer, beganAtMs);
    // The ledger applies changes in order of arrival: no later claim is durable before this outcome is.
    if (answer.kind === 'paid') turn.paid();
    const entry = await noted;
    if (isTooLate && claims < claimsMaximum) continue;
    if (!isDecided(entry)) return unpaidAfter(entry, answer);
    await settlement.payer.forget(paymentOf(entry).key);
    return { kind: 'decided', entry, isNew: true };
  }
}

type Claimed = PaymentResult | { readonly kind: 'claimed'; readonly entry: LedgerEntry };

async function claimReward(
  settlement: Settlement,
  { rewardId, read }: RewardToPay,
  refresh: Refresh,
): Promise<Claimed> {
  const { ledger } = settlement;
  const found = read?.payment === 'intended' ? read : await ledger.find(rewardId);
  if (found === undefined) throw new Error(`reward ${rewardId} was not observed before its payment`);
  const { entry, underWay } = await recoverReward(settlement, found);
  if (underWay !== undefined) return unpaidUnderWay(entry, underWay);
  if (isDecided(entry)) return { kind: 'decided', entry, isNew: false };
  const first = await tryClaim(settlement, entry);
  if (first.kind === 'changed') return { kind: 'claimed', entry: first.entry };
  if (first.reason.kind !== 'stale') return unclaimed(first.entry ?? entry, first.reason);
  await refresh(entry);
  const second = await tryClaim(settlement, (await ledger.find(rewardId)) ?? entry);
  if (second.kind === 'changed') return { kind: 'claimed', entry: second.entry };
  return unclaimed(second.entry ?? entry, second.reason);
}

/**
 * Claims a reward for one call, for this run or another owner.
 * @throws Failure('ledger') where this ledger is no longer the one in use: the claim is released, and nothing
 *   may be paid.
 */
export async function tryClaim(
  settlement: Settlement,
  entry: LedgerEntry,
  owner: Pick<ClaimOptions, 'owner' | 'leaseMs'> = {
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
  if (stepped.kind === 'changed') await fenceClaim(settlement, stepped.entry);
  return stepped;
}

/** The conditions of every claim of this settlement, for any owner. */
export function claimOptions(
  { ledger, payer, policy, plan, run }: Settlement,
  entry: LedgerEntry,
  nowMs: number,
): Omit<ClaimOptions, 'owner' | 'leaseMs'> {
  const caps = capsOn(policy, { run, memberOriginId: memberOf(entry), nowMs });
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

function memberOf({ seen, terms }: LedgerEntry): string {
  return terms?.memberOriginId ?? seen.memberOriginId ?? '';
}

/** The last check before a claim is used: of several copies of a ledger, only one passes. */
async function fenceClaim(
  { ledger, payer, run }: Pick<Settlement, 'ledger' | 'payer' | 'run'>,
  { rewardId, attempt }: LedgerEntry,
): Promise<void> {
  try {
    await ledger.fence();
  } catch (error) {
    const message = 'this ledger is not the one in use';
    await ledger.change(rewardId, answered(attempt, { kind: 'retry', message }, payer.capabilities), {
      by: run,
    });
    throw error;
  }
}

function isDecided({ payment }: LedgerEntry): boolean {
  return payment === 'paid' || payment === 'refused';
}

/** The result of a reward that could not be claimed. */
export function unclaimed(entry: LedgerEntry, reason: ClaimRejection): PaymentResult {
  switch (reason.kind) {
    case 'decided':
      return { kind: 'decided', entry, isNew: false };
    case 'held':
    case 'capped':
      return unpaid(entry, causeOf(reason), entry.payment === 'unknown' ? 'unknown' : 'held', reason.message);
    case 'in-doubt':
      return unpaid(entry, 'in-doubt', 'unknown', reason.message);
    case 'under-way':
      return unpaidUnderWay(entry);
    case 'stale':
      return unpaid(entry, 'not-queued', waitingOrUnknown(entry), 'the service does not show it any more');
    case 'not-queued':
      return unpaid(entry, 'not-queued', waitingOrUnknown(entry), reason.message);
    case 'drifted':
      return unpaid(entry, 'drifted', entry.payment === 'unknown' ? 'unknown' : 'held', reason.message);
    case 'not-planned':
      return unpaid(entry, 'not-planned', waitingOrUnknown(entry), reason.message);
    case 'frozen':
      return unpaid(entry, 'frozen', waitingOrUnknown(entry), reason.message);
    case 'not-found':
      throw new Error(reason.message);
  }
}

function causeOf(reason: Extract<ClaimRejection, { kind: 'held' | 'capped' }>): UnpaidCause {
  if (reason.kind !== 'held') return reason.kind;
  return reason.reason === 'contradictory' || reason.reason === 'above-cap' ? reason.reason : reason.kind;
}

function unpaidUnderWay(entry: LedgerEntry, reason = 'another process is paying it'): PaymentResult {
  if (!isBatch(entry)) return unpaid(entry, 'under-way', 'waiting', reason);
  return unpaid(entry, 'held', 'waiting', handedOverReason(entry));
}

async function noteAnswer(
  { ledger, payer, run }: Settlement,
  { rewardId, attempt }: LedgerEntry,
  answer: PayerAnswer,
  beganAtMs: number,
): Promise<LedgerEntry> {
  const step = answered(attempt, answer, payer.capabilities, beganAtMs);
  const { entry } = await ledger.change(rewardId, step, { by: run });
  if (entry === undefined) throw new Error(`reward ${rewardId} is gone from the ledger`);
  return entry;
}

/**
 * Waits before a call with an unknown outcome is repeated; false where it must not be: keys are not honoured,
 * or the run is stopping.
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
  if (answer.kind === 'misconfigured') return unpaid(entry, 'misconfigured', waitingOrUnknown(entry), reason);
  if (entry.payment === 'unknown') return unpaid(entry, 'outcome-unknown', 'unknown', reason);
  return unpaid(entry, 'retry', 'waiting', reason);
}

function waitingOrUnknown({ payment }: LedgerEntry): 'waiting' | 'unknown' {
  return payment === 'unknown' ? 'unknown' : 'waiting';
}

function unpaid(
  entry: LedgerEntry,
  cause: UnpaidCause,
  outcome: Extract<MoneyOutcome, 'held' | 'unknown' | 'waiting'>,
  reason: string,
): PaymentResult {
  return { kind: 'unpaid', entry, cause, outcome, reason };
}
