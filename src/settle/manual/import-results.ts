import { flatten, mapConcurrently } from '../../base/lists.ts';
import type { KnownPayment, Result } from '../../payer/read-results.ts';
import { resultsFilePayer } from '../../payer/recorded-payer.ts';
import type { EntryFilter, Ledger, LedgerEntry } from '../../store/ledger/ledger.ts';
import { reportOutcome } from '../flow/report-outcome.ts';
import { findSameReceipt, type SettledReward } from '../flow/settle-reward.ts';
import { paymentOf, rewardOutcome, type Settlement } from '../flow/settlement.ts';
import { paymentKey } from '../rules/payment-key.ts';
import { isDecided } from '../rules/policy.ts';
import { answered } from '../rules/transitions.ts';

/** Which entries payments by a results file may be found in: those still open come first, since they are few. */
const filters: readonly EntryFilter[] = [{ payment: ['paying'] }, { payment: ['paid', 'refused'] }];

/**
 * The rewards that were handed over by a results file under these keys; memory grows with the number of keys alone.
 */
export async function findHandedOver(
  ledger: Ledger,
  keys: ReadonlySet<string>,
): Promise<ReadonlyMap<string, LedgerEntry>> {
  const found = new Map<string, LedgerEntry>();
  for (const filter of filters) {
    if (found.size === keys.size) break;
    for await (const entry of flatten(ledger.entries(filter))) {
      const key = entry.terms?.key;
      if (entry.payer === resultsFilePayer && key !== undefined && keys.has(key)) found.set(key, entry);
    }
  }
  return found;
}

/** Whether the reward had this key before it was found not paid. */
export async function isEarlierKey(
  { find, identity }: Pick<Ledger, 'find' | 'identity'>,
  key: string,
  rewardId: string,
): Promise<boolean> {
  const entry = await find(rewardId);
  if (entry === undefined) return false;
  const isOpen = entry.payment === 'intended' && entry.attempt > 0;
  const earlier = Array.from({ length: entry.keyGeneration + (isOpen ? 1 : 0) }, (_, generation) =>
    paymentKey(identity, rewardId, generation),
  );
  return earlier.includes(key);
}

/** What a results file is checked against. */
export function handedOver(entry: LedgerEntry): KnownPayment {
  const { payment } = entry;
  return {
    payment: paymentOf(entry),
    outcome: payment === 'paid' || payment === 'refused' ? payment : undefined,
  };
}

/** Reports to the service at once. */
const reportsAtOnce = 8;

/**
 * Records every outcome of a checked file durably, and only then reports to the service: a service that is down costs
 * no outcome, and the same file reports the rest later. Yields the result of each reward.
 * @throws ServiceFailure where the credential is not accepted.
 */
export async function* importResults(
  settlement: Settlement,
  results: readonly Result[],
  handed: ReadonlyMap<string, LedgerEntry>,
): AsyncGenerator<SettledReward> {
  const { ledger, payer, run, stopping } = settlement;
  const recorded: RecordedResult[] = [];
  for (const { key, outcome, ref, message } of results) {
    const entry = handed.get(key);
    if (entry === undefined) throw new Error(`the key ${key} was not found when the file was checked`);
    const { rewardId, attempt } = entry;
    const said = { ...(ref === undefined ? {} : { ref }), ...(message === undefined ? {} : { message }) };
    const step = answered(attempt, { kind: outcome, ...said }, payer.capabilities);
    const { kind } = await ledger.change(rewardId, step, { by: run });
    recorded.push({ rewardId, isEarlier: kind === 'kept' });
  }
  // The next import or settlement reports what is recorded, so reporting may stop at any time.
  async function* untilStopped() {
    for (const one of recorded) {
      if (stopping.aborted) return;
      yield one;
    }
  }
  yield* mapConcurrently(untilStopped(), { width: reportsAtOnce }, (one) => report(settlement, one));
}

/** A result the ledger holds, and whether it knew the outcome before. */
type RecordedResult = Pick<LedgerEntry, 'rewardId'> & { readonly isEarlier: boolean };

async function report(
  settlement: Settlement,
  { rewardId, isEarlier }: RecordedResult,
): Promise<SettledReward> {
  const entry = await settlement.ledger.find(rewardId);
  if (entry === undefined) throw new Error(`reward ${rewardId} is gone from the ledger`);
  const sameReceiptAs = isEarlier ? undefined : await findSameReceipt(settlement, entry);
  if (!isDecided(entry) || entry.report === 'confirmed')
    return { outcome: rewardOutcome(entry), isEarlier, sameReceiptAs };
  const { entry: reported, trouble } = await reportOutcome(settlement, entry);
  return { outcome: rewardOutcome(reported), isEarlier, trouble, sameReceiptAs };
}
