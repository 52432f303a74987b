import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, messageOf } from '../../base/failure.ts';
import { type HeldFile, holdFile, isBusy, isDamage, openDatabase } from '../../base/sqlite.ts';
import type { Lock, Locks } from './locks.ts';

const suffix = '.lock';

/** The path of a lock file. */
function lockFile(folder: string, name: string): string {
  return join(folder, name + suffix);
}

/** The names of all lock files in `folder`. */
function lockNamesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length));
}

/** Long enough to outlast a process that only checks the lock. */
const patienceMs = 200;

/** Locks of runs. Each is an open exclusive transaction on a file in `folder`, which is never removed. */
export function createRunLocks(folder: string): Locks {
  const pathOf = (name: string) => lockFile(folder, name);
  return {
    acquire: (name, activity) => acquireRun(pathOf(name), activity),
    isHeld: (name) => isRunHeld(pathOf(name)),
    names: async () => lockNamesIn(folder),
  };
}

async function acquireRun(path: string, activity: string): Promise<Lock> {
  try {
    return await beginExclusive(path);
  } catch (error) {
    const isTaken = (error instanceof Failure && error.kind === 'locked') || isBusy(error);
    if (!isTaken && error instanceof Failure && isDamage(error.cause)) {
      throw new Failure(
        'unreadable-path',
        `the lock file ${path} is damaged`,
        `if no other run of reviewctl ${activity} is under way, remove it: it contains no data`,
        { cause: error.cause },
      );
    }
    if (!isTaken) throw error;
    throw new Failure(
      'locked',
      `another run of reviewctl ${activity} is under way for this profile`,
      'wait until it has ended, then run the same command again; it continues from there',
    );
  }
}

async function beginExclusive(path: string): Promise<Lock> {
  const database = await openDatabase(path, { durability: 'process', busyTimeoutMs: patienceMs });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    release: async () => {
      // Closing alone may keep the lock until the last statement is garbage-collected.
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

/** Acquires the lock for a moment. */
async function isRunHeld(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  try {
    await (await acquireRun(path, '')).release();
    return false;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'locked') return true;
    throw error;
  }
}

/** Attempts to create a lock that other processes remove before it is held. */
const makings = 10;
/** Locks that one process examines to remove those of dead owners; later processes examine the rest. */
const examinedMaximum = 100;

/**
 * Locks that prove that the owners of claims are alive. Each is a file in `folder` that disappears after its owner's
 * end. An owner acquires its lock before its first claim; names are unique. Acquiring one removes those of dead owners.
 */
export function createOwnerLocks(folder: string): Locks {
  const pathOf = (owner: string) => lockFile(folder, encodeURIComponent(owner));
  return {
    acquire: (owner) => acquireOwner(folder, pathOf(owner)),
    isHeld: (owner) => isHeldElseGone(pathOf(owner)),
    names: async () => lockNamesIn(folder).map(decodeURIComponent),
  };
}

async function acquireOwner(folder: string, path: string): Promise<Lock> {
  try {
    return await makeLock(folder, path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      'unwritable-path',
      `the lock ${path} cannot be created: ${messageOf(error)}`,
      'check that you may write to the folder of the ledger and that its disk has free space, then run the same ' +
        'command again',
      { cause: error },
    );
  }
}

async function makeLock(folder: string, path: string): Promise<Lock> {
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  for (let making = 1; making <= makings; making += 1) {
    const held = await holdOwn(path, making === makings);
    if (held === 'held-elsewhere') break;
    if (held === 'removed') continue;
    if (existsSync(path)) {
      await removeEnded(folder, path);
      return { release: async () => remove(held, path) };
    }
    held.release();
  }
  throw new Failure(
    'locked',
    `the lock ${path} is held by another process`,
    'wait until it has ended and run the same command again',
  );
}

/** Another process may remove the file before it is held; SQLite then reports a disk error. */
async function holdOwn(path: string, isLastTry: boolean): Promise<HeldFile | 'held-elsewhere' | 'removed'> {
  try {
    return (await holdFile(path, { isMade: true })) ?? 'held-elsewhere';
  } catch (error) {
    if (isLastTry || existsSync(path)) throw error;
    return 'removed';
  }
}

/** True if the lock is held, in any namespace of this machine. Removes a lock that is not. */
async function isHeldElseGone(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const held = await holdFile(path, { isMade: false });
  if (held === undefined) return existsSync(path);
  remove(held, path);
  return false;
}

/** Removes the file while holding it, so that no process holds a file that others cannot find. */
function remove(held: HeldFile, path: string): void {
  rmSync(path, { force: true });
  held.release();
}

async function removeEnded(folder: string, own: string): Promise<void> {
  for (const name of lockNamesIn(folder).slice(0, examinedMaximum)) {
    const path = lockFile(folder, name);
    // A lock that cannot be examined does no harm.
    if (path !== own) await isHeldElseGone(path).catch(() => true);
  }
}
