import { existsSync } from 'node:fs';
import { Failure } from '../../../base/failure.ts';
import { inWordsOfDamage, isBusy, openDatabase } from '../../../base/sqlite.ts';
import type { Lock, Locks } from '../../locks/locks.ts';
import { lockFile, lockNamesIn } from './lock-files.ts';

/** Long enough to outlast a process that only asks whether the lock is held. */
const patienceMs = 200;

/** Locks of runs: each is an open exclusive transaction on a file of its own in `folder`, which stays there. */
export function createRunLocks(folder: string): Locks {
  const pathOf = (name: string) => lockFile(folder, name);
  return {
    acquire: (name, activity) => acquire(pathOf(name), activity),
    isHeld: (name) => isHeld(pathOf(name)),
    names: async () => lockNamesIn(folder),
  };
}

async function acquire(path: string, activity: string): Promise<Lock> {
  try {
    return await beginExclusive(path);
  } catch (error) {
    const isTaken = (error instanceof Failure && error.kind === 'locked') || isBusy(error);
    if (!isTaken) {
      const hint = `remove it, if no other run of reviewctl ${activity} is under way: nothing is kept in it`;
      throw inWordsOfDamage(error, { message: `the lock file ${path} is damaged`, hint });
    }
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
async function isHeld(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  try {
    await (await acquire(path, '')).release();
    return false;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'locked') return true;
    throw error;
  }
}
