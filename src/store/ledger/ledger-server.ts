import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { databaseFailure } from '../sql/database-failure.ts';
import { openPostgres } from '../sql/postgres.ts';
import type { Sql, Transaction } from '../sql/sql.ts';
import { recordInUse } from './in-use.ts';
import type { Ledger } from './ledger.ts';
import { otherFormat } from './ledger-failure.ts';
import type { PostgresLedgerLocation } from './ledger-location.ts';
import { type LedgerMeta, writeMeta } from './ledger-meta.ts';
import { ledgerFormat, tablesSql } from './ledger-tables.ts';
import { type LedgerHome, openLedgerIn } from './open-ledger.ts';

/** Opens the database of a ledger in a schema, whether or not one is there. @throws Failure as `openPostgres`. */
export function openLedgerServer(location: PostgresLedgerLocation): Promise<Sql> {
  return openPostgres(location, { durability: 'power' });
}

/** Whether a ledger is in this schema; of a schema that others made, nothing is said. */
export async function hasLedger(sql: Pick<Sql, 'tables'>): Promise<boolean> {
  return (await sql.tables()).includes('meta');
}

/** Makes the tables of a ledger in a schema that has none, within a transaction. */
export async function makeLedgerTables(sql: Sql, tx: Transaction, meta: LedgerMeta): Promise<void> {
  await tx.exec(tablesSql(sql.dialect));
  await tx.many("INSERT INTO meta VALUES ('format', $1)", [[`${ledgerFormat}`]]);
  await writeMeta(tx, meta);
}

/** @throws Failure('ledger') where the ledger has another format. */
async function checkFormat({ read }: Sql, path: string): Promise<void> {
  const [row] = await read<{ readonly value: string }>("SELECT value FROM meta WHERE name = 'format'");
  const found = Number(row?.value ?? 0);
  if (found !== ledgerFormat) throw otherFormat(path, found, ledgerFormat);
}

function serverHome(location: PostgresLedgerLocation): LedgerHome {
  const { schema } = location.address;
  return {
    failureOf: (error) => databaseFailure(location, error),
    bytes: async (read) => {
      const [row] = await read<{ readonly bytes: bigint }>(
        `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
         WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`,
        [schema],
      );
      return Number(row?.bytes ?? 0);
    },
    onAccount: (tx, meta) => recordInUse(tx, schema, meta),
  };
}

/**
 * The ledger in an existing schema; a store of ledgers also checks that it is the right one, and fences its claims.
 * `accept` looks at the server before anything is read, and throws to refuse it.
 * @throws Failure('ledger') where there is none, or it is damaged; as `openPostgres`.
 */
export async function openPostgresLedger(
  location: PostgresLedgerLocation,
  { clock, accept }: { readonly clock: Clock; readonly accept?: (sql: Sql) => Promise<void> },
): Promise<Ledger> {
  const sql = await openLedgerServer(location);
  try {
    await accept?.(sql);
    if (!(await hasLedger(sql))) throw noLedger(location.path);
    await checkFormat(sql, location.path);
    return await openLedgerIn(sql, serverHome(location), clock);
  } catch (error) {
    await sql.close();
    throw error;
  }
}

/** @throws Failure('ledger') where there is none. */
function noLedger(path: string): Failure {
  return new Failure(
    'ledger',
    `there is no ledger at ${path}`,
    hint`create one with ${reviewctl`ledger init`}; the schema is named after the shop, so check the setting shop and
      --profile`,
  );
}
