import type { ServiceFailure } from '../../client/service-failure.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import { unaddressable } from '../rules/policy.ts';
import { firstEntry } from '../rules/transitions.ts';
import { inDoubtSinceMs } from '../rules/unknown-age.ts';
import { isBatch } from './entry-record.ts';
import {
  ownTurn,
  type PaymentResult,
  payReward,
  type Refresh,
  type RewardTurn,
  type UnpaidCause,
} from './pay-reward.ts';
import { reportOutcome } from './report-outcome.ts';
import type { SeenReward } from './reward-service.ts';
import { outcomeOf, type RewardOutcome, type Settlement } from './settlement.ts';

/** What became of one reward, with what an exit code has to know of it. */
export interface SettledReward {
  readonly outcome: RewardOutcome;
  /** Whether its money was decided before this run, which only tells of it. */
  readonly isEarlier?: boolean;
  /** Why its money is not decided; undefined where it is. */
  readonly cause?: UnpaidCause;
  /** The results file by which a person makes the payment, while its outcome is open. */
  readonly batch?: string;
  /** Since when its outcome is unknown, where it is. */
  readonly inDoubtSinceMs?: number;
  /** Why the service does not provably know yet. */
  readonly trouble?: ServiceFailure;
}

/** Pays one reward where that is allowed, and tells the service of it once it is decided. */
export async function settleReward(
  settlement: Settlement,
  { rewardId }: Pick<LedgerEntry, 'rewardId'>,
  refresh: Refresh,
  turn: RewardTurn = ownTurn,
): Promise<SettledReward> {
  const end = await payReward(settlement, rewardId, refresh, turn);
  if (end.kind === 'unpaid') return settledAs(end);
  // What the service confirmed and shows as QUEUED all the same, it has forgotten.
  const isKnown = end.entry.report === 'confirmed' && end.entry.seen.status !== 'QUEUED';
  const isEarlier = !end.isNew;
  if (isKnown) return { outcome: outcomeOf(end.entry), isEarlier };
  const { entry, trouble } = await reportOutcome(settlement, end.entry, turn);
  return { outcome: outcomeOf(entry), isEarlier, ...(trouble === undefined ? {} : { trouble }) };
}

/** What became of a reward that cannot be addressed, and is not in the ledger. */
export function heldAside({ rewardId, seen }: SeenReward): SettledReward {
  const reason = unaddressable(rewardId);
  return { outcome: outcomeOf(firstEntry(rewardId, seen), { outcome: 'held', reason }), cause: 'held' };
}

/** What became of a reward whose money is not decided. */
export function settledAs({
  entry,
  outcome,
  reason,
  cause,
}: Extract<PaymentResult, { kind: 'unpaid' }>): SettledReward {
  return { outcome: outcomeOf(entry, { outcome, reason }), cause, ...waitOf(entry) };
}

/** Whom a reward that is not decided waits for, and for how long. */
export function waitOf(entry: LedgerEntry): Pick<SettledReward, 'batch' | 'inDoubtSinceMs'> {
  const sinceMs = inDoubtSinceMs(entry);
  return {
    ...(entry.call !== null && isBatch(entry) ? { batch: entry.call.owner } : {}),
    ...(sinceMs === undefined ? {} : { inDoubtSinceMs: sinceMs }),
  };
}
