import { closeSync, fdatasync, openSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';

/** The write-ahead log of an open database, for syncing its commits. */
export interface DatabaseLog {
  /**
   * Resolves once everything written before the call is on the disk; other work continues meanwhile. Calls during an
   * fsync share the next one. After a failed fsync all later calls fail alike, since a later fsync might succeed
   * without the lost data.
   */
  readonly sync: () => Promise<void>;
  /** Waits for all syncs, successful or not. */
  readonly close: () => Promise<void>;
}

const syncFile = promisify(fdatasync);

/**
 * Opens the log of the open database at `path`. With `durability: 'process'`, commits do not wait for the disk: a loss
 * of power undoes the newest commits that were not synced, and nothing else. SQLite itself syncs if the order on the
 * disk matters: when the log restarts, and when it is copied into the file. `wait` replaces fsync in tests, to make it
 * fail.
 */
export function openDatabaseLog(path: string, wait?: () => Promise<void>): DatabaseLog {
  // SQLite creates the log with the first transaction and keeps it while the database is open. It carries no lock.
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
