import type { Clock } from '../../base/clock.ts';
import { checkServer } from '../sql/check-server.ts';
import { withConnection } from '../sql/connection.ts';
import type { PostgresStateLocation } from '../state/state-location.ts';
import { underWay } from './receive-state.ts';
import { findState, makeState } from './state-schema.ts';

/** What is known of a state in a database. */
export interface PreparedState {
  /** The id of the move that made it; null where it was begun there. */
  readonly move: string | null;
}

/** As `prepareState`. */
export function preparePostgresState(
  location: PostgresStateLocation,
  { clock, isReadOnly }: { readonly clock: Clock; readonly isReadOnly: boolean },
): Promise<PreparedState> {
  return withConnection(location, async (connection) => {
    await checkServer(connection, location, clock);
    const found = await findState(connection, location);
    if (found === undefined && !isReadOnly) await makeState(connection, location);
    if (found !== undefined && found.incoming !== null) throw underWay(location.path, found.incoming);
    return { move: found?.move ?? null };
  });
}
