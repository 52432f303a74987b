import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { Sql, SqlReader, Transaction } from '../sql/sql.ts';
import type { EventMark } from './ledger.ts';
import { readMeta } from './ledger-meta.ts';
import { noEvent, readMark, selectLast } from './ledger-reads.ts';
import type { Column, LedgerRow } from './ledger-rows.ts';
import { hasLedger, makeLedgerTables } from './ledger-server.ts';
import { type AnyTable, insertSql, tableColumns } from './ledger-tables.ts';

/** Rows of one page. */
const pageSize = 1000;

const copiedTables = (Object.keys(tableColumns) as readonly AnyTable[]).filter((table) => table !== 'meta');

/** What was copied of a ledger. */
export interface LedgerCopy {
  readonly last: EventMark;
  /** Why it was frozen. */
  readonly frozen: string | null;
}

/**
 * Copies a ledger as it is now to another database, frozen for `reason`, completely or not at all. A ledger that is
 * there is replaced if it is frozen for the same reason: an earlier attempt has left it. `path` is where it goes.
 * @throws Failure('ledger') where another ledger is there.
 */
export async function copyLedger(
  from: Sql,
  to: Sql,
  { reason, path }: Readonly<Record<'reason' | 'path', string>>,
): Promise<LedgerCopy> {
  const source = await from.snapshot();
  try {
    return await to.make(async (tx) => {
      if (await hasLedger(to)) {
        if ((await readMeta(tx)).frozen !== reason) throw twoLedgers(path);
        await tx.exec(`DROP TABLE ${Object.keys(tableColumns).join()}`);
      }
      const meta = await readMeta(source);
      await makeLedgerTables(to, tx, { ...meta, place: null, frozen: reason });
      for (const table of copiedTables) await copyTable(source, tx, table);
      const [last] = await source.query<LedgerRow>(selectLast);
      return { last: last === undefined ? noEvent : readMark(last), frozen: meta.frozen };
    });
  } finally {
    await source.close();
  }
}

async function copyTable(source: SqlReader, tx: Transaction, table: AnyTable): Promise<void> {
  const [key] = tableColumns[table];
  const select = `SELECT * FROM ${table} WHERE ${key} > $1 ORDER BY ${key} LIMIT ${pageSize}`;
  const count = async ({ query }: SqlReader) =>
    (await query<{ readonly count: bigint }>(`SELECT count(*) AS count FROM ${table}`))[0]?.count;
  for (let after: Column = table === 'event' ? 0n : ''; ; ) {
    const page: readonly LedgerRow[] = await source.query(select, [after]);
    const rows = page.map((row) => tableColumns[table].map((name) => row[name] ?? null));
    await tx.many(insertSql(table), rows);
    if (page.length < pageSize) break;
    after = page.at(-1)?.[key] ?? after;
    // The pages that were sent before have arrived.
    await tx.query('SELECT 1 AS one');
  }
  const [read, written] = [await count(source), await count(tx)];
  if (read !== written) throw new Error(`${written} rows of ${read} were copied to ${table}`);
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
