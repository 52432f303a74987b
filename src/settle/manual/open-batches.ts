import { flatten } from '../../base/lists.ts';
import { noneOpen, type OpenPayments, plusOpen } from '../../payer/read-results.ts';
import type { Ledger, LedgerEntry } from '../../store/ledger/ledger.ts';
import { isBatch } from '../flow/entry-record.ts';

/** Payments handed over in one results file whose outcome is not known yet. */
export interface OpenBatch extends OpenPayments {
  readonly batch: string;
}

/** The batches of these entries, in order of appearance. Entries without a batch are skipped. */
export class OpenBatches {
  readonly #batches = new Map<string, OpenBatch>();

  add(entry: LedgerEntry): void {
    if (!isBatch(entry)) return;
    const { call, rewardId, terms } = entry;
    const batch = call.owner;
    const open = this.#batches.get(batch) ?? noneOpen;
    this.#batches.set(batch, { batch, ...plusOpen(open, { rewardId, amount: terms?.amount ?? 0n }) });
  }

  get all(): readonly OpenBatch[] {
    return [...this.#batches.values()];
  }
}

/**
 * The open payments that are missing from a results file. They are of every batch that has a payment in the file, or of
 * all batches if the file has no rows. `named` are the rewards in its rows.
 */
export async function missingPayments(
  ledger: Pick<Ledger, 'entries'>,
  named: ReadonlySet<string>,
): Promise<readonly OpenBatch[]> {
  const missing = new OpenBatches();
  for await (const entry of flatten(ledger.entries({ payment: ['paying'] })))
    if (!named.has(entry.rewardId)) missing.add(entry);
  const ofFile: OpenBatch[] = [];
  for (const open of missing.all) {
    if (named.size === 0 || (await hasAny(ledger, open.batch, named))) ofFile.push(open);
  }
  return ofFile;
}

async function hasAny(
  ledger: Pick<Ledger, 'entries'>,
  batch: string,
  rewardIds: ReadonlySet<string>,
): Promise<boolean> {
  for await (const { rewardId } of flatten(ledger.entries({ claimedBy: batch })))
    if (rewardIds.has(rewardId)) return true;
  return false;
}
