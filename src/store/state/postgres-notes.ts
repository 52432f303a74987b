import type { CheckpointPlace, NamedCheckpoint } from '../checkpoints/stored-checkpoint.ts';
import { withConnection } from '../sql/connection.ts';
import { quoted } from '../sql/postgres-address.ts';
import type { AccountNote } from './account-note.ts';
import type { PostgresStateLocation } from './state-location.ts';
import { findState } from './state-tables.ts';

/*
 * The notes of a state in PostgreSQL, besides its journal. They are read at the start of a run and written at its end,
 * so each access opens its own session.
 */

/** The account of a state. A state that is not prepared has none yet. */
export function postgresAccount(location: PostgresStateLocation): AccountNote {
  const { address, key } = location;
  return {
    read: () =>
      withConnection(location, async (connection) => {
        const row = await findState(connection, location);
        return row?.account ?? undefined;
      }),
    keep: (account) =>
      withConnection(location, async (connection) => {
        const update = `UPDATE ${quoted(address.schema)}.state SET account = $1
          WHERE state = $2 AND account IS DISTINCT FROM $1`;
        await connection.query(update, [account, key]);
      }),
  };
}

/** Lists all checkpoints of a state. A state that is not prepared has none. */
export async function postgresCheckpoints(
  location: PostgresStateLocation,
): Promise<readonly NamedCheckpoint[]> {
  const table = `${quoted(location.address.schema)}.checkpoint`;
  const select = `SELECT list, name FROM ${table} WHERE state = $1 ORDER BY list, name`;
  const rows = await withConnection(location, async (connection) => {
    const isPrepared = (await findState(connection, location)) !== undefined;
    return isPrepared ? connection.query<Omit<NamedCheckpoint, 'place'>>(select, [location.key]) : [];
  });
  return rows.map(({ list, name }) => ({ list, name, place: postgresCheckpoint(location, list, name) }));
}

/** A checkpoint of a prepared state. */
export function postgresCheckpoint(
  location: PostgresStateLocation,
  list: string,
  name: string,
): CheckpointPlace {
  const { address, key } = location;
  const table = `${quoted(address.schema)}.checkpoint`;
  return {
    path: `${list} ${name} of ${location.path}`,
    read: () =>
      withConnection(location, async (connection) => {
        const select = `SELECT content FROM ${table} WHERE state = $1 AND list = $2 AND name = $3`;
        const [row] = await connection.query<{ readonly content: string }>(select, [key, list, name]);
        return row?.content;
      }),
    write: (text) =>
      withConnection(location, async (connection) => {
        const insert = `INSERT INTO ${table} VALUES ($1, $2, $3, $4)
          ON CONFLICT (state, list, name) DO UPDATE SET content = EXCLUDED.content`;
        await connection.query(insert, [key, list, name, text]);
      }),
  };
}
