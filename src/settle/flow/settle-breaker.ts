import { Failure } from '../../base/failure.ts';
import type { SettledReward } from './settle-reward.ts';

/** So many rewards in a row whose calls are lost, and the payer is broken; one reward alone may be what it cannot bear. */
const doubtsInRow = 3;
/** So many rewards in a row for which the payer rejects our credentials or its address: all will be. */
const rejectionsInRow = 2;
/** So many payments in a row that the payer could not take, and it counts as gone. */
const retriesInRow = 5;
/** So many refusals in a row, none of which can be taken back, and a person should see whether the payer is in its senses. */
const refusalsInRow = 5;
/** So many rewards in a row that the service could not be told of, and it counts as gone. */
const troublesInRow = 5;

/** Ends a run whose payer or service fails: a dead payer must not turn a queue into unknowns, nor a mad one cancel it. */
export interface SettleBreaker {
  /** Notes that the payer has paid, as soon as it says so: what it is called for from then on is judged by that. */
  notePaid(): void;
  /** Notes what became of a reward in all, once it is on record. */
  note(settled: SettledReward): void;
  /** Whether the payer has paid in this run; until then it is called for one reward at a time. */
  readonly isProven: boolean;
  /** Whether no further payment is to be begun. */
  readonly isOpen: boolean;
  /** @throws why the run ended early, if it did. */
  check(): void;
}

/** `inDoubt`: rewards that the payer left in doubt lately; then one more is enough. */
export function createSettleBreaker({ inDoubt }: { readonly inDoubt: ReadonlySet<string> }): SettleBreaker {
  const doubts = new Set([...inDoubt].slice(0, doubtsInRow - 1));
  /** Why the payer rejected the last rewards, each of which another one may disprove. */
  let rejections: readonly string[] = [];
  let retries = 0;
  let refusals = 0;
  let troubles = 0;
  let isProven = false;
  let failure: Failure | undefined;
  const noteAnswer = ({ outcome: { rewardId, outcome, reason = '' }, isEarlier, cause }: SettledReward) => {
    if (cause === 'outcome-unknown') doubts.add(rewardId);
    if (cause === 'misconfigured') rejections = [...rejections, reason];
    if (cause === 'retry') retries += 1;
    if (isEarlier || outcome !== 'refused') return;
    forgetFailures();
    refusals += 1;
  };
  const forgetFailures = () => {
    doubts.clear();
    rejections = [];
    retries = 0;
  };
  return {
    notePaid: () => {
      forgetFailures();
      refusals = 0;
      isProven = true;
    },
    note: (settled) => {
      const { outcome, cause, trouble } = settled;
      noteAnswer(settled);
      if (cause === undefined) troubles = trouble === undefined ? 0 : troubles + 1;
      const reason = outcome.reason ?? '';
      if (cause === 'frozen') failure ??= frozen(reason);
      if (rejections.length >= rejectionsInRow) failure ??= misconfigured(reason);
      if (doubts.size >= doubtsInRow) failure ??= doubtful(reason);
      if (retries >= retriesInRow) failure ??= gone(reason);
      if (refusals >= refusalsInRow) failure ??= refusing(reason);
      if (troubles >= troublesInRow) failure ??= trouble;
    },
    get isProven() {
      return isProven;
    },
    get isOpen() {
      return failure !== undefined;
    },
    check: () => {
      const [rejection] = rejections;
      if (rejection !== undefined) failure ??= misconfigured(rejection);
      if (failure !== undefined) throw failure;
    },
  };
}

function misconfigured(reason: string): Failure {
  return new Failure(
    'config',
    `the payer rejected our credentials or endpoint: ${reason}; no reward was cancelled for it`,
    'correct its address, program or credential, prove it with: reviewctl payer check, then run the same command again',
  );
}

function frozen(reason: string): Failure {
  return new Failure('guard', reason, 'once the reason is gone: reviewctl ledger unfreeze');
}

function doubtful(reason: string): Failure {
  return new Failure(
    'unknown-outcome',
    `stopped, since the payer left too many payments in a row in doubt: ${reason}`,
    'see what to ask the payer with: reviewctl ledger list --payment unknown',
  );
}

function refusing(reason: string): Failure {
  return new Failure(
    'guard',
    `stopped after ${refusalsInRow} refusals in a row, each of which cancels a reward for good: ${reason}`,
    'if the payer is right, run the same command again: it continues with the next rewards; if not, correct it first',
  );
}

function gone(reason: string): Failure {
  return new Failure(
    'unreachable',
    `stopped after ${retriesInRow} payments in a row that the payer did not take: ${reason}`,
    'once the payer is back, run the same command again: nothing is lost',
  );
}
