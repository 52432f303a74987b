import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { inWordsOfDamage, isBusy, openDatabase } from '../../base/sqlite.ts';

/** Held until released; the kernel frees it when the process ends in any way. */
export interface RunLock {
  release(): void;
}

/** The lock of the pushes of one kind, in the state folder of a profile at one service. */
export function pushLockPath(folder: string, kind: string): string {
  return join(folder, `push-${kind}.lock`);
}

/** Long enough to outlast somebody who only asks whether the lock is held. */
const patienceMs = 200;

/**
 * Takes the lock that lets one run at a time do `what` ('orders push'): an open exclusive transaction on a side file.
 * @throws Failure('locked') in no time while another run holds it.
 */
export async function takeRunLock(path: string, what: string): Promise<RunLock> {
  try {
    const database = await openDatabase(path, { durability: 'process', busyTimeoutMs: patienceMs });
    try {
      database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      throw error;
    }
    return {
      release: () => {
        // Closing alone may leave the lock until the last statement is collected as garbage.
        database.exec('ROLLBACK');
        database.close();
      },
    };
  } catch (error) {
    const isHeld = (error instanceof Failure && error.kind === 'locked') || isBusy(error);
    if (!isHeld) {
      const hint = `remove it, if no other run of reviewctl ${what} is under way: nothing is kept in it`;
      throw inWordsOfDamage(error, { message: `the lock file ${path} is damaged`, hint });
    }
    throw new Failure(
      'locked',
      `another run of reviewctl ${what} is under way for this profile`,
      'wait until it has ended, then run the same command again; it continues from there',
    );
  }
}

/** Whether a run holds the lock at `path`; asks by taking it, for as good as no time. */
export async function isRunLockHeld(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  try {
    (await takeRunLock(path, '')).release();
    return false;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'locked') return true;
    throw error;
  }
}
