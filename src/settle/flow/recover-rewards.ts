import { flatten } from '../../base/lists.ts';
import type { LookupAnswer, RecoveredOutcome } from '../../payer/payer.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import { recordLookup, recover } from '../rules/transitions.ts';
import { paymentOf, type Settlement } from './settlement.ts';

/**
 * The maximum total time for failed lookups in the payer's books per run, in milliseconds. Each may take as long as a
 * call.
 */
const failedLookupsMs = 60_000;

/**
 * Recovers every payment that earlier processes left unfinished: from the records of the payer's program, from the
 * payer's books if they can be read, otherwise as unknown.
 */
export async function recoverRewards(settlement: Settlement): Promise<void> {
  const { clock } = settlement;
  let failedMs = 0;
  for await (const entry of flatten(settlement.ledger.entries({ payment: ['paying', 'unknown'] }))) {
    if (settlement.stopping.aborted) return;
    const beganMs = clock.monotonicMs();
    const answer = await recoverOrLookUp(settlement, entry, failedMs < failedLookupsMs);
    if (answer?.kind === 'undecided') failedMs += clock.monotonicMs() - beganMs;
  }
}

/** Recovers one such payment. Returns the answer of the payer's books, if they were asked. */
export async function recoverOrLookUp(
  settlement: Settlement,
  entry: LedgerEntry,
  mayLookUp = true,
): Promise<LookupAnswer | undefined> {
  const { entry: recovered, underWay } = await recoverReward(settlement, entry);
  // A payment that may still be made is not in the books yet.
  return underWay === undefined && mayLookUp ? lookUpReward(settlement, recovered) : undefined;
}

/** The parts of a settlement that recovery needs. */
export type Recovery = Pick<Settlement, 'ledger' | 'payer' | 'run' | 'isOwnerAlive' | 'isShared'>;

/** The entry after recovery. If a process may still be paying it, `underWay` is the message that names the process. */
export async function recoverReward(
  settlement: Recovery,
  entry: LedgerEntry,
): Promise<{ readonly entry: LedgerEntry; readonly underWay?: string }> {
  if (entry.payment !== 'paying' && entry.payment !== 'unknown') return { entry };
  const { ledger, payer, run, isShared } = settlement;
  const isOwnerAlive = entry.call === null ? false : await settlement.isOwnerAlive(entry.call.owner);
  // Call records are found by key and call, even if another payer is configured now.
  const recovered =
    isOwnerAlive === true || entry.terms === null ? none : await payer.recoveredOutcome(paymentOf(entry));
  const stepped = await ledger.change(
    entry.rewardId,
    recover(entry.attempt, recovered, { isOwnerAlive, isShared, capabilities: payer.capabilities }),
    { by: run },
  );
  if (stepped.kind === 'changed' && stepped.entry.payment !== 'unknown')
    await payer.forget(paymentOf(stepped.entry).key);
  const isUnderWay = stepped.kind === 'kept' && stepped.reason.kind === 'under-way';
  return { entry: stepped.entry ?? entry, ...(isUnderWay ? { underWay: stepped.reason.message } : {}) };
}

const none: RecoveredOutcome = { kind: 'none' };

/**
 * Looks up an unknown payment in the payer's books and records the answer; undefined if no lookup is needed or
 * possible.
 */
async function lookUpReward(
  { ledger, payer, run, clock }: Settlement,
  entry: LedgerEntry,
): Promise<LookupAnswer | undefined> {
  if (entry.payment !== 'unknown' || entry.payer !== payer.capabilities.name || payer.lookUp === undefined)
    return undefined;
  const askedAtMs = clock.now();
  const answer = await payer.lookUp(paymentOf(entry));
  const step = recordLookup(entry.attempt, answer, { capabilities: payer.capabilities, askedAtMs });
  await ledger.change(entry.rewardId, step, { by: run });
  return answer;
}
