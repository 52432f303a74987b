import { closeSync, fdatasync, openSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';

/** The write-ahead log of an open database, by which its commits reach the disk. */
export interface DatabaseLog {
  /** Resolves once everything that was written to it before the call is on the disk; other work continues meanwhile. */
  readonly sync: () => Promise<void>;
  readonly close: () => void;
}

const sync = promisify(fdatasync);

/**
 * The log of the open database at `path`, which stays open until this is closed. With `durability: 'process'`, commits
 * do not wait for the disk: a loss of power undoes the newest of those that were not synced, and nothing else. SQLite
 * itself waits where the order on the disk matters: when the log restarts, and as it is copied into the file.
 */
export function openDatabaseLog(path: string): DatabaseLog {
  // SQLite created it with the first transaction. It is not removed while the database is open, and carries no lock.
  const file = openSync(`${realpathSync(path)}-wal`, 'r+');
  return { sync: () => sync(file), close: () => closeSync(file) };
}
