import { Failure } from '../base/failure.ts';
import { mapConcurrently } from '../base/lists.ts';
import type { EntryFilter, LedgerEntry } from '../store/ledger.ts';
import { checkExpectation, type Expectation } from './plan-settlement.ts';
import { recoverRewards } from './recover-rewards.ts';
import { lookAmongMany, seeQueued } from './see-rewards.ts';
import { createSettleBreaker } from './settle-breaker.ts';
import { type SettledReward, settleReward } from './settle-reward.ts';
import type { Settlement } from './settlement.ts';

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
  const { ledger, run, clock, stopping } = settlement;
  const beganMs = clock.now();
  const frozen = await ledger.frozen();
  if (frozen !== undefined) throw frozenLedger(frozen);
  await recoverRewards(settlement);
  await seeQueued(settlement);
  if (stopping.aborted) return;
  await checkExpectation(settlement, expectation);
  const breaker = createSettleBreaker({ isDoubted: await isDoubted(settlement) });
  const lookAgain = lookAmongMany(settlement);
  const settle = async (entry: LedgerEntry) => {
    const settled = await settleReward(settlement, entry, lookAgain);
    breaker.note(settled);
    return settled;
  };
  const isGoingOn = () => !stopping.aborted && !breaker.isOpen;
  const queued = entriesWhile(settlement, { seenByRun: run }, isGoingOn);
  // A payer that is broken, or refuses everything, is found out by one reward at a time.
  const width = () => (breaker.isProven ? concurrency : 1);
  yield* mapConcurrently(queued, { width }, settle);
  yield* mapConcurrently(unlisted(settlement, { beganMs, isGoingOn }), { width: concurrency }, settle);
  breaker.check();
}

/** For how long a call in doubt speaks against the payer it was made to, in milliseconds. */
const recentMs = 60 * 60 * 1000;

/** Whether the payer left a call in doubt not long ago. */
async function isDoubted({ ledger, payer, clock }: Settlement): Promise<boolean> {
  const sinceMs = clock.now() - recentMs;
  for await (const page of ledger.entries({ pay: ['unknown'] })) {
    const isRecent = page.some(
      (entry) => entry.payer === payer.traits.name && (entry.lastCallAtMs ?? 0) > sinceMs,
    );
    if (isRecent) return true;
  }
  return false;
}

/**
 * What is not done and was not among the rewards this run saw last: decided but not confirmed, unknown or under way; and what another
 * process saw again meanwhile.
 */
async function* unlisted(
  settlement: Settlement,
  { beganMs, isGoingOn }: { readonly beganMs: number; readonly isGoingOn: () => boolean },
): AsyncGenerator<LedgerEntry> {
  const undone: readonly EntryFilter[] = [
    { pay: ['paid', 'refused'], told: ['open', 'told', 'conflict'] },
    { pay: ['paying', 'unknown'] },
    { pay: ['intended'] },
  ];
  const isDue = ({ pay, seen }: LedgerEntry) =>
    seen.run !== settlement.run && (pay !== 'intended' || (seen.status === 'QUEUED' && seen.atMs >= beganMs));
  for (const filter of undone) {
    for await (const entry of entriesWhile(settlement, filter, isGoingOn)) {
      if (isDue(entry)) yield entry;
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
