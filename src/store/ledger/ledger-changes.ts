import type { Clock } from '../../base/clock.ts';
import { shareWrites } from '../sql/share-writes.ts';
import { type ChangeBatch, readBatch } from './change-batch.ts';
import type { Ledger, Step, Stepped } from './ledger.ts';
import type { LedgerAccess } from './ledger-access.ts';

/** More changes in one transaction would make others wait too long for the ledger. */
const batchMaximum = 200;

interface WaitingChange {
  readonly rewardId: string;
  readonly scopes: readonly string[];
  /** Decides within a transaction; returns how to resolve its promise once that is committed. */
  perform(batch: ChangeBatch): () => void;
}

/**
 * Changes of rewards, each of which is decided within the transaction that writes it. Those that are asked for while a
 * transaction is under way share the next one.
 */
export function createLedgerChanges(
  access: LedgerAccess,
  clock: Clock,
): Pick<Ledger, 'change'> & { readonly idle: () => Promise<void> } {
  const { add, idle } = shareWrites<WaitingChange, () => void>({
    most: batchMaximum,
    write: (group) =>
      access.write(async (tx) => {
        const batch = await readBatch(tx, access.dialect, group, clock);
        const performed = group.map((one) => one.perform(batch));
        await batch.write();
        return performed;
      }),
  });

  function change<Kept>(
    rewardId: string,
    step: Step<Kept>,
    { by, scopes = [] }: Parameters<Ledger['change']>[2],
  ): Promise<Stepped<Kept>> {
    return new Promise((resolve, reject) => {
      const perform = (batch: ChangeBatch) => {
        try {
          const stepped = batch.change({ rewardId, step, scopes }, by);
          return () => resolve(stepped);
        } catch (error) {
          return () => reject(error);
        }
      };
      add({ rewardId, scopes, perform }).then((settle) => settle(), reject);
    });
  }

  return { change, idle };
}
