import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { type CopiedTable, copiedTables, type LedgerCopy } from '../ledger/ledger-copy.ts';
import type { PostgresLedgerLocation } from '../ledger/ledger-location.ts';
import type { LedgerRow } from '../ledger/ledger-rows.ts';
import { type Connection, withConnection } from '../sql/connection.ts';
import { dropLedgerTables, hasLedger, inTransaction, makeLedgerTables, quoted } from './ledger-schema.ts';
import { insertManySql } from './row-sql.ts';

const tables = Object.keys(copiedTables) as readonly CopiedTable[];

/**
 * Puts a copy of a ledger into a schema, frozen for `reason`, completely or not at all. One that is there is replaced
 * if it is frozen for the same reason: an earlier attempt has left it. Returns how many rows there are afterwards.
 * @throws Failure('ledger') where another ledger is there.
 */
export function putLedgerCopy(
  location: PostgresLedgerLocation,
  copy: LedgerCopy,
  reason: string,
): Promise<number> {
  const { schema: name } = location.address;
  return withConnection(location, async (connection) => {
    await inTransaction(connection, async () => {
      if (await hasLedger(connection, name)) {
        if ((await frozenFor(connection, name)) !== reason) throw twoLedgers(location.path);
        await dropLedgerTables(connection, name);
      }
      await makeLedgerTables(connection, name, { ...Object.fromEntries(copy.meta), frozen: reason });
      for (const table of tables)
        for (const page of copy.rows(table)) await insertPage(connection, name, table, page);
    });
    return countRows(connection, name);
  });
}

async function frozenFor(connection: Connection, name: string): Promise<string | undefined> {
  const select = `SELECT value FROM ${quoted(name)}.meta WHERE name = 'frozen'`;
  const [row] = await connection.query<{ readonly value: string }>(select);
  return row?.value;
}

async function insertPage(
  connection: Connection,
  name: string,
  table: CopiedTable,
  rows: readonly LedgerRow[],
): Promise<void> {
  const names = copiedTables[table];
  const values = names.map((column) => rows.map((row) => row[column] ?? null));
  await connection.query(insertManySql(quoted(name), table, names), values);
}

async function countRows(connection: Connection, name: string): Promise<number> {
  const counts = tables.map((table) => `(SELECT count(*) FROM ${quoted(name)}.${table})`);
  const [row] = await connection.query<{ readonly count: bigint }>(`SELECT ${counts.join(' + ')} AS count`);
  return Number(row?.count ?? 0);
}

/** Nobody but a person knows which of the two has the payments. */
export function twoLedgers(path: string): Failure {
  return new Failure(
    'ledger',
    `${path} has a ledger already, and two ledgers cannot become one; nothing was moved`,
    hint`see which of them has paid what: ${reviewctl`ledger status -c state=${path}`}; until that is clear, stop every
      machine that pays from either: ${reviewctl`ledger freeze -c state=${path} --reason move`}`,
  );
}
