import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
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
  fail(error: unknown): void;
}

/**
 * Changes of rewards, each of which is decided within the transaction that writes it. Those that are asked for while a
 * transaction is under way share the next one: its reads, its lock and its wait for the disk.
 */
export function createLedgerChanges(
  access: LedgerAccess,
  clock: Clock,
): Pick<Ledger, 'change'> & { readonly idle: () => Promise<void> } {
  const waiting: WaitingChange[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Those that are asked for in this turn of the event loop belong together.
    await new Promise(setImmediate);
    while (waiting.length > 0) await commitAll(waiting.splice(0, batchMaximum));
    running = undefined;
  }

  async function commitAll(group: readonly WaitingChange[]): Promise<void> {
    try {
      const settling = await access.write(async (tx) => {
        const batch = await readBatch(tx, access.dialect, group, clock);
        const performed = group.map((one) => one.perform(batch));
        await batch.write();
        return performed;
      });
      for (const settle of settling) settle();
    } catch (error) {
      // The one that the database refuses is unknown, and the others must not fail with it.
      if (error instanceof Failure || group.length === 1) for (const one of group) one.fail(error);
      else for (const one of group) await commitAll([one]);
    }
  }

  function change<Kept>(
    rewardId: string,
    step: Step<Kept>,
    { by, scopes = [] }: Parameters<Ledger['change']>[2],
  ): Promise<Stepped<Kept>> {
    return new Promise((resolve, reject) => {
      waiting.push({
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
      running ??= run();
    });
  }

  return { change, idle: async () => running };
}
