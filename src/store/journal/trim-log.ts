import { statSync } from 'node:fs';
import { type Database, isUnusable } from '../../base/sqlite.ts';

/** Bytes of the write-ahead log above which it is copied into the file while no request is under way. */
const quietMaximum = 16 * 1024 * 1024;
/** Those above which it is copied whatever is under way, so that it does not outgrow the disk: those of some two million records. */
const busyMaximum = 256 * 1024 * 1024;
/** Requests after which its length is looked at again while others are under way. */
const requestsPerLook = 64;

/**
 * Copies the write-ahead log of the file at `path` into it where it has grown long. That waits for the disk, and with it the event loop,
 * so it is done when `isQuiet`: when no request is under way.
 */
export function createLogTrim(database: Database, path: string): (isQuiet: boolean) => void {
  database.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${quietMaximum}`);
  let calls = 0;
  return (isQuiet) => {
    calls += 1;
    if (!isQuiet && calls % requestsPerLook !== 0) return;
    const { size = 0 } = statSync(`${path}-wal`, { throwIfNoEntry: false }) ?? {};
    if (size > (isQuiet ? quietMaximum : busyMaximum)) copyLog(database);
  };
}

/** Where the disk is full, say, the log keeps what it holds, and the next write says so. */
function copyLog(database: Database): void {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch (error) {
    if (!isUnusable(error)) throw error;
  }
}
