import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
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

/** The entries to search for payments of a results file: open ones first, since they are few. */
const filters: readonly EntryFilter[] = [{ payment: ['paying'] }, { payment: ['paid', 'refused'] }];

/** The rewards handed over in a results file under these keys. Memory grows only with the number of keys. */
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

/** True if the reward had this key before it was found not paid. */
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

/** The facts by which a results file is checked. */
export function handedOver(entry: LedgerEntry): KnownPayment {
  const { payment } = entry;
  return {
    payment: paymentOf(entry),
    outcome: payment === 'paid' || payment === 'refused' ? payment : undefined,
  };
}

/** Concurrent reports to the service. */
const reportsAtOnce = 8;

/**
 * Records every outcome of a checked file durably before reporting any. If the service is down, no outcome is lost, and
 * the same file reports the rest later. Also reports outcomes that were decided in another way and are not confirmed:
 * no other command does, if a person pays. Yields the result of each reward.
 * @throws ServiceFailure if the credential is not accepted; at the end, Failure('refused') if another process recorded
 *   a different outcome since the file was checked.
 */
export async function* importResults(
  settlement: Settlement,
  results: readonly Result[],
  handed: ReadonlyMap<string, LedgerEntry>,
): AsyncGenerator<SettledReward> {
  const { ledger, payer, run, stopping } = settlement;
  const recorded = new Map<string, RecordedResult>();
  const differing: string[] = [];
  for (const { key, outcome, ref, message } of results) {
    const entry = handed.get(key);
    if (entry === undefined) throw new Error(`the key ${key} was not found when the file was checked`);
    const { rewardId, attempt } = entry;
    const said = { ...(ref === undefined ? {} : { ref }), ...(message === undefined ? {} : { message }) };
    const step = answered(attempt, { kind: outcome, ...said }, payer.capabilities);
    const { kind, entry: now } = await ledger.change(rewardId, step, { by: run });
    recorded.set(rewardId, { rewardId, isEarlier: kind === 'kept' });
    const isAgreed = kind === 'changed' || (now?.payment === outcome && now.attempt === attempt);
    if (!isAgreed) differing.push(rewardId);
  }
  // Reporting may stop at any time: the next import or settlement reports the recorded outcomes.
  async function* untilStopped() {
    for await (const one of all()) {
      if (stopping.aborted) return;
      yield one;
    }
  }
  async function* all(): AsyncGenerator<RecordedResult> {
    yield* recorded.values();
    // What another process decided may be in a copy left behind.
    await ledger.fence();
    for await (const { rewardId } of flatten(ledger.entries(unconfirmed)))
      if (!recorded.has(rewardId)) yield { rewardId, isEarlier: true };
  }
  yield* mapConcurrently(untilStopped(), { width: reportsAtOnce }, (one) => report(settlement, one));
  if (differing.length > 0) throw decidedOtherwise(differing);
}

const unconfirmed: EntryFilter = { payment: ['paid', 'refused'], report: ['pending', 'sent'] };

/** Two files, or a file and a person, contradict each other: money may have moved that is not on record. */
function decidedOtherwise([first = '', ...others]: readonly string[]): Failure {
  const more = others.length === 0 ? '' : `, and of ${others.length} more`;
  return new Failure(
    'refused',
    `since the file was checked, another process recorded another outcome of reward ${first}${more}`,
    hint`ask the payer which one is true; what is recorded: ${reviewctl`ledger show ${first}`}`,
  );
}

/** A recorded result, and whether the ledger knew the outcome before. */
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
