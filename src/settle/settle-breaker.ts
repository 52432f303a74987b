import { Failure } from '../base/failure.ts';
import type { SettledReward } from './settle-reward.ts';

/** So many calls in a row whose outcome is unknown, and the payer counts as broken. */
const doubtsInRow = 3;
/** So many payments in a row that the payer could not take, and it counts as gone. */
const retriesInRow = 5;
/** So many rewards in a row that the service could not be told of, and it counts as gone. */
const troublesInRow = 5;

/** Ends a run whose payer or service fails: a dead payer must not turn a queue into unknowns. */
export interface SettleBreaker {
  note(settled: SettledReward): void;
  /** Whether no further payment is to be begun. */
  readonly isOpen: boolean;
  /** @throws why the run ended early, if it did. */
  check(): void;
}

export function createSettleBreaker(): SettleBreaker {
  let doubts = 0;
  let retries = 0;
  let troubles = 0;
  let failure: Failure | undefined;
  return {
    note: ({ outcome, cause, trouble }) => {
      if (outcome.outcome === 'paid' || outcome.outcome === 'refused') [doubts, retries] = [0, 0];
      if (cause === 'lost') doubts += 1;
      if (cause === 'retry') retries += 1;
      if (cause === undefined) troubles = trouble === undefined ? 0 : troubles + 1;
      const reason = outcome.reason ?? '';
      if (cause === 'misconfigured') failure ??= misconfigured(reason);
      if (cause === 'frozen') failure ??= frozen(reason);
      if (doubts >= doubtsInRow) failure ??= doubtful(reason);
      if (retries >= retriesInRow) failure ??= gone(reason);
      if (troubles >= troublesInRow) failure ??= trouble;
    },
    get isOpen() {
      return failure !== undefined;
    },
    check: () => {
      if (failure !== undefined) throw failure;
    },
  };
}

function misconfigured(reason: string): Failure {
  return new Failure(
    'config',
    `the payer does not know us: ${reason}; no reward was cancelled for it`,
    'correct its address, program or credential, prove it with: reviewctl payer check, then run the same command again',
  );
}

function frozen(reason: string): Failure {
  return new Failure('guard', reason, 'once the reason is gone: reviewctl ledger unfreeze');
}

function doubtful(reason: string): Failure {
  return new Failure(
    'unknown-outcome',
    `stopped after ${doubtsInRow} payments in a row whose outcome is unknown: ${reason}`,
    'see what to ask the payer with: reviewctl ledger list --pay unknown',
  );
}

function gone(reason: string): Failure {
  return new Failure(
    'unreachable',
    `stopped after ${retriesInRow} payments in a row that the payer did not take: ${reason}`,
    'once the payer is back, run the same command again: nothing is lost',
  );
}
