import { Failure } from '../../base/failure.ts';
import { mapConcurrently, type PoolPlace } from '../../base/lists.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import { checkExpectation, type Expectation } from './expectation.ts';
import { pauseBeforeRepeat, type RewardTurn } from './pay-reward.ts';
import { createPlanRun } from './plan-run.ts';
import { recoverRewards } from './recover-rewards.ts';
import { createSettleBreaker, type SettleBreaker } from './settle-breaker.ts';
import { heldAside, type SettledReward, settledAs, settleReward } from './settle-reward.ts';
import { createSettleTurns, recentlyInDoubt, type SettleTurns } from './settle-turns.ts';
import type { Settlement } from './settlement.ts';
import { createRefresher, syncQueued } from './sync-queued.ts';

/** So many times the rewards that are called for at once may be under way: the others wait until what came of them is on the disk. */
const windowWidths = 2;

export interface SettleOptions {
  readonly expectation: Expectation;
  /** Rewards for which payer or service are called at once. */
  readonly concurrency: number;
}

/**
 * Settles every QUEUED reward, and what earlier runs left: recovers, lists everything, reports what is decided already, then pays and reports
 * one reward after the other, a few at once; those in doubt come last, and are called for once more at the most. Yields what became of each.
 * With a plan, which was checked, its rewards alone are paid; it is on record before the first of them is.
 * @throws Failure('guard') where the ledger is frozen, the expectation is not met or the plan was carried out meanwhile: nothing was paid; the breaker's Failure, once what
 *   happened until then was yielded; ServiceFailure where the service cannot be listed or does not accept the credential.
 */
export async function* settleRewards(
  settlement: Settlement,
  { expectation, concurrency }: SettleOptions,
): AsyncGenerator<SettledReward> {
  const { ledger, clock, stopping } = settlement;
  const beganMs = clock.now();
  const frozen = await ledger.frozen();
  if (frozen !== undefined) throw frozenLedger(frozen);
  await recoverRewards(settlement);
  const unaddressable = await syncQueued(settlement);
  if (stopping.aborted) return;
  const breaker = createSettleBreaker({ inDoubt: await recentlyInDoubt(settlement) });
  const isGoingOn = () => !stopping.aborted && !breaker.isOpen;
  const all = createSettleTurns(settlement, { beganMs, isGoingOn });
  const planRun = settlement.plan && createPlanRun(settlement, settlement.plan, { beganMs, isGoingOn });
  const turns = planRun?.turns(all) ?? all;
  yield* planRun?.absent() ?? unaddressable.map(heldAside);
  const refresh = createRefresher(settlement);
  const settle = async (entry: LedgerEntry, place: PoolPlace) => {
    const became = await settleReward(settlement, entry, refresh, turnIn(place, breaker));
    const settled = planRun?.judge(became, entry) ?? became;
    breaker.note(settled);
    turns.note(settled);
    return settled;
  };
  yield* mapConcurrently(turns.decided(), { width: concurrency, windowWidths }, settle);
  await checkExpectation(settlement, expectation, planRun?.entries());
  await planRun?.begin();
  yield* payInTurn(settlement, { turns, breaker, concurrency, settle, isGoingOn });
  breaker.check();
  if (isGoingOn()) await planRun?.end();
}

/** Payer and service do not wait for this machine. The place is left where all goes well alone: what does not may be a reason to begin no other reward. */
function turnIn({ leave, enter }: PoolPlace, breaker: SettleBreaker): RewardTurn {
  return {
    paid: () => {
      breaker.notePaid();
      leave();
    },
    toBeTold: enter,
    confirmed: leave,
  };
}

interface PayingOptions {
  readonly turns: SettleTurns;
  readonly breaker: SettleBreaker;
  readonly concurrency: number;
  readonly settle: (entry: LedgerEntry, place: PoolPlace) => Promise<SettledReward>;
  readonly isGoingOn: () => boolean;
}

/** What is lost on the way has another turn at the end, and is yielded only then. */
async function* payInTurn(
  settlement: Settlement,
  { turns, breaker, concurrency, settle, isGoingOn }: PayingOptions,
): AsyncGenerator<SettledReward> {
  // A payer that is broken, or refuses everything, is found out by one reward at a time.
  const width = () => (breaker.isProven ? concurrency : 1);
  const lost = new Map<string, SettledReward>();
  try {
    for await (const settled of mapConcurrently(turns.open(), { width, windowWidths }, settle)) {
      if (settled.cause === 'outcome-unknown') lost.set(settled.outcome.rewardId, settled);
      else yield settled;
    }
    if (lost.size > 0 && !breaker.isOpen) await pauseBeforeRepeat(settlement);
    const callAgain = async (entry: LedgerEntry, place: PoolPlace) =>
      isGoingOn() ? settle(entry, place) : (lost.get(entry.rewardId) ?? leftInDoubt(entry));
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

/** A reward in doubt that a run which was stopped does not call for again. */
function leftInDoubt(entry: LedgerEntry): SettledReward {
  const reason = entry.reason ?? 'an earlier call may have paid it';
  return settledAs({ kind: 'unpaid', entry, cause: 'in-doubt', outcome: 'unknown', reason });
}

/** Why nothing is paid by a ledger that is frozen. */
export function frozenLedger(reason: string): Failure {
  return new Failure(
    'guard',
    `the ledger is frozen: ${reason}; nothing was paid`,
    'once the reason is gone: reviewctl ledger unfreeze',
  );
}
