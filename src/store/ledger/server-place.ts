import type { SqlReader } from '../sql/sql.ts';
import type { LastPlace } from './ledger-custody.ts';

type Row<Name extends string> = Readonly<Record<Name, string>>;

/** The server and database that a session has reached. */
export type Server = Row<'system' | 'database' | 'timeline' | 'started'>;

/**
 * A different system identifier is another server. A different timeline is a server restored from an archive, or a
 * replica that took over. Either may lack the last commits.
 */
export async function serverOf({ query }: SqlReader): Promise<Server> {
  const [row] = await query<Server>(
    `SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system,
       (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database,
       left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline,
       pg_postmaster_start_time()::text AS started`,
  );
  if (row === undefined) throw new Error('the server returned no row');
  return row;
}

/** Identifies a schema as long as one server keeps it. A schema restored from a dump has another oid. */
export async function serverPlace(reader: SqlReader, schema: string): Promise<LastPlace> {
  const { system, database, timeline } = await serverOf(reader);
  const select = 'SELECT oid::text AS schema FROM pg_namespace WHERE nspname = $1';
  const [row] = await reader.query<Row<'schema'>>(select, [schema]);
  return {
    host: null,
    inode: `${system}/${database}/${row?.schema ?? 'none'}.${Number.parseInt(timeline, 16)}`,
  };
}
