import { Failure } from '../../base/failure.ts';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface SharedWrites<Item, Result> {
  /** Resolves with the result of this item once its transaction is committed. */
  readonly add: (item: Item) => Promise<Result>;
  /** Resolves when nothing is waiting. */
  readonly idle: () => Promise<void>;
}

interface ShareOptions<Item, Result> {
  /** Maximum items in one transaction. */
  readonly most: number;
  /** Writes the items in one transaction; returns the result of each. */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[]>;
}

/**
 * Batches writes. Items added in one turn of the event loop, or during a transaction, share the next transaction: its
 * round trips, its locks and its fsync.
 */
export function shareWrites<Item, Result>({
  most,
  write,
}: ShareOptions<Item, Result>): SharedWrites<Item, Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      // SQLite answers without a pause; this lets timers and signals run.
      await new Promise(setImmediate);
      await writeAll(waiting.splice(0, most));
    }
    running = undefined;
  }

  async function writeAll(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await write(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      // It is unknown which item failed, and the others must not fail with it.
      if (error instanceof Failure || group.length === 1) for (const { reject } of group) reject(error);
      else for (const one of group) await writeAll([one]);
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= run();
      }),
    idle: async () => running,
  };
}
