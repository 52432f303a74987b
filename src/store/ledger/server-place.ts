import type { SqlReader } from '../sql/sql.ts';
import type { PlaceUsed } from './ledger-custody.ts';

type Row<Name extends string> = Readonly<Record<Name, string>>;

/** Which database of which server a session has reached. */
export type Server = Row<'system' | 'database' | 'timeline' | 'started'>;

/**
 * Another system identifier is another server, and another timeline a server that was restored from an archive, or a
 * replica that took over: either may lack what was committed last.
 */
export async function serverOf({ query }: SqlReader): Promise<Server> {
  const [row] = await query<Server>(
    `SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system,
       (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database,
       left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline,
       pg_postmaster_start_time()::text AS started`,
  );
  if (row === undefined) throw new Error('the server says nothing of itself');
  return row;
}

/** What stays the same while one server keeps a schema. Another number of the schema is one restored from a dump. */
export async function serverPlace(reader: SqlReader, schema: string): Promise<PlaceUsed> {
  const { system, database, timeline } = await serverOf(reader);
  const select = 'SELECT oid::text AS schema FROM pg_namespace WHERE nspname = $1';
  const [row] = await reader.query<Row<'schema'>>(select, [schema]);
  return {
    host: null,
    inode: `${system}/${database}/${row?.schema ?? 'none'}.${Number.parseInt(timeline, 16)}`,
  };
}
