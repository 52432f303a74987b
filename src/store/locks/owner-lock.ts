import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, messageOf } from '../../base/failure.ts';
import { type HeldFile, holdFile } from '../../base/sqlite.ts';

/** Held while the owner may act on its claims; the kernel frees it when the process ends in any way. */
export interface OwnerLock {
  release(): void;
}

/** How often a lock is made anew because somebody cleared it away just before it was held. */
const makings = 10;
/** Locks looked at by one that clears up; the others are left to those that come later. */
const clearedAtMost = 100;
const suffix = '.lock';

/**
 * Takes the lock that shows others that `owner` is alive, and clears away those of owners that are not. An owner takes
 * it before its first claim, and no two have one name.
 * @throws Failure('unwritable-path') where the folder, beside the ledger, cannot be written to; Failure('locked') where
 *   others keep the lock from being made.
 */
export async function takeOwnerLock(folder: string, owner: string): Promise<OwnerLock> {
  const path = lockPath(folder, owner);
  try {
    return await makeLock(folder, path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      'unwritable-path',
      `the lock ${path} cannot be made: ${messageOf(error)}`,
      'see that you may write to the folder of the ledger and that its disk has room, then run the same command again',
      { cause: error },
    );
  }
}

async function makeLock(folder: string, path: string): Promise<OwnerLock> {
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  for (let making = 1; making <= makings; making += 1) {
    const held = await holdOwn(path, making === makings);
    if (held === 'held-elsewhere') break;
    if (held === 'cleared-away') continue;
    if (existsSync(path)) {
      await clearAway(folder, path);
      return { release: () => remove(held, path) };
    }
    held.release();
  }
  throw new Failure(
    'locked',
    `the lock ${path} is held by another process`,
    'wait until it has ended and run the same command again',
  );
}

/**
 * Somebody who clears up may remove the file between its making and its holding, which SQLite takes for an error of the
 * disk.
 */
async function holdOwn(
  path: string,
  isLastTry: boolean,
): Promise<HeldFile | 'held-elsewhere' | 'cleared-away'> {
  try {
    return (await holdFile(path, { isMade: true })) ?? 'held-elsewhere';
  } catch (error) {
    if (isLastTry || existsSync(path)) throw error;
    return 'cleared-away';
  }
}

/** Whether the process that took the lock of `owner` is still there, in whatever namespace of this machine. */
export async function isOwnerAlive(folder: string, owner: string): Promise<boolean> {
  return isHeldElseGone(lockPath(folder, owner));
}

/** Whether the lock is held; one that is not goes away. */
async function isHeldElseGone(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const held = await holdFile(path, { isMade: false });
  if (held === undefined) return existsSync(path);
  remove(held, path);
  return false;
}

/** Removes the file while it is held, so that nobody holds one that others do not find. */
function remove(held: HeldFile, path: string): void {
  rmSync(path, { force: true });
  held.release();
}

async function clearAway(folder: string, own: string): Promise<void> {
  const names = readdirSync(folder).filter((name) => name.endsWith(suffix));
  for (const name of names.slice(0, clearedAtMost)) {
    const path = join(folder, name);
    // What cannot be looked at is in nobody's way.
    if (path !== own) await isHeldElseGone(path).catch(() => true);
  }
}

function lockPath(folder: string, owner: string): string {
  return join(folder, encodeURIComponent(owner) + suffix);
}
