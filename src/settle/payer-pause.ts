import type { Clock } from '../base/clock.ts';
import type { PayEnd } from './pay-reward.ts';

/** So many payments in a row that the payer left in doubt or would not know us for, and it counts as broken. */
const failuresInRow = 3;
/** How often a broken payer is tried, in milliseconds. */
const pauseMs = 60_000;

/** Keeps a payer that is broken from being called: a dead one must not turn every reward into an unknown. */
export interface PayerPause {
  /** Whether one payment may be begun now; while the payer counts as broken, one in a while may. */
  mayPay(): boolean;
  note(end: PayEnd): void;
  readonly isBroken: boolean;
}

export function createPayerPause(clock: Clock): PayerPause {
  let failures = 0;
  let triedMs = Number.NEGATIVE_INFINITY;
  const isBroken = () => failures >= failuresInRow;
  return {
    mayPay: () => {
      if (isBroken() && clock.now() - triedMs < pauseMs) return false;
      triedMs = clock.now();
      return true;
    },
    note: (end) => {
      if (end.kind === 'decided') failures = 0;
      else if (end.cause === 'lost' || end.cause === 'misconfigured') failures += 1;
    },
    get isBroken() {
      return isBroken();
    },
  };
}
