import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { PostgresPlace } from '../sql/postgres-address.ts';
import type { Sql, SqlReader, Transaction } from '../sql/sql.ts';
import { recordInUse } from './in-use.ts';
import { readMeta } from './ledger-meta.ts';
import { pageSize, readPages } from './ledger-reads.ts';
import { hasLedger, makeLedgerTables } from './ledger-server.ts';
import { type AnyTable, insertSql, tableColumns } from './ledger-tables.ts';
import { verifyLedger } from './verify-ledger.ts';

const copiedTables = (Object.keys(tableColumns) as readonly AnyTable[]).filter((table) => table !== 'meta');

/** The target of a copy: a database, and the transaction of `Sql.make` in it. */
interface Target {
  readonly sql: Sql;
  readonly tx: Transaction;
  readonly place: PostgresPlace;
}

/**
 * Copies a ledger to another database, without its place, and verifies the copy.
 * @throws Failure('ledger') if another ledger is there, or the ledger is damaged.
 */
export async function copyLedger(source: SqlReader, { sql, tx, place }: Target): Promise<void> {
  const { path, address } = place;
  if (await hasLedger(sql)) throw twoLedgers(path);
  const meta = { ...(await readMeta(source)), place: null, movedTo: undefined };
  await makeLedgerTables(sql, tx, meta);
  await recordInUse(tx, address.schema, meta);
  for (const table of copiedTables) await copyTable(source, tx, table);
  const snapshot = async () => ({ query: tx.query, close: async () => undefined });
  for await (const wrong of verifyLedger({ dialect: sql.dialect, snapshot }, undefined))
    throw notAsWritten(path, wrong);
}

async function copyTable(source: SqlReader, tx: Transaction, table: AnyTable): Promise<void> {
  const [key] = tableColumns[table];
  const select = `SELECT * FROM ${table} WHERE ${key} > $1 ORDER BY ${key} LIMIT ${pageSize}`;
  const count = async ({ query }: SqlReader) =>
    (await query<{ readonly count: bigint }>(`SELECT count(*) AS count FROM ${table}`))[0]?.count;
  const first = table === 'event' ? 0n : '';
  const pages = readPages(
    source.query,
    (last) => [select, [last?.[key] ?? first]],
    (row) => row,
  );
  for await (const page of pages) {
    await tx.many(
      insertSql(table),
      page.map((row) => tableColumns[table].map((name) => row[name] ?? null)),
    );
    // Waits until all pages sent before have arrived.
    await tx.query('SELECT 1 AS one');
  }
  const [read, written] = [await count(source), await count(tx)];
  if (read !== written) throw new Error(`${written} rows of ${read} were copied to ${table}`);
}

function notAsWritten(path: string, why: string): Failure {
  return new Failure(
    'ledger',
    `the copy of the ledger in ${path} would be damaged: ${why}; nothing was moved`,
    hint`check the ledger: ${reviewctl`ledger verify`}`,
  );
}

/** Only a person knows which of the two has the payments. */
function twoLedgers(path: string): Failure {
  return new Failure(
    'ledger',
    `${path} already has a ledger, and two ledgers cannot be merged; nothing was moved`,
    hint`see which of them has paid what: ${reviewctl`ledger status -c state=${path}`}; until that is clear, stop every
      machine that pays from either: ${reviewctl`ledger freeze -c state=${path} --reason move`}`,
  );
}
