import { Failure } from '../base/failure.ts';
import { mapConcurrently } from '../base/lists.ts';
import type { ServiceFailure } from '../client/service-failure.ts';
import type { EntryFilter, LedgerEntry } from '../store/ledger.ts';
import { type LookAgain, type PayEnd, payReward, type UnpaidCause } from './pay-reward.ts';
import { checkExpectation, type Expectation } from './plan-settlement.ts';
import { recoverRewards } from './recover-rewards.ts';
import { lookAmongMany, seeQueued } from './see-rewards.ts';
import { createSettleBreaker } from './settle-breaker.ts';
import { outcomeOf, type RewardOutcome, type Settlement } from './settlement.ts';
import { tellService } from './tell-service.ts';

/** What became of one reward, with what an exit code has to know of it. */
export interface SettledReward {
  readonly outcome: RewardOutcome;
  /** Why its money is not decided; undefined where it is. */
  readonly cause?: UnpaidCause;
  /** Why the service does not provably know yet. */
  readonly trouble?: ServiceFailure;
}

export interface SettleOptions {
  readonly expectation: Expectation;
  /** Rewards paid at once. */
  readonly concurrency: number;
}

/**
 * Settles every QUEUED reward, and what earlier runs left: recovers, lists everything, then pays and tells one reward after the other, a few at
 * once. Yields what became of each.
 * @throws Failure('guard') where the ledger is frozen or the expectation is not met: nothing was paid; the breaker's Failure, once what
 *   happened until then was yielded; ServiceFailure where the service cannot be listed or does not accept the credential.
 */
export async function* settleRewards(
  settlement: Settlement,
  { expectation, concurrency }: SettleOptions,
): AsyncGenerator<SettledReward> {
  const { ledger, run, stopping } = settlement;
  const frozen = await ledger.frozen();
  if (frozen !== undefined) throw frozenLedger(frozen);
  await recoverRewards(settlement);
  await seeQueued(settlement);
  if (stopping.aborted) return;
  await checkExpectation(settlement, expectation);
  const breaker = createSettleBreaker();
  const lookAgain = lookAmongMany(settlement);
  const settle = async (entry: LedgerEntry) => {
    const settled = await settleReward(settlement, entry, lookAgain);
    breaker.note(settled);
    return settled;
  };
  const isGoingOn = () => !stopping.aborted && !breaker.isOpen;
  const queued = entriesWhile(settlement, { seenByRun: run }, isGoingOn);
  yield* mapConcurrently(queued, { width: concurrency }, settle);
  yield* mapConcurrently(unlisted(settlement, isGoingOn), { width: concurrency }, settle);
  breaker.check();
}

/** Pays one reward where that is allowed, and tells the service of it once it is decided. */
export async function settleReward(
  settlement: Settlement,
  { rewardId }: Pick<LedgerEntry, 'rewardId'>,
  lookAgain: LookAgain,
): Promise<SettledReward> {
  const end = await payReward(settlement, rewardId, lookAgain);
  if (end.kind === 'unpaid') return settledAs(end);
  // What the service confirmed and shows as QUEUED all the same, it has forgotten.
  const isKnown = end.entry.told === 'confirmed' && end.entry.seen.status !== 'QUEUED';
  if (isKnown) return { outcome: outcomeOf(end.entry) };
  const { entry, trouble } = await tellService(settlement, end.entry);
  return { outcome: outcomeOf(entry), ...(trouble === undefined ? {} : { trouble }) };
}

/** What became of a reward whose money is not decided. */
export function settledAs({
  entry,
  outcome,
  reason,
  cause,
}: Extract<PayEnd, { kind: 'unpaid' }>): SettledReward {
  return { outcome: outcomeOf(entry, { outcome, reason }), cause };
}

/** What is not done and was not on the list: decided but not confirmed, unknown, or under way. */
async function* unlisted(settlement: Settlement, isGoingOn: () => boolean): AsyncGenerator<LedgerEntry> {
  const untold: EntryFilter = { pay: ['paid', 'refused'], told: ['open', 'told', 'conflict'] };
  const unsettled: EntryFilter = { pay: ['paying', 'unknown'] };
  for (const filter of [untold, unsettled]) {
    for await (const entry of entriesWhile(settlement, filter, isGoingOn)) {
      if (entry.seen.run !== settlement.run) yield entry;
    }
  }
}

async function* entriesWhile(
  { ledger }: Settlement,
  filter: EntryFilter,
  isGoingOn: () => boolean,
): AsyncGenerator<LedgerEntry> {
  for await (const page of ledger.entries(filter)) {
    for (const entry of page) {
      if (!isGoingOn()) return;
      yield entry;
    }
  }
}

/** Why nothing is paid by a ledger that is frozen. */
export function frozenLedger(reason: string): Failure {
  return new Failure(
    'guard',
    `the ledger is frozen: ${reason}; nothing was paid`,
    'once the reason is gone: reviewctl ledger unfreeze',
  );
}
