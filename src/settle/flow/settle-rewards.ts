import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { mapConcurrently, type PoolPlace } from '../../base/lists.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import { isDecided } from '../rules/policy.ts';
import { checkExpectation, type Expectation } from './expectation.ts';
import { pauseBeforeRepeat } from './pay-reward.ts';
import { createPlanRun } from './plan-run.ts';
import { recoverRewards } from './recover-rewards.ts';
import { createSettleBreaker, type SettleBreaker } from './settle-breaker.ts';
import { type SettledReward, settledAs, settleReward, unaddressableReward } from './settle-reward.ts';
import { createSettleTurns, recentlyInDoubt, type SettleTurns } from './settle-turns.ts';
import { rewardOutcome, type Settlement } from './settlement.ts';
import { createRefresher, syncQueued } from './sync-queued.ts';
import { recordVanished } from './vanished-rewards.ts';

/** Rewards under way, as a multiple of the concurrent calls. The extra ones wait until their outcome is on disk. */
const windowWidths = 2;

export interface SettleOptions {
  readonly expectation: Expectation;
  /** The number of rewards with concurrent calls to payer or service. */
  readonly concurrency: number;
}

/**
 * Settles all QUEUED rewards, and those that earlier runs left unfinished. Recovers calls, lists rewards, records
 * vanished ones, reports decided ones, then pays and reports the others, `concurrency` at a time. Rewards in doubt come
 * last and get at most one more call. Yields the result of each reward. With a checked plan, pays only its rewards, and
 * records the plan before the first payment.
 * @throws Failure('guard') if the ledger is frozen, the expectation is not met, or the plan was carried out meanwhile.
 *   Nothing is paid then.
 * @throws the error that ended the run early, after the results of all rewards under way: the Failure of the breaker,
 *   or that of a ledger or service that does not accept an outcome.
 * @throws ServiceFailure if the rewards cannot be listed; at the end, if rewards that are no longer listed could not be
 *   looked up. Failure('inconsistent-list'), at the end, if the list lacks rewards.
 */
export async function* settleRewards(
  settlement: Settlement,
  { expectation, concurrency }: SettleOptions,
): AsyncGenerator<SettledReward> {
  const { ledger, stopping } = settlement;
  const { frozen } = await ledger.meta();
  if (frozen !== null) throw frozenLedger(frozen);
  await recoverRewards(settlement);
  const { unaddressable, listed, shortage, isShown } = await syncQueued(settlement);
  if (stopping.aborted) return;
  const breaker = createSettleBreaker(await recentlyInDoubt(settlement));
  const mayContinue = () => !stopping.aborted && !breaker.isOpen;
  const all = createSettleTurns(settlement, { listed, mayContinue });
  const planRun = settlement.plan && createPlanRun(settlement, settlement.plan, mayContinue);
  const turns = planRun?.turns(all) ?? all;
  yield* planRun?.absent() ?? unaddressable.map(unaddressableReward);
  const listFailure = (yield* recordVanished(settlement, isShown, turns.skip)) ?? shortage;
  const refresh = createRefresher(settlement);
  const settle = async (entry: LedgerEntry, place: PoolPlace, skipIfTaken = false) => {
    // The slot is free while payer and service are not needed, but only after a success: a failure may stop the run
    // from beginning another reward.
    const slot = {
      paid: () => {
        breaker.notePaid();
        place.leave();
      },
      readyToReport: place.enter,
      confirmed: place.leave,
      skipIfTaken,
    };
    breaker.noteBegun();
    try {
      const result = await settleReward(settlement, entry, refresh, slot);
      const settled = orVanished(planRun?.judge(result, entry) ?? result, entry);
      breaker.note(settled);
      turns.note(settled);
      return settled;
    } catch (error) {
      // The run fails only after the rewards under way are yielded: they may be paid.
      breaker.noteFailure(error);
      return settledBefore(settlement, entry);
    }
  };
  const decided = mapConcurrently(turns.decided(), { width: concurrency, windowWidths }, settle);
  for await (const settled of decided) if (settled !== undefined) yield settled;
  const isExpected = breaker.isOpen
    ? () => false
    : await checkExpectation(settlement, expectation, planRun?.entries());
  if (!breaker.isOpen) await planRun?.begin();
  yield* payInTurn(settlement, { turns, isExpected, breaker, concurrency, settle, mayContinue });
  breaker.check();
  if (mayContinue()) await planRun?.end();
  if (listFailure !== undefined) throw listFailure;
}

/** The result of one turn; undefined if a failure left the reward open. */
type Settle = (
  entry: LedgerEntry,
  place: PoolPlace,
  skipIfTaken?: boolean,
) => Promise<SettledReward | undefined>;

interface PayingOptions {
  readonly turns: SettleTurns;
  /** Called once for each reward without a call. */
  readonly isExpected: (rewardId: string) => boolean;
  readonly breaker: SettleBreaker;
  readonly concurrency: number;
  readonly settle: Settle;
  readonly mayContinue: () => boolean;
}

/**
 * Settles the open rewards, then those in doubt. An unknown reward gets another turn at the end, and one that another
 * process is paying may become unknown by then. Both are yielded only once, at the end.
 */
async function* payInTurn(
  settlement: Settlement,
  { turns, isExpected, breaker, concurrency, settle, mayContinue }: PayingOptions,
): AsyncGenerator<SettledReward> {
  // Until the payer has proved itself, rewards go one at a time, to detect a broken payer or one that refuses
  // everything.
  const width = () => (breaker.isProven ? concurrency : 1);
  const bounds = { width, windowWidths };
  const deferred = new Map<string, SettledReward>();
  const isDeferred = (settled: SettledReward) => {
    const isFinal = settled.outcome.outcome !== 'unknown' && settled.cause !== 'under-way';
    if (!isFinal) deferred.set(settled.outcome.rewardId, settled);
    return !isFinal;
  };
  async function* expected(entries: AsyncIterable<LedgerEntry>): AsyncGenerator<LedgerEntry> {
    for await (const entry of entries) {
      if (entry.payment !== 'intended' || isExpected(entry.rewardId)) yield entry;
    }
  }
  const payIfFree: Settle = async (entry, place) => {
    const wasOpen = entry.payment === 'intended';
    const settled = await settle(entry, place, wasOpen);
    if (!wasOpen || settled?.cause !== 'under-way') return settled;
    turns.noteBusy(entry.rewardId);
    return undefined;
  };
  const callAgain: Settle = async (entry, place) =>
    mayContinue() ? settle(entry, place) : (deferred.get(entry.rewardId) ?? leftInDoubt(entry));
  async function* settledOnce() {
    yield* mapConcurrently(expected(turns.open()), bounds, payIfFree);
    yield* mapConcurrently(expected(turns.leftovers()), bounds, settle);
  }
  try {
    for await (const settled of settledOnce())
      if (settled !== undefined && !isDeferred(settled)) yield settled;
    const isRepeated = [...deferred.values()].some(({ cause }) => cause === 'outcome-unknown');
    if (isRepeated && !breaker.isOpen) await pauseBeforeRepeat(settlement);
    for await (const settled of mapConcurrently(turns.inDoubt(), bounds, callAgain)) {
      if (settled === undefined) continue;
      deferred.delete(settled.outcome.rewardId);
      yield settled;
    }
  } catch (error) {
    yield* deferred.values();
    throw error;
  }
  yield* deferred.values();
}

/** A waiting reward that is not QUEUED at the service has vanished. If this run listed it, no other notices. */
function orVanished(settled: SettledReward, { payment }: LedgerEntry): SettledReward {
  return payment === 'intended' && settled.cause === 'not-queued'
    ? { ...settled, cause: 'vanished' }
    : settled;
}

/** The result of a reward whose turn failed, from its ledger entry; undefined if it is just open. */
async function settledBefore({ ledger }: Settlement, entry: LedgerEntry): Promise<SettledReward | undefined> {
  const now = (await ledger.find(entry.rewardId).catch(() => undefined)) ?? entry;
  if (now.payment === 'unknown') return leftInDoubt(now);
  if (!isDecided(now)) return undefined;
  return { outcome: rewardOutcome(now), isEarlier: now.payment === entry.payment };
}

/** The result of a reward in doubt that a stopped run does not repeat. */
function leftInDoubt(entry: LedgerEntry): SettledReward {
  const reason = entry.reason ?? 'an earlier call may have paid it';
  return settledAs({ entry, cause: 'in-doubt', reason });
}

/** The failure for payments from a frozen ledger. */
export function frozenLedger(reason: string): Failure {
  return new Failure(
    'guard',
    `the ledger is frozen: ${reason}; nothing was paid`,
    hint`once the reason is gone: ${reviewctl`ledger unfreeze`}`,
  );
}
