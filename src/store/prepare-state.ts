import type { Clock } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import { hint, reviewctl } from '../base/hint.ts';
import { checkpointsIn } from './checkpoints/stored-checkpoint.ts';
import { isLockHeld } from './locks/session-locks.ts';
import { openExistingPushJournal, stateLocks } from './open-store.ts';
import { checkServer } from './sql/check-server.ts';
import { withConnection } from './sql/connection.ts';
import { beingMoved, checkNotMoved, endedMove, moveLockName } from './state/moved-state.ts';
import {
  lockScope,
  type PostgresStateLocation,
  type SqliteStateLocation,
  type StateLocation,
  stateLocation,
} from './state/state-location.ts';
import { findState, makeState } from './state/state-tables.ts';

/**
 * Call before using a state, while holding its lock: checks that it is the one in use. For a state in a database, also
 * checks the server, and creates a missing schema unless the run is read-only.
 * @throws Failure('config') if the state was moved elsewhere or not moved here, or with the problem of the server;
 *   Failure('locked') while it is being moved; as `connect`.
 */
export async function prepareState(
  location: StateLocation,
  options: { readonly clock: Clock; readonly isReadOnly: boolean },
): Promise<void> {
  if (location.kind === 'sqlite') {
    await checkStateFolder(location);
    return;
  }
  const found = await withConnection(location, async (connection) => {
    await checkServer(connection, location, options.clock);
    if (await isLockHeld(connection, location, lockScope(location) + moveLockName))
      throw beingMoved(location.path);
    return findState(connection, location);
  });
  if (found === undefined && !options.isReadOnly) await makeIn(location);
  await checkOwnFolder(location, found?.move ?? null);
}

async function makeIn(location: PostgresStateLocation): Promise<void> {
  const { openPostgres } = await import('./sql/postgres.ts');
  const sql = await openPostgres(location, { durability: 'power' });
  try {
    await sql.make((tx) => makeState(tx, location));
  } finally {
    await sql.close();
  }
}

/**
 * Checks that the state in a folder is the one in use.
 * @throws Failure('config') if it was moved elsewhere; Failure('locked') while it is being moved.
 */
export async function checkStateFolder(location: SqliteStateLocation): Promise<void> {
  const { folder } = location;
  if (await stateLocks(location).isHeld(moveLockName)) {
    throw new Failure(
      'locked',
      `the state in ${folder} is being moved to a database`,
      'wait until that has ended, then run the same command again',
    );
  }
  checkNotMoved(folder);
}

/**
 * Checks that no move of the state in a folder was killed. One that is under way holds locks where it goes, too.
 * @throws Failure('config') if only the database knows whether it has arrived.
 */
export async function checkNoKilledMove(location: SqliteStateLocation): Promise<void> {
  if (!(await stateLocks(location).isHeld(moveLockName))) endedMove(location.folder);
}

/** The records in this machine's folder must be in the database; otherwise they would be sent or listed again. */
async function checkOwnFolder({ path, folder }: PostgresStateLocation, move: string | null): Promise<void> {
  const moved = endedMove(folder);
  if (moved === undefined) {
    if (await holdsState(stateLocation(folder))) throw notMoved(path, folder);
    return;
  }
  if (moved.move === move) return;
  throw new Failure(
    'config',
    `the state ${path} is not the one that the state in ${folder} was moved to: that is the one of the shop ` +
      `'${moved.shop}' in ${moved.to}`,
    hint`check the settings state and shop: ${reviewctl`config list`}; if they are right, the database was replaced, or
      restored from a backup that is older than the move`,
  );
}

function notMoved(path: string, folder: string): Failure {
  return new Failure(
    'config',
    `the records pushed and listed so far are in ${folder}, not in ${path}: with that state, they would be sent and ` +
      'listed again',
    hint`move it there: ${reviewctl`state move`}`,
  );
}

/** True if a folder has runs or checkpoints. Commands that list runs create an empty journal. */
export async function holdsState(location: SqliteStateLocation): Promise<boolean> {
  if (checkpointsIn(location.folder).length > 0) return true;
  const journal = await openExistingPushJournal(location);
  if (journal === undefined) return false;
  try {
    return (await journal.runs.list()).length > 0;
  } finally {
    await journal.close();
  }
}
