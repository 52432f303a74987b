import { type Column, columns, type LedgerTable } from '../ledger/ledger-rows.ts';
import type { Parameter } from '../sql/connection.ts';
import { quoted } from './ledger-schema.ts';

/** The columns that are 64-bit integers; all others are text. */
const isInteger = /(?:_ms|amount|_count|^key_generation|^attempt|^seq|^is_in_doubt|^line)$/;

/** The column that a row is replaced by; events and plans are never replaced. */
const keys: Readonly<Partial<Record<LedgerTable, string>>> = { reward: 'reward_id', budget: 'scope' };

const namesOf = (table: LedgerTable) => [...columns[table], 'seal'];

/** Inserts many rows at once, each in place of the one of the same key; its parameters begin after `offset`. */
function putSql(schema: string, table: LedgerTable, offset: number): string {
  const names = namesOf(table).map(quoted);
  const key = keys[table];
  const assignments = names.map((name) => `${name} = EXCLUDED.${name}`).join();
  const conflict = key === undefined ? '' : ` ON CONFLICT (${key}) DO UPDATE SET ${assignments}`;
  return `${insertManySql(schema, table, namesOf(table), offset)}${conflict}`;
}

/** Inserts many rows at once; its parameters are a list for each column, and begin after `offset`. */
export function insertManySql(schema: string, table: string, names: readonly string[], offset = 0): string {
  const lists = names.map(
    (name, index) => `$${offset + index + 1}::${isInteger.test(name) ? 'bigint' : 'text'}[]`,
  );
  return `INSERT INTO ${schema}.${table} (${names.map(quoted).join()}) SELECT * FROM unnest(${lists.join()})`;
}

const written = ['reward', 'event', 'budget'] as const satisfies readonly LedgerTable[];

/** Writes the entries, the events and the budgets of a transaction in one round trip. */
export function writeSql(schema: string): string {
  let offset = 0;
  const parts = written.map((table) => {
    const sql = putSql(schema, table, offset);
    offset += namesOf(table).length;
    return `${table}_rows AS (${sql})`;
  });
  return `WITH ${parts.join()} SELECT 1`;
}

/** What `writeSql` takes: a list for each column of each table. */
export function writeParameters(
  rows: Readonly<Record<(typeof written)[number], readonly (readonly Column[])[]>>,
): Parameter[] {
  return written.flatMap((table) =>
    namesOf(table).map((_, index) => rows[table].map((row) => row[index] ?? null)),
  );
}

export function insertPlanSql(schema: string): string {
  const names = namesOf('plan');
  return `INSERT INTO ${schema}.plan (${names.join()}) VALUES (${names.map((_, index) => `$${index + 1}`).join()})`;
}
