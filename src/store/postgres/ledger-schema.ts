import type { Connection } from '../sql/connection.ts';
import { makeSchema, quoted } from '../sql/postgres.ts';

export { makeSchema, quoted };

/** Whether a ledger is in this schema; of a schema that others made, nothing is said. */
export async function hasLedger(connection: Connection, schema: string): Promise<boolean> {
  const [row] = await connection.query<{ readonly is_there: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS is_there',
    [`${quoted(schema)}.meta`],
  );
  return row?.is_there === true;
}

/** What need not be answered before the transaction is committed, so that it costs no round trip of its own. */
export type Defer = (writing: Promise<unknown>) => void;

/** Does `work` in one transaction, which is undone where it throws. */
export async function inTransaction<T>(
  connection: Connection,
  work: (defer: Defer) => Promise<T>,
): Promise<T> {
  return readingInTransaction(connection, async () => undefined, work);
}

/** As `inTransaction`; what `work` is given is asked for together with the begin, in the same round trip. */
async function readingInTransaction<T, Found>(
  connection: Connection,
  read: () => Promise<Found>,
  work: (defer: Defer, found: Found) => Promise<T>,
): Promise<T> {
  const deferred: Promise<unknown>[] = [];
  try {
    const begin = connection.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
    const [, found] = await Promise.all([begin, read()]);
    const result = await work((writing) => deferred.push(writing), found);
    // A transaction that has failed is undone by COMMIT, which says nothing of it; what was deferred does.
    await Promise.all([...deferred, connection.query('COMMIT')]);
    return result;
  } catch (error) {
    if (!connection.isLost) await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
