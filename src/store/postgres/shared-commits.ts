import { Failure } from '../../base/failure.ts';

/** A write that waits for its transaction. */
export interface Waiting {
  readonly fail: (error: unknown) => void;
}

export interface SharedCommits<Item extends Waiting> {
  readonly add: (item: Item) => void;
  /** Resolves when nothing waits any more. */
  readonly idle: () => Promise<void>;
}

interface CommitOptions<Item> {
  /** Removes from `waiting` what the next transaction is to write: at least the first. */
  readonly take: (waiting: Item[]) => readonly Item[];
  /** Writes it in one transaction; returns how to resolve each. */
  readonly commit: (group: readonly Item[]) => Promise<readonly (() => void)[]>;
}

/**
 * Writes that are asked for while a transaction is under way share the next one: its round trips, its locks and its
 * wait for the disk.
 */
export function createSharedCommits<Item extends Waiting>({
  take,
  commit,
}: CommitOptions<Item>): SharedCommits<Item> {
  const waiting: Item[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Those that are asked for in this turn of the event loop belong together.
    await new Promise(setImmediate);
    while (waiting.length > 0) await commitAll(take(waiting));
    running = undefined;
  }

  async function commitAll(group: readonly Item[]): Promise<void> {
    try {
      for (const settle of await commit(group)) settle();
    } catch (error) {
      // The one that the server refuses is unknown, and the others must not fail with it.
      if (error instanceof Failure || group.length === 1) for (const one of group) one.fail(error);
      else for (const one of group) await commitAll([one]);
    }
  }

  return {
    add: (item) => {
      waiting.push(item);
      running ??= run();
    },
    idle: async () => running,
  };
}
