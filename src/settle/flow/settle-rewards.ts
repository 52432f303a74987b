import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { mapConcurrently, type PoolPlace } from '../../base/lists.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import { checkExpectation, type Expectation } from './expectation.ts';
import { pauseBeforeRepeat, type RewardTurn } from './pay-reward.ts';
import { createPlanRun } from './plan-run.ts';
import { recoverRewards } from './recover-rewards.ts';
import { createSettleBreaker, type SettleBreaker } from './settle-breaker.ts';
import { type SettledReward, settledAs, settleReward, unaddressableReward } from './settle-reward.ts';
import { createSettleTurns, recentlyInDoubt, type SettleTurns } from './settle-turns.ts';
import type { Settlement } from './settlement.ts';
import { createRefresher, syncQueued } from './sync-queued.ts';

/** Rewards under way, as a multiple of the concurrent calls: the others wait until their outcome is on disk. */
const windowWidths = 2;

export interface SettleOptions {
  readonly expectation: Expectation;
  /** The number of rewards for which payer or service are called at once. */
  readonly concurrency: number;
}

/**
 * Settles all QUEUED rewards, and those that earlier runs left unfinished: recovers, lists, reports decided
 * rewards, then pays and reports the others, `concurrency` at a time. Rewards in doubt come last and are
 * called for once more at most. Yields the result of each. With a checked plan, pays only its rewards, and
 * records the plan before the first payment.
 * @throws Failure('guard') where the ledger is frozen, the expectation is not met or the plan was carried out
 *   meanwhile; nothing is paid then.
 * @throws the breaker's Failure, after all earlier results were yielded.
 * @throws ServiceFailure where the service cannot be listed or rejects the credential.
 */
export async function* settleRewards(
  settlement: Settlement,
  { expectation, concurrency }: SettleOptions,
): AsyncGenerator<SettledReward> {
  const { ledger, stopping } = settlement;
  const frozen = await ledger.frozen();
  if (frozen !== undefined) throw frozenLedger(frozen);
  await recoverRewards(settlement);
  const { unaddressable, parts } = await syncQueued(settlement);
  if (stopping.aborted) return;
  const breaker = createSettleBreaker({ inDoubt: await recentlyInDoubt(settlement) });
  const mayContinue = () => !stopping.aborted && !breaker.isOpen;
  const all = createSettleTurns(settlement, { parts, mayContinue });
  const planRun = settlement.plan && createPlanRun(settlement, settlement.plan, { mayContinue });
  const turns = planRun?.turns(all) ?? all;
  yield* planRun?.absent() ?? unaddressable.map(unaddressableReward);
  const refresh = createRefresher(settlement);
  const settle = async (entry: LedgerEntry, place: PoolPlace, leavesToOthers = false) => {
    const turn = { ...turnIn(place, breaker), leavesToOthers };
    const result = await settleReward(settlement, { rewardId: entry.rewardId, read: entry }, refresh, turn);
    const settled = planRun?.judge(result, entry) ?? result;
    breaker.note(settled);
    turns.note(settled);
    return settled;
  };
  yield* mapConcurrently(turns.decided(), { width: concurrency, windowWidths }, settle);
  const isExpected = await checkExpectation(settlement, expectation, planRun?.entries());
  await planRun?.begin();
  yield* payInTurn(settlement, { turns, isExpected, breaker, concurrency, settle, mayContinue });
  breaker.check();
  if (mayContinue()) await planRun?.end();
}

/**
 * Gives up the place while payer and service are not needed. Only a success does so: a failure may be the
 * reason to begin no other reward.
 */
function turnIn({ leave, enter }: PoolPlace, breaker: SettleBreaker): Omit<RewardTurn, 'leavesToOthers'> {
  return {
    paid: () => {
      breaker.notePaid();
      leave();
    },
    readyToReport: enter,
    confirmed: leave,
  };
}

interface PayingOptions {
  readonly turns: SettleTurns;
  /** Asked once of each reward without a call. */
  readonly isExpected: (rewardId: string) => boolean;
  readonly breaker: SettleBreaker;
  readonly concurrency: number;
  readonly settle: (entry: LedgerEntry, place: PoolPlace, leavesToOthers?: boolean) => Promise<SettledReward>;
  readonly mayContinue: () => boolean;
}

/** A reward whose call is lost gets another turn at the end, and is yielded only then. */
async function* payInTurn(
  settlement: Settlement,
  { turns, isExpected, breaker, concurrency, settle, mayContinue }: PayingOptions,
): AsyncGenerator<SettledReward> {
  // A payer that is broken, or refuses everything, is detected one reward at a time.
  const width = () => (breaker.isProven ? concurrency : 1);
  const lost = new Map<string, SettledReward>();
  async function* expected(entries: AsyncIterable<LedgerEntry>): AsyncGenerator<LedgerEntry> {
    for await (const entry of entries) {
      if (entry.payment !== 'intended' || isExpected(entry.rewardId)) yield entry;
    }
  }
  try {
    const payOrMeet = async (entry: LedgerEntry, place: PoolPlace) => {
      const wasOpen = entry.payment === 'intended';
      const settled = await settle(entry, place, wasOpen);
      if (!wasOpen || settled.cause !== 'under-way') return settled;
      turns.noteMet(entry.rewardId);
      return undefined;
    };
    for await (const settled of mapConcurrently(expected(turns.open()), { width, windowWidths }, payOrMeet)) {
      if (settled?.cause === 'outcome-unknown') lost.set(settled.outcome.rewardId, settled);
      else if (settled !== undefined) yield settled;
    }
    for await (const settled of mapConcurrently(expected(turns.left()), { width, windowWidths }, settle)) {
      if (settled.cause === 'outcome-unknown') lost.set(settled.outcome.rewardId, settled);
      else yield settled;
    }
    if (lost.size > 0 && !breaker.isOpen) await pauseBeforeRepeat(settlement);
    const callAgain = async (entry: LedgerEntry, place: PoolPlace) =>
      mayContinue() ? settle(entry, place) : (lost.get(entry.rewardId) ?? leftInDoubt(entry));
    for await (const settled of mapConcurrently(turns.inDoubt(), { width, windowWidths }, callAgain)) {
      lost.delete(settled.outcome.rewardId);
      yield settled;
    }
  } catch (error) {
    yield* lost.values();
    throw error;
  }
  yield* lost.values();
}

/** A reward in doubt for which a stopped run does not call the payer again. */
function leftInDoubt(entry: LedgerEntry): SettledReward {
  const reason = entry.reason ?? 'an earlier call may have paid it';
  return settledAs({ kind: 'unpaid', entry, cause: 'in-doubt', outcome: 'unknown', reason });
}

/** The failure of paying from a frozen ledger. */
export function frozenLedger(reason: string): Failure {
  return new Failure(
    'guard',
    `the ledger is frozen: ${reason}; nothing was paid`,
    hint`once the reason is gone: ${reviewctl`ledger unfreeze`}`,
  );
}
