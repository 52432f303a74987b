import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { Failure, messageOf } from '../../../base/failure.ts';
import { type HeldFile, holdFile } from '../../../base/sqlite.ts';
import type { Lock, Locks } from '../../locks/locks.ts';
import { lockFile, lockNamesIn } from './lock-files.ts';

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
    acquire: (owner) => acquire(folder, pathOf(owner)),
    isHeld: (owner) => isHeldElseGone(pathOf(owner)),
    names: async () => lockNamesIn(folder).map(decodeURIComponent),
  };
}

async function acquire(folder: string, path: string): Promise<Lock> {
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
