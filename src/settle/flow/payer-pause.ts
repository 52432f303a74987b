import type { Clock } from '../../base/clock.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import type { PaymentResult } from './pay-reward.ts';

/**
 * Consecutive rewards with an unknown outcome or rejected credentials after which the payer counts as broken. A single
 * reward proves nothing: it may itself be the cause.
 */
const failuresInRow = 3;
/** The interval between attempts of a broken payer, and between calls for the same failed reward, in milliseconds. */
const pauseMs = 60_000;
/** The number of failed rewards to remember. The ledger remembers those in doubt. */
const remembered = 10_000;

/**
 * Stops calls to a broken payer, so that an outage does not leave every reward with an unknown outcome. Rewards that
 * failed before have their own interval: repeated webhooks about one of them do not delay the others.
 */
export function createPayerPause(clock: Clock) {
  const inRow = new Set<string>();
  const failedSinceMs = new Map<string, number>();
  const triedMs = { new: Number.NEGATIVE_INFINITY, failed: Number.NEGATIVE_INFINITY };
  const isBroken = () => inRow.size >= failuresInRow;
  const isPausing = (sinceMs: number) => clock.monotonicMs() - sinceMs < pauseMs;
  // Instants in the ledger were read from a clock that may have been set back since.
  const isRecentCall = (atMs: number) => Math.abs(clock.now() - atMs) < pauseMs;
  return {
    /**
     * True if this payment may begin now. Per interval, a broken payer gets one new payment and one that failed before.
     * `known` is the ledger's entry of the reward.
     */
    mayPay: (rewardId: string, known?: Pick<LedgerEntry, 'payment' | 'lastCallAtMs'>) => {
      const failedMs = failedSinceMs.get(rewardId);
      const calledAtMs = known?.payment === 'unknown' ? known.lastCallAtMs : null;
      const hasFailed = failedMs !== undefined || calledAtMs !== null;
      const isTooSoon =
        failedMs === undefined ? calledAtMs !== null && isRecentCall(calledAtMs) : isPausing(failedMs);
      if (isTooSoon) return false;
      const turn = hasFailed ? 'failed' : 'new';
      if (isBroken() && isPausing(triedMs[turn])) return false;
      triedMs[turn] = clock.monotonicMs();
      return true;
    },
    note: (rewardId: string, end: PaymentResult) => {
      if (end.kind === 'decided') {
        inRow.clear();
        failedSinceMs.delete(rewardId);
      } else if (end.cause === 'outcome-unknown' || end.cause === 'misconfigured') {
        inRow.add(rewardId);
        failedSinceMs.delete(rewardId);
        failedSinceMs.set(rewardId, clock.monotonicMs());
        const [oldest = rewardId] = failedSinceMs.keys();
        if (failedSinceMs.size > remembered) failedSinceMs.delete(oldest);
      }
    },
    isBroken,
  };
}
