import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import type { Ledger, Step, Stepped } from '../ledger/ledger.ts';
import { type ChangeBatch, readBatch } from './change-batch.ts';
import type { LedgerAccess } from './ledger-access.ts';

/** More changes in one transaction would make others wait too long for the ledger. */
const batchMaximum = 200;

interface Waiting {
  readonly rewardId: string;
  readonly scopes: readonly string[];
  /** Decides within a transaction; returns how to resolve its promise once that is committed. */
  perform(batch: ChangeBatch): () => void;
  fail(error: unknown): void;
}

/**
 * Changes that are asked for while a transaction is under way share the next one: its round trips, its lock and its
 * wait for the disk.
 */
export function createLedgerChanges(
  access: LedgerAccess,
  clock: Clock,
): Pick<Ledger, 'change'> & { readonly idle: () => Promise<void> } {
  const waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Those that are asked for in this turn of the event loop belong together.
    await new Promise(setImmediate);
    while (waiting.length > 0) await commit(waiting.splice(0, batchMaximum));
    running = undefined;
  }

  async function commit(group: readonly Waiting[]): Promise<void> {
    try {
      const settled = await access.write(async (connection, defer) => {
        const batch = await readBatch(connection, access.schema, group, clock);
        const settling = group.map((one) => one.perform(batch));
        defer(batch.write());
        return settling;
      });
      for (const settle of settled) settle();
    } catch (error) {
      // The one that the server refuses is unknown, and the others must not fail with it.
      if (error instanceof Failure || group.length === 1) for (const one of group) one.fail(error);
      else for (const one of group) await commit([one]);
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
