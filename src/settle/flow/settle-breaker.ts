import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { SettledReward } from './settle-reward.ts';

/**
 * Consecutive rewards with an unknown outcome after which the payer is broken. A single reward proves
 * nothing: it may itself be the cause.
 */
const doubtsInRow = 3;
/** Consecutive rewards for which the payer rejects our credentials or its address. */
const rejectionsInRow = 2;
/** Consecutive payments that the payer could not take, after which it is unreachable. */
const retriesInRow = 5;
/** Consecutive refusals, which are final, after which a person has to check the payer. */
const refusalsInRow = 5;
/** Consecutive rewards that could not be reported, after which the service is unreachable. */
const troublesInRow = 5;

/**
 * Ends a run whose payer or service fails: an outage must not leave the queue with unknown outcomes, and a
 * faulty payer must not cancel it.
 */
export interface SettleBreaker {
  /** Notes that the turn of a reward begins; `note` or `noteFailure` ends it. */
  noteBegun(): void;
  /** Notes that the payer has paid, as soon as it answers: later calls are judged by that. */
  notePaid(): void;
  /** Notes the result of a reward, once it is recorded. */
  note(settled: SettledReward): void;
  /** Notes what ended the turn of a reward without a result: the run ends by it. */
  noteFailure(error: unknown): void;
  /**
   * Whether the payer has paid in this run, and is not about to be taken for broken; else it is called for one
   * reward at a time.
   */
  readonly isProven: boolean;
  /** Whether no further payment may begin. */
  readonly isOpen: boolean;
  /** @throws what ended the run early, if anything did. */
  check(): void;
}

/** `inDoubt` are rewards that the payer recently left in doubt; with any, one more opens the breaker. */
export function createSettleBreaker({ inDoubt }: { readonly inDoubt: ReadonlySet<string> }): SettleBreaker {
  const doubts = new Set([...inDoubt].slice(0, doubtsInRow - 1));
  /** The payer's reasons for rejecting the last rewards; one accepted reward disproves them all. */
  let rejections: readonly string[] = [];
  let retries = 0;
  let refusals = 0;
  let troubles = 0;
  let isProven = false;
  let underWay = 0;
  let lastDoubt = '';
  const areDoubtsInRow = () => doubts.size >= doubtsInRow;
  let failure: unknown;
  const noteAnswer = ({ outcome: { rewardId, outcome, reason = '' }, isEarlier, cause }: SettledReward) => {
    if (cause === 'outcome-unknown') {
      doubts.add(rewardId);
      lastDoubt = reason;
    }
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
    noteBegun: () => {
      underWay += 1;
    },
    notePaid: () => {
      forgetFailures();
      refusals = 0;
      isProven = true;
    },
    note: (settled) => {
      const { outcome, cause, trouble } = settled;
      underWay = Math.max(0, underWay - 1);
      noteAnswer(settled);
      if (cause === undefined) troubles = trouble === undefined ? 0 : troubles + 1;
      const reason = outcome.reason ?? '';
      if (cause === 'frozen') failure ??= new Failure('guard', reason, afterFreeze);
      if (rejections.length >= rejectionsInRow) failure ??= misconfigured(reason);
      // A payment that began between those in doubt may succeed, though it takes longer.
      if (areDoubtsInRow() && underWay === 0) failure ??= doubtful(lastDoubt, hasEarlier(doubts, inDoubt));
      if (retries >= retriesInRow) failure ??= gone(reason);
      if (refusals >= refusalsInRow) failure ??= refusing(reason);
      if (troubles >= troublesInRow || trouble?.isPassing === false) failure ??= trouble;
    },
    noteFailure: (error) => {
      failure ??= error;
    },
    get isProven() {
      return isProven && !areDoubtsInRow();
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

const afterFreeze = hint`once the reason is gone: ${reviewctl`ledger unfreeze`}`;

function misconfigured(reason: string): Failure {
  return new Failure(
    'config',
    `the payer rejected our credentials or endpoint: ${reason}; no reward was cancelled for it`,
    hint`correct its address, program or credential, prove it with: ${reviewctl`payer check --member MEMBER`},
      then run the same command again`,
  );
}

function hasEarlier(doubts: ReadonlySet<string>, inDoubt: ReadonlySet<string>): boolean {
  return [...doubts].some((rewardId) => inDoubt.has(rewardId));
}

function doubtful(reason: string, isWithEarlier: boolean): Failure {
  const earlier = isWithEarlier ? ', with those of the last hour' : '';
  return new Failure(
    'unknown-outcome',
    `stopped: too many consecutive payments had an unknown outcome${earlier}: ${reason}`,
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
    `stopped after ${retriesInRow} payments in a row that the payer did not take: ${reason}`,
    'once the payer is back, run the same command again: nothing is lost',
  );
}
