import { statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CopyLog, copyLogApart } from '../../../base/copy-log.ts';
import { type Database, isUnusable } from '../../../base/sqlite.ts';
import type { PutOff } from '../group-commit.ts';

/** When the write-ahead log is copied into the file, and by what. */
export interface LogOptions {
  /** Bytes above which it is copied while the journal is in use. */
  readonly maximum?: number;
  readonly copy?: CopyLog;
}

/** Those of some two million records. */
const busyMaximum = 256 * 1024 * 1024;
/** Bytes that are left to the next process. */
const leftMaximum = 16 * 1024 * 1024;
/** Requests after which the length of the log is looked at again. */
const requestsPerLook = 64;

/** Keeps the write-ahead log from outgrowing the disk. The event loop never waits for that: another thread does. */
export interface LogTrim {
  /** A commit that would meet the last of a copy waits for its end. */
  readonly putOff: PutOff;
  /** While a copy is under way, nothing may write but what is put off. */
  readonly isCopying: () => boolean;
  /** Begins a copy where the log has grown too long; called after each request. */
  readonly look: () => void;
  /** Resolves when no copy is under way, however it ended. */
  readonly ended: () => Promise<void>;
  /** Copies a long log at once: before the file is closed, when nothing waits for the event loop. */
  readonly copyAll: () => void;
}

/** For the file at `path`, which `database` writes to. */
export function createLogTrim(
  database: Database,
  path: string,
  { maximum = busyMaximum, copy = copyLogApart }: LogOptions = {},
): LogTrim {
  database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 0');
  const logBytes = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  let requests = 0;
  let copying: Promise<void> | undefined;
  let held: (() => void)[] | undefined;

  const hold = async () => {
    held = [];
    // What was put off to the end of this turn is still written.
    await nextTurn();
  };
  const release = () => {
    const commits = held ?? [];
    held = undefined;
    copying = undefined;
    for (const commit of commits) commit();
  };
  return {
    putOff: (commit) => {
      if (held === undefined) setImmediate(commit);
      else held.push(commit);
    },
    isCopying: () => copying !== undefined,
    look: () => {
      requests += 1;
      if (copying !== undefined || requests % requestsPerLook !== 0) return;
      if (logBytes() > maximum) copying = copy(path, hold).then(release, release);
    },
    ended: async () => copying,
    copyAll: () => {
      if (logBytes() > leftMaximum) copyLog(database);
    },
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
