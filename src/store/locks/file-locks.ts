import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, messageOf } from '../../base/failure.ts';
import { type HeldFile, holdFile, isBusy, isDamage, openDatabase } from '../../base/sqlite.ts';
import type { Lock, Locks } from './locks.ts';

const suffix = '.lock';

/** The file of a lock in the folder of its kind. */
function lockFile(folder: string, name: string): string {
  return join(folder, name + suffix);
}

/** The names of the locks that have a file in `folder`. */
function lockNamesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length));
}

/** Long enough to outlast a process that only asks whether the lock is held. */
const patienceMs = 200;

/** Locks of runs: each is an open exclusive transaction on a file of its own in `folder`, which stays there. */
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
        `remove it, if no other run of reviewctl ${activity} is under way: nothing is kept in it`,
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
      // Closing alone may leave the lock until the last statement is collected as garbage.
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

/** Takes the lock for an instant. */
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

/** How often a lock is created again because another process removed it just before it was held. */
const makings = 10;
/** Locks that one process examines to remove those of ended owners; the rest is left to later processes. */
const examinedMaximum = 100;

/**
 * Locks that show that the owners of claims are alive: each is a file in `folder`, which is gone after its owner. An
 * owner acquires its own before its first claim, and no two have one name. To acquire one removes those of owners that
 * have ended.
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
      'see that you may write to the folder of the ledger and that its disk has room, then run the same command again',
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

/** Another process may remove the file before it is held, which SQLite takes for an error of the disk. */
async function holdOwn(path: string, isLastTry: boolean): Promise<HeldFile | 'held-elsewhere' | 'removed'> {
  try {
    return (await holdFile(path, { isMade: true })) ?? 'held-elsewhere';
  } catch (error) {
    if (isLastTry || existsSync(path)) throw error;
    return 'removed';
  }
}

/** Whether the lock is held, in any namespace of this machine; one that is not is removed. */
async function isHeldElseGone(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const held = await holdFile(path, { isMade: false });
  if (held === undefined) return existsSync(path);
  remove(held, path);
  return false;
}

/** Removes the file while it is held, so that no process holds one that others do not find. */
function remove(held: HeldFile, path: string): void {
  rmSync(path, { force: true });
  held.release();
}

async function removeEnded(folder: string, own: string): Promise<void> {
  for (const name of lockNamesIn(folder).slice(0, examinedMaximum)) {
    const path = lockFile(folder, name);
    // One that cannot be examined does no harm.
    if (path !== own) await isHeldElseGone(path).catch(() => true);
  }
}
