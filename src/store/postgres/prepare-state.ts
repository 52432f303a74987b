import type { Clock } from '../../base/clock.ts';
import { checkServer } from '../sql/check-server.ts';
import { withConnection } from '../sql/connection.ts';
import { openPostgres } from '../sql/postgres.ts';
import { beingMoved, moveLockName } from '../state/moved-state.ts';
import { lockScope, type PostgresStateLocation } from '../state/state-location.ts';
import { findState, makeState, type StateRow } from '../state/state-tables.ts';
import { isLockHeld } from './session-locks.ts';

/**
 * What is known of a state in a database, whose server is checked; undefined if nothing is. Unless nothing is to be
 * written, it is made there.
 * @throws as `prepareState`.
 */
export async function preparePostgresState(
  location: PostgresStateLocation,
  { clock, isReadOnly }: { readonly clock: Clock; readonly isReadOnly: boolean },
): Promise<StateRow | undefined> {
  const found = await withConnection(location, async (connection) => {
    await checkServer(connection, location, clock);
    if (await isLockHeld(connection, location, lockScope(location) + moveLockName))
      throw beingMoved(location.path);
    return findState(connection, location);
  });
  if (found === undefined && !isReadOnly) await makeIn(location);
  return found;
}

async function makeIn(location: PostgresStateLocation): Promise<void> {
  const sql = await openPostgres(location, { durability: 'power' });
  try {
    await sql.make((tx) => makeState(tx, location));
  } finally {
    await sql.close();
  }
}
