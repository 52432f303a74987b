import { closeSync, fdatasync, openSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';

/** The write-ahead log of an open database, by which its commits reach the disk. */
export interface DatabaseLog {
  /**
   * Resolves once everything that was written before the call is on the disk; other work continues meanwhile. Callers
   * that ask during a wait share the next one. Once a wait fails, all later ones fail alike, since a later one might
   * succeed and say nothing of what was lost.
   */
  readonly sync: () => Promise<void>;
  /** After all waits, however they end. */
  readonly close: () => Promise<void>;
}

const syncFile = promisify(fdatasync);

/**
 * The log of the open database at `path`, which stays open until this is closed. With `durability: 'process'`, commits
 * do not wait for the disk: a loss of power undoes the newest of those that were not synced, and nothing else. SQLite
 * itself waits where the order on the disk matters: when the log restarts, and as it is copied into the file. `wait` is
 * how a wait is made; tests make it fail.
 */
export function openDatabaseLog(path: string, wait?: () => Promise<void>): DatabaseLog {
  // SQLite created it with the first transaction. It is not removed while the database is open, and carries no lock.
  const file = openSync(`${realpathSync(path)}-wal`, 'r+');
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return {
    sync: () => {
      next ??= last.then(() => {
        next = undefined;
        return wait === undefined ? syncFile(file) : wait();
      });
      last = next;
      return next;
    },
    close: async () => {
      await last.catch(() => undefined);
      closeSync(file);
    },
  };
}
