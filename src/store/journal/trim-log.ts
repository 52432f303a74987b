import { statSync } from 'node:fs';
import type { Database } from '../../base/sqlite.ts';

/** What the write-ahead log may hold before it is copied into the file. */
const logBytesMaximum = 16 * 1024 * 1024;

/**
 * Copies the write-ahead log of the file at `path` into it where it has grown long. That waits for the disk, so it is to be called while
 * no request is under way; until then the log grows.
 */
export function createLogTrim(database: Database, path: string): () => void {
  database.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${logBytesMaximum}`);
  return () => {
    const { size = 0 } = statSync(`${path}-wal`, { throwIfNoEntry: false }) ?? {};
    if (size > logBytesMaximum) database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  };
}
