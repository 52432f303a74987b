import { Failure } from '../base/failure.ts';
import { isBusy, openDatabase } from '../base/sqlite.ts';

/** Held until released; the kernel frees it when the process ends in any way. */
export interface RunLock {
  release(): void;
}

/**
 * Takes the lock that lets one run at a time do `what` ('push orders'): an open exclusive transaction on a side file.
 * @throws Failure('locked') at once while another run holds it.
 */
export async function takeRunLock(path: string, what: string): Promise<RunLock> {
  try {
    const database = await openDatabase(path, { durability: 'process', busyTimeoutMs: 0 });
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
    if (!isHeld) throw error;
    throw new Failure(
      'locked',
      `another run is already busy to ${what} for this profile`,
      'wait until it has ended and run the same command again; it goes on from there',
    );
  }
}
