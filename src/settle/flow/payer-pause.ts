import type { Clock } from '../../base/clock.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import type { PaymentResult } from './pay-reward.ts';

/** So many rewards in a row that the payer left in doubt or rejected us for, and it is broken; one reward alone may be what it cannot bear. */
const failuresInRow = 3;
/** How often a broken payer is tried, and how often it is called for a reward it failed before, in milliseconds. */
const pauseMs = 60_000;
/** Rewards whose failures are remembered; of those in doubt the ledger knows too. */
const remembered = 10_000;

/**
 * Keeps a payer that is broken from being called: a dead one must not turn every reward into an unknown. A reward that the payer failed before has a
 * turn of its own, so that however often it is called about, the others have theirs.
 */
export interface PayerPause {
  /**
   * Whether this payment may be begun now; while the payer is broken, one in a while may, and one of those it failed before. `known` is what the
   * ledger holds of the reward.
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
  // A clock that is set back must not keep the payer from being called until then.
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
