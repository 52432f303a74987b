import type { Clock } from '../../base/clock.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import type { PaymentResult } from './pay-reward.ts';

/**
 * Consecutive rewards with an unknown outcome or rejected credentials after which the payer is broken. A
 * single reward proves nothing: it may itself be the cause.
 */
const failuresInRow = 3;
/** The interval at which a broken payer is tried, and called for a reward it failed before, in milliseconds. */
const pauseMs = 60_000;
/** The number of rewards whose failures are remembered; the ledger remembers those in doubt. */
const remembered = 10_000;

/**
 * Stops calls to a broken payer, so that an outage does not leave every reward with an unknown outcome.
 * Rewards that failed before have an interval of their own: repeated webhooks about one of them do not delay
 * the others.
 */
export interface PayerPause {
  /**
   * Whether this payment may begin now. A broken payer gets one payment per interval, and one that failed
   * before. `known` is the ledger's entry of the reward.
   */
  mayPay(rewardId: string, known: Pick<LedgerEntry, 'payment' | 'lastCallAtMs'> | undefined): boolean;
  note(rewardId: string, end: PaymentResult): void;
  readonly isBroken: boolean;
}

export function createPayerPause(clock: Clock): PayerPause {
  const inRow = new Set<string>();
  const failedAtMs = new Map<string, number>();
  const triedMs = { new: Number.NEGATIVE_INFINITY, failed: Number.NEGATIVE_INFINITY };
  const isBroken = () => inRow.size >= failuresInRow;
  // A clock that is set back must not block the payer until it catches up.
  const isLately = (ms: number) => Math.abs(clock.now() - ms) < pauseMs;
  return {
    mayPay: (rewardId, known) => {
      const lastMs = failedAtMs.get(rewardId) ?? (known?.payment === 'unknown' ? known.lastCallAtMs : null);
      if (lastMs !== null && isLately(lastMs)) return false;
      const turn = lastMs === null ? 'new' : 'failed';
      if (isBroken() && isLately(triedMs[turn])) return false;
      triedMs[turn] = clock.now();
      return true;
    },
    note: (rewardId, end) => {
      if (end.kind === 'decided') {
        inRow.clear();
        failedAtMs.delete(rewardId);
      } else if (end.cause === 'outcome-unknown' || end.cause === 'misconfigured') {
        inRow.add(rewardId);
        failedAtMs.delete(rewardId);
        failedAtMs.set(rewardId, clock.now());
        const [oldest = rewardId] = failedAtMs.keys();
        if (failedAtMs.size > remembered) failedAtMs.delete(oldest);
      }
    },
    get isBroken() {
      return isBroken();
    },
  };
}
