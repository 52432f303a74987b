import { Failure } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import type { ServiceFailure } from '../../client/service-failure.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import { inDoubtSinceMs, unaddressable } from '../rules/policy.ts';
import { firstEntry, observe } from '../rules/transitions.ts';
import { isBatch } from './entry-record.ts';
import {
  noSlot,
  type PaymentResult,
  payReward,
  type Refresh,
  type RewardToPay,
  type Slot,
  type UnpaidCause,
  undecidedOutcome,
} from './pay-reward.ts';
import { recoverOrLookUp } from './recover-rewards.ts';
import { reportOutcome } from './report-outcome.ts';
import type { ObservedReward } from './reward-service.ts';
import { lastEventOf, type RewardOutcome, rewardOutcome, type Settlement } from './settlement.ts';
import { observeReward } from './sync-queued.ts';

/** The cause why a run left a reward. `vanished`: it is waiting in the ledger, but not QUEUED at the service. */
export type LeftCause = UnpaidCause | 'vanished';

/** The result of one reward, with the facts that determine the exit code. */
export interface SettledReward {
  readonly outcome: RewardOutcome;
  /** True if the payment was decided before this run, which only reports it. */
  readonly isEarlier?: boolean;
  /** The cause why the payment is not decided, if it is not. */
  readonly cause?: LeftCause | undefined;
  /** The next step of a person, after the reason in `outcome`. */
  readonly remedy?: HintText | undefined;
  /** The results file from which a person makes the payment, while its outcome is open. */
  readonly batch?: string | undefined;
  /** The instant since which the outcome is unknown, if it is. */
  readonly inDoubtSinceMs?: number | undefined;
  /** The reason why the service has not provably recorded the outcome. */
  readonly trouble?: ServiceFailure | undefined;
  /** An earlier payment with the same receipt. */
  readonly sameReceiptAs?: SameReceipt | undefined;
}

/** A receipt shared by two payments, and the reward of the earlier one. */
export interface SameReceipt {
  readonly ref: string;
  readonly rewardId: string;
}

/** Finds an earlier payment with the same receipt: the payer may have replayed an answer. */
export async function findSameReceipt(
  { ledger }: Settlement,
  entry: LedgerEntry,
): Promise<SameReceipt | undefined> {
  if (entry.payment !== 'paid' || entry.ref === null) return undefined;
  const rewardId = await ledger.findSameReceipt(entry);
  return rewardId === undefined ? undefined : { ref: entry.ref, rewardId };
}

/** Pays one reward, if that is allowed, and reports it to the service once it is decided. */
export async function settleReward(
  settlement: Settlement,
  reward: RewardToPay,
  refresh: Refresh,
  slot: Slot = noSlot,
): Promise<SettledReward> {
  const end = await payReward(settlement, reward, refresh, slot);
  if (end.kind === 'unpaid') return settledAs(end);
  if (!end.isNew && slot.skipIfTaken)
    return settledAs({ ...end, cause: 'under-way', reason: 'another process has just decided it' });
  const isKnown = end.entry.report === 'confirmed' && !(await isForgotten(settlement, end.entry));
  const isEarlier = !end.isNew;
  if (isKnown) return { outcome: rewardOutcome(end.entry), isEarlier };
  // A decision of this run was proved to be in the ledger in use. Another process may have decided in an outdated copy.
  if (isEarlier) await settlement.ledger.fence();
  const { entry, trouble } = await reportOutcome(settlement, end.entry, slot);
  const sameReceiptAs = await findSameReceipt(settlement, entry);
  return { outcome: rewardOutcome(entry), isEarlier, trouble, sameReceiptAs };
}

/**
 * True if the service confirmed the report but lists the reward as QUEUED again. A reward listed before another run
 * reported it is not forgotten. A report dated in the future was made before the clock was set back, so the list may be
 * newer.
 */
async function isForgotten({ ledger, clock }: Settlement, { rewardId, seen }: LedgerEntry): Promise<boolean> {
  if (seen.status !== 'QUEUED') return false;
  const { atMs = 0 } = (await lastEventOf(ledger, rewardId, ['reported'])) ?? {};
  return atMs <= seen.atMs || atMs > clock.now();
}

/** The result of a reward that cannot be addressed and is not in the ledger. */
export function unaddressableReward({ rewardId, seen }: ObservedReward): SettledReward {
  const reason = unaddressable(rewardId);
  return { outcome: rewardOutcome(firstEntry(rewardId, seen), { outcome: 'held', reason }), cause: 'held' };
}

/** The result of an undecided reward, which may be in a batch or have an unknown outcome. */
export function settledAs({ entry, reason, cause, remedy }: Omit<UnpaidResult, 'kind'>): SettledReward {
  const outcome = undecidedOutcome(entry, cause);
  return {
    outcome: rewardOutcome(entry, { outcome, reason }),
    cause,
    remedy,
    batch: isBatch(entry) ? entry.call.owner : undefined,
    inDoubtSinceMs: inDoubtSinceMs(entry),
  };
}

type UnpaidResult = Extract<PaymentResult, { readonly kind: 'unpaid' }>;

/**
 * Pays and reports one reward, as a webhook and a later poll would.
 * @throws Failure('refused') if the id cannot be addressed, or the reward is neither QUEUED nor in the ledger.
 * @throws Failure('not-found') if neither service nor ledger has the reward.
 */
export async function triggerReward(settlement: Settlement, rewardId: string): Promise<SettledReward> {
  if (!isPathSegment(rewardId)) {
    throw new Failure(
      'refused',
      unaddressable(rewardId),
      'nothing was paid; have the service give the reward another id',
    );
  }
  const { ledger, service, run } = settlement;
  const known = await ledger.find(rewardId);
  if (known !== undefined) await recoverOrLookUp(settlement, known);
  const shown = await service.find(rewardId, {});
  if (known === undefined && shown?.seen.status !== 'QUEUED') throw notWaiting(rewardId, shown?.seen.status);
  if (shown !== undefined) await ledger.change(rewardId, observe(rewardId, shown.seen), { by: run });
  return settleReward(settlement, { rewardId }, async () => {
    await observeReward(settlement, rewardId, {});
  });
}

function notWaiting(rewardId: string, status: string | undefined): Failure {
  const next = hint`list the waiting rewards: ${reviewctl`rewards list --status QUEUED -o ids`}`;
  return status === undefined
    ? new Failure('not-found', `the service shows no reward ${rewardId}`, next)
    : new Failure(
        'refused',
        `reward ${rewardId} does not wait for payment: it is ${status || 'without a status'}`,
        next,
      );
}
