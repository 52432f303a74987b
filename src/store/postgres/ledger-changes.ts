import type { Clock } from '../../base/clock.ts';
import type { Ledger, Step, Stepped } from '../ledger/ledger.ts';
import { type ChangeBatch, readBatch } from './change-batch.ts';
import type { LedgerAccess } from './ledger-access.ts';
import { createSharedCommits, type Waiting } from './shared-commits.ts';

/** More changes in one transaction would make others wait too long for the ledger. */
const batchMaximum = 200;

interface WaitingChange extends Waiting {
  readonly rewardId: string;
  readonly scopes: readonly string[];
  /** Decides within a transaction; returns how to resolve its promise once that is committed. */
  perform(batch: ChangeBatch): () => void;
}

/** Changes of rewards, each of which is decided within the transaction that writes it. */
export function createLedgerChanges(
  access: LedgerAccess,
  clock: Clock,
): Pick<Ledger, 'change'> & { readonly idle: () => Promise<void> } {
  const commits = createSharedCommits<WaitingChange>({
    take: (waiting) => waiting.splice(0, batchMaximum),
    commit: (group) =>
      access.change(
        (connection) => readBatch(connection, access.schema, group, clock),
        async (batch, defer) => {
          const settling = group.map((one) => one.perform(batch));
          defer(batch.write());
          return settling;
        },
      ),
  });

  function change<Kept>(
    rewardId: string,
    step: Step<Kept>,
    { by, scopes = [] }: Parameters<Ledger['change']>[2],
  ): Promise<Stepped<Kept>> {
    return new Promise((resolve, reject) => {
      commits.add({
        rewardId,
        scopes,
        fail: reject,
        perform: (batch) => {
          try {
            const stepped = batch.change({ rewardId, step, scopes }, by);
            return () => resolve(stepped);
          } catch (error) {
            return () => reject(error);
          }
        },
      });
    });
  }

  return { change, idle: commits.idle };
}
