import type { Sql } from '../sql/sql.ts';
import type { PlaceUsed } from './ledger-custody.ts';

/**
 * What stays the same while one server keeps a schema. Another system identifier is another server, another number of
 * the schema one that was restored from a dump, and another timeline a server that was restored from an archive, or a
 * replica that took over: either may lack what was committed last.
 */
export async function serverPlace(read: Sql['read'], schema: string): Promise<PlaceUsed> {
  const [row] = await read<Readonly<Record<'system' | 'database' | 'schema' | 'timeline', string>>>(
    `SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system,
       (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database,
       (SELECT oid::text FROM pg_namespace WHERE nspname = $1) AS schema,
       left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline`,
    [schema],
  );
  if (row === undefined) throw new Error('the server says nothing of itself');
  return {
    host: null,
    inode: `${row.system}/${row.database}/${row.schema}.${Number.parseInt(row.timeline, 16)}`,
  };
}
