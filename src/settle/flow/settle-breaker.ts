import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { SettledReward } from './settle-reward.ts';

/**
 * Consecutive rewards with an unknown outcome after which the payer counts as broken. A single reward proves nothing:
 * it may itself be the cause.
 */
const doubtsInRow = 3;
/** Consecutive rewards for which the payer rejects our credentials or its address, before the run ends. */
const rejectionsInRow = 2;
/** Consecutive payments that the payer could not accept, after which it counts as unreachable. */
const retriesInRow = 5;
/** Consecutive refusals, which are final, after which a person has to check the payer. */
const refusalsInRow = 5;
/** Consecutive rewards that could not be reported, after which the service counts as unreachable. */
const troublesInRow = 5;

export type SettleBreaker = ReturnType<typeof createSettleBreaker>;

/**
 * Ends a run if payer or service fails: an outage must not leave the whole queue with unknown outcomes, and a faulty
 * payer must not cancel it. `inDoubt` are rewards that the payer recently left in doubt; with any of them, one more
 * opens the breaker.
 */
export function createSettleBreaker(inDoubt: ReadonlySet<string>) {
  const doubts = new Set([...inDoubt].slice(0, doubtsInRow - 1));
  /** The payer's reasons for rejecting the last rewards. One accepted reward clears them. */
  let rejections: readonly string[] = [];
  let [retries, refusals, troubles, underWay] = [0, 0, 0, 0];
  let isProven = false;
  let lastDoubt = '';
  const areDoubtsInRow = () => doubts.size >= doubtsInRow;
  let failure: unknown;
  const forgetFailures = () => {
    doubts.clear();
    rejections = [];
    retries = 0;
  };
  return {
    /** Notes that the turn of a reward begins; `note` or `noteFailure` ends it. */
    noteBegun: () => {
      underWay += 1;
    },
    /** Notes a payment as soon as the payer answers, since it counts for later calls. */
    notePaid: () => {
      forgetFailures();
      refusals = 0;
      isProven = true;
    },
    /** Notes the result of a reward, once it is recorded. */
    note: ({ outcome: { rewardId, outcome, reason = '' }, isEarlier, cause, trouble }: SettledReward) => {
      underWay = Math.max(0, underWay - 1);
      if (cause === 'outcome-unknown') {
        doubts.add(rewardId);
        lastDoubt = reason;
      }
      if (cause === 'misconfigured') rejections = [...rejections, reason];
      if (cause === 'retry') retries += 1;
      if (!isEarlier && outcome === 'refused') {
        forgetFailures();
        refusals += 1;
      }
      if (cause === undefined) troubles = trouble === undefined ? 0 : troubles + 1;
      if (cause === 'frozen') failure ??= new Failure('guard', reason, afterFreeze);
      if (rejections.length >= rejectionsInRow) failure ??= misconfigured(reason);
      // A payment that began among those in doubt may still succeed.
      if (areDoubtsInRow() && underWay === 0) failure ??= doubtful(lastDoubt);
      if (retries >= retriesInRow) failure ??= gone(reason);
      if (refusals >= refusalsInRow) failure ??= refusing(reason);
      if (troubles >= troublesInRow || trouble?.isPassing === false) failure ??= trouble;
    },
    /** Notes an error that ended the turn of a reward without a result. It ends the run. */
    noteFailure: (error: unknown) => {
      failure ??= error;
    },
    /** True if the payer has paid and does not look broken. Otherwise, rewards go one at a time. */
    get isProven() {
      return isProven && !areDoubtsInRow();
    },
    /** True if no further payment may begin. */
    get isOpen() {
      return failure !== undefined;
    },
    /** @throws the error that ended the run early, if any. */
    check: () => {
      if (rejections[0] !== undefined) failure ??= misconfigured(rejections[0]);
      if (failure !== undefined) throw failure;
    },
  };
}

const afterFreeze = hint`once the reason is gone: ${reviewctl`ledger unfreeze`}`;

function misconfigured(reason: string): Failure {
  return new Failure(
    'config',
    `the payer rejected our credentials or endpoint: ${reason}; no reward was cancelled for it`,
    hint`correct its address, program or credential, prove it with: ${reviewctl`payer check --member MEMBER`},
      then run the same command again`,
  );
}

function doubtful(reason: string): Failure {
  return new Failure(
    'unknown-outcome',
    `stopped: too many payments in a row had an unknown outcome, including those of the last hour: ${reason}`,
    hint`list the payments to ask the payer about: ${reviewctl`ledger list --payment unknown`}`,
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
    `stopped after ${retriesInRow} payments in a row that the payer did not accept: ${reason}`,
    'once the payer is back, run the same command again: nothing is lost',
  );
}
