import { backoffMs } from '../../base/backoff.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import type { PayerAnswer } from '../../payer/payer.ts';
import type { LedgerEntry, Stepped } from '../../store/ledger/ledger.ts';
import { capOfPlan } from '../rules/payment-plan.ts';
import { capsOn } from '../rules/policy.ts';
import { answered, type ClaimKept, type ClaimOptions, claim, mayCall } from '../rules/transitions.ts';
import { handedOverReason, isBatch } from './entry-record.ts';
import { recoverReward } from './recover-rewards.ts';
import { type MoneyOutcome, paymentOf, type Settlement } from './settlement.ts';

/** Why the money of a reward is not decided after a run had its turn. */
export type UnpaidCause =
  /** Policy holds it, or a person does, with a batch. */
  | 'held'
  /** It is no longer as it was planned. */
  | 'drifted'
  /** It is not in the plan that is carried out. */
  | 'not-planned'
  /** The service lists it more than once, with different terms. */
  | 'contradictory'
  /** No room under a cap. */
  | 'capped'
  | 'frozen'
  /** Another process is at it. */
  | 'under-way'
  /** The service does not wait for it, or does not show it. */
  | 'not-queued'
  /** A call of an earlier run may have paid, and another one could pay twice. */
  | 'in-doubt'
  /** A call of this run may have paid. */
  | 'outcome-unknown'
  /** The payer asked to come back later, or could not be reached. */
  | 'retry'
  /** The payer does not know us. */
  | 'misconfigured';

/** How far the payment of one reward came. */
export type PaymentResult =
  | {
      readonly kind: 'decided';
      readonly entry: LedgerEntry;
      /** Whether a call of this run decided it. */
      readonly isNew: boolean;
    }
  | {
      readonly kind: 'unpaid';
      readonly entry: LedgerEntry;
      readonly cause: UnpaidCause;
      readonly outcome: Extract<MoneyOutcome, 'held' | 'unknown' | 'open'>;
      readonly reason: string;
    };

/** Sees the reward at the service anew, and notes it in the ledger. */
export type Refresh = (entry: LedgerEntry) => Promise<void>;

/** Told how far a reward came, so that others can have their turn while what came of it is put on record. */
export interface RewardTurn {
  /** The payer has paid; from here on nobody but this machine is waited for. */
  paid(): void;
  /** Resolves when the service may be called. */
  toBeTold(): Promise<void>;
  /** The service has confirmed a payment; likewise. */
  confirmed(): void;
}

/** That of a reward which nothing else waits for. */
export const ownTurn: RewardTurn = {
  paid: () => undefined,
  toBeTold: async () => undefined,
  confirmed: () => undefined,
};

/** How long a payer that honours keys is left alone before a lost call is repeated. */
const repeatPause = { firstMs: 500, longestMs: 5_000 };

/** What a claim leaves beyond the payer's own time, in milliseconds: to be suspended, or to wait for the disk. */
const leaseSlackMs = 60_000;

/**
 * Pays one reward, where that is allowed, and notes the outcome: claim, call, outcome, each durable before the next. The payer is called once at the
 * most; a call whose outcome is unknown is repeated by a later turn of the reward, under the same key, to a payer that honours it.
 */
export async function payReward(
  settlement: Settlement,
  rewardId: string,
  refresh: Refresh,
  turn: RewardTurn = ownTurn,
): Promise<PaymentResult> {
  const claimed = await claimReward(settlement, rewardId, refresh);
  if (claimed.kind !== 'claimed') return claimed;
  const answer = await callPayer(settlement, claimed.entry);
  const noted = noteAnswer(settlement, claimed.entry, answer);
  // The ledger takes changes in the order they came in: the next claim is not on record before this outcome is.
  if (answer.kind === 'paid') turn.paid();
  const entry = await noted;
  if (entry.payment !== 'paid' && entry.payment !== 'refused') return unpaidAfter(entry, answer);
  await settlement.payer.forget(paymentOf(entry).key);
  return { kind: 'decided', entry, isNew: true };
}

type Claimed = PaymentResult | { readonly kind: 'claimed'; readonly entry: LedgerEntry };

async function claimReward(settlement: Settlement, rewardId: string, refresh: Refresh): Promise<Claimed> {
  const { ledger } = settlement;
  const found = await ledger.find(rewardId);
  if (found === undefined) throw new Error(`reward ${rewardId} was not seen before it is paid`);
  const { entry, underWay } = await recoverReward(settlement, found);
  if (underWay !== undefined) return unpaidUnderWay(entry, underWay);
  const first = await tryClaim(settlement, entry);
  if (first.kind === 'changed') return { kind: 'claimed', entry: first.entry };
  if (first.reason.kind !== 'stale') return unclaimed(first.entry ?? entry, first.reason);
  await refresh(entry);
  const second = await tryClaim(settlement, (await ledger.find(rewardId)) ?? entry);
  if (second.kind === 'changed') return { kind: 'claimed', entry: second.entry };
  return unclaimed(second.entry ?? entry, second.reason);
}

/**
 * Takes a reward for one call, of this run unless it is for another owner.
 * @throws Failure('ledger') where this ledger is not the one in use: then the claim was released, and nothing may be paid.
 */
export async function tryClaim(
  settlement: Settlement,
  entry: LedgerEntry,
  owner: Pick<ClaimOptions, 'owner' | 'leaseMs'> = {
    owner: settlement.run,
    leaseMs: settlement.payer.timeoutMs + leaseSlackMs,
  },
): Promise<Stepped<ClaimKept>> {
  const { ledger, run } = settlement;
  const options = { ...claimOptions(settlement, entry, settlement.clock.now()), ...owner };
  const scopes = options.caps.map(({ scope }) => scope);
  const stepped = await ledger.change(entry.rewardId, claim(options), { by: run, scopes });
  if (stepped.kind === 'changed') await fenceClaim(settlement, stepped.entry);
  return stepped;
}

/** What a claim of this settlement goes by, whoever is to act on it. */
export function claimOptions(
  { ledger, payer, policy, plan, run }: Settlement,
  { rewardId, seen, terms }: LedgerEntry,
  nowMs: number,
): Omit<ClaimOptions, 'owner' | 'leaseMs'> {
  const memberOriginId = terms?.memberOriginId ?? seen.memberOriginId ?? '';
  const caps = capsOn(policy, { run, memberOriginId, nowMs });
  return {
    identity: ledger.identity,
    run,
    policy,
    capabilities: payer.capabilities,
    ...(plan === undefined
      ? { caps }
      : { caps: [...caps, capOfPlan(plan)], plan: { id: plan.id, payment: plan.payments.get(rewardId) } }),
  };
}

/** The last thing before a claim may be acted on: of copies of one ledger, one alone gets through. */
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

/** How far the payment of a reward came that was not claimed. */
export function unclaimed(entry: LedgerEntry, reason: ClaimKept): PaymentResult {
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
      return unpaid(entry, 'not-queued', openOrUnknown(entry), 'the service does not show it any more');
    case 'not-queued':
      return unpaid(entry, 'not-queued', openOrUnknown(entry), reason.message);
    case 'drifted':
      return unpaid(entry, 'drifted', entry.payment === 'unknown' ? 'unknown' : 'held', reason.message);
    case 'not-planned':
      return unpaid(entry, 'not-planned', openOrUnknown(entry), reason.message);
    case 'frozen':
      return unpaid(entry, 'frozen', openOrUnknown(entry), reason.message);
    case 'not-found':
      throw new Error(reason.message);
  }
}

function causeOf(reason: Extract<ClaimKept, { kind: 'held' | 'capped' }>): UnpaidCause {
  return reason.kind === 'held' && reason.reason === 'contradictory' ? reason.reason : reason.kind;
}

function unpaidUnderWay(entry: LedgerEntry, reason = 'another process is paying it'): PaymentResult {
  if (!isBatch(entry)) return unpaid(entry, 'under-way', 'open', reason);
  return unpaid(entry, 'held', 'open', handedOverReason(entry));
}

/** Asks the ledger once more, as the last thing before the money may move: the process may have been suspended since the claim. */
async function callPayer(settlement: Settlement, claimed: LedgerEntry): Promise<PayerAnswer> {
  const { ledger, payer, run, clock } = settlement;
  const entry = await ledger.find(claimed.rewardId);
  const look = { attempt: claimed.attempt, owner: run, nowMs: clock.now(), timeoutMs: payer.timeoutMs };
  if (!mayCall(entry, look)) {
    return { kind: 'retry', message: 'this process was suspended before it called the payer' };
  }
  try {
    return await payer.pay(paymentOf(claimed));
  } catch (error) {
    // A claim must not stay behind for as long as this process lives.
    const isUncalled = error instanceof Failure && error.kind === 'config';
    return { kind: isUncalled ? 'misconfigured' : 'ambiguous', message: messageOf(error) };
  }
}

async function noteAnswer(
  { ledger, payer, run }: Settlement,
  { rewardId, attempt }: LedgerEntry,
  answer: PayerAnswer,
): Promise<LedgerEntry> {
  const { entry } = await ledger.change(rewardId, answered(attempt, answer, payer.capabilities), { by: run });
  if (entry === undefined) throw new Error(`reward ${rewardId} is gone from the ledger`);
  return entry;
}

/** Leaves a payer that lost a call in peace before it is repeated; false where it is not to be: keys are not honoured, or the run is to stop. */
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
  if (answer.kind === 'misconfigured') return unpaid(entry, 'misconfigured', openOrUnknown(entry), reason);
  if (entry.payment === 'unknown') return unpaid(entry, 'outcome-unknown', 'unknown', reason);
  return unpaid(entry, 'retry', 'open', reason);
}

function openOrUnknown({ payment }: LedgerEntry): 'open' | 'unknown' {
  return payment === 'unknown' ? 'unknown' : 'open';
}

function unpaid(
  entry: LedgerEntry,
  cause: UnpaidCause,
  outcome: Extract<MoneyOutcome, 'held' | 'unknown' | 'open'>,
  reason: string,
): PaymentResult {
  return { kind: 'unpaid', entry, cause, outcome, reason };
}
