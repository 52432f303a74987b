import type { LookupAnswer, RecoveredOutcome } from '../../payer/payer.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import { lookedUp, recover } from '../rules/transitions.ts';
import { paymentOf, type Settlement } from './settlement.ts';

/** How long the payer's books may be asked in vain before they are left closed for this run, in milliseconds: each look may take as long as a call. */
const vainLooksMs = 60_000;

/**
 * Settles everything that earlier processes left under way: by what the payer left behind, by the payer's books where they can
 * be read, else as unknown.
 */
export async function recoverRewards(settlement: Settlement): Promise<void> {
  const { clock } = settlement;
  let vainMs = 0;
  for await (const page of settlement.ledger.entries({ payment: ['paying', 'unknown'] })) {
    for (const entry of page) {
      if (settlement.stopping.aborted) return;
      const { entry: recovered } = await recoverReward(settlement, entry);
      if (vainMs >= vainLooksMs) continue;
      const askedAtMs = clock.now();
      const answer = await lookUpReward(settlement, recovered);
      if (answer?.kind === 'undecided') vainMs += Math.max(0, clock.now() - askedAtMs);
    }
  }
}

/** What is needed to find out what came of a call. */
export type Recovery = Pick<Settlement, 'ledger' | 'payer' | 'run' | 'isOwnerAlive'>;

/** The entry as it stands after recovery, and who may still be at it, in words. */
export async function recoverReward(
  settlement: Recovery,
  entry: LedgerEntry,
): Promise<{ readonly entry: LedgerEntry; readonly underWay?: string }> {
  if (entry.payment !== 'paying' && entry.payment !== 'unknown') return { entry };
  const { ledger, payer, run } = settlement;
  const isOwnerAlive = entry.call === null ? false : await settlement.isOwnerAlive(entry.call.owner);
  const { terms, attempt } = entry;
  // Whoever is the payer by now, what a program left behind is known by its key and call.
  const evidence =
    isOwnerAlive === true || terms === null ? none : await payer.recoveredOutcome(terms.key, attempt);
  const stepped = await ledger.change(
    entry.rewardId,
    recover(entry.attempt, evidence, { isOwnerAlive, capabilities: payer.capabilities }),
    { by: run },
  );
  if (stepped.kind === 'changed' && stepped.entry.payment !== 'unknown')
    await payer.forget(paymentOf(stepped.entry).key);
  const isUnderWay = stepped.kind === 'kept' && stepped.reason.kind === 'under-way';
  return { entry: stepped.entry ?? entry, ...(isUnderWay ? { underWay: stepped.reason.message } : {}) };
}

const none: RecoveredOutcome = { kind: 'none' };

/** What the payer's books say of an unknown payment, noted; undefined where they need not or cannot be asked. */
async function lookUpReward(
  { ledger, payer, run, clock }: Settlement,
  entry: LedgerEntry,
): Promise<LookupAnswer | undefined> {
  if (entry.payment !== 'unknown' || entry.payer !== payer.capabilities.name || payer.lookUp === undefined)
    return undefined;
  const askedAtMs = clock.now();
  const answer = await payer.lookUp(paymentOf(entry));
  const step = lookedUp(entry.attempt, answer, { capabilities: payer.capabilities, askedAtMs });
  await ledger.change(entry.rewardId, step, { by: run });
  return answer;
}
