import { closeSync, fdatasync, openSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';

/** The write-ahead log of an open database, by which its commits get to the disk. */
export interface LedgerLog {
  /** Resolves once everything that was written to it before the call is on the disk; other work goes on meanwhile. */
  readonly sync: () => Promise<void>;
  readonly close: () => void;
}

const sync = promisify(fdatasync);

/**
 * The log of a database at `path` that is open, and stays so until this is closed. Of commits that do not wait for the disk (`durability: 'process'`)
 * a loss of power takes those that were not synced since, from the end on, and nothing else: SQLite itself waits wherever the order on the
 * disk matters, as the log begins anew and as it is brought into the file.
 */
export function openLedgerLog(path: string): LedgerLog {
  // SQLite made it with the first transaction; nobody removes it while the database is open, and no lock is kept on it.
  const file = openSync(`${realpathSync(path)}-wal`, 'r+');
  return { sync: () => sync(file), close: () => closeSync(file) };
}
