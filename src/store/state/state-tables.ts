import { Failure } from '../../base/failure.ts';
import { quoted } from '../sql/postgres-address.ts';
import type { SqlReader, Transaction } from '../sql/sql.ts';
import type { PostgresStateLocation } from './state-location.ts';

/** The format of the tables below. A state of any other format is refused, never changed. */
const format = 2;

const tables = (schema: string) => `
  CREATE TABLE ${schema}.state_format (format bigint NOT NULL);
  INSERT INTO ${schema}.state_format VALUES (${format});
  CREATE TABLE ${schema}.state (
    state text COLLATE "C" PRIMARY KEY, -- PostgresStateLocation.key
    account text COLLATE "C",
    move text COLLATE "C" -- the id of the move that made it
  );
  CREATE TABLE ${schema}.checkpoint (
    state text COLLATE "C" NOT NULL REFERENCES ${schema}.state,
    list text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    content text NOT NULL, -- JSON
    PRIMARY KEY (state, list, name)
  );`;

/** The row of one state. */
export interface StateRow {
  readonly account: string | null;
  readonly move: string | null;
}

/**
 * Finds the row of a state; undefined if the schema has none.
 * @throws Failure('config') if it has another format.
 */
export async function findState(
  reader: SqlReader,
  { path, key, address }: PostgresStateLocation,
): Promise<StateRow | undefined> {
  const schema = quoted(address.schema);
  const found = await readFormat(reader, schema);
  if (found === 0) return undefined;
  if (found !== format) throw otherFormat(path, found);
  const select = `SELECT account, move FROM ${schema}.state WHERE state = $1`;
  const [row] = await reader.query<StateRow>(select, [key]);
  return row;
}

/** Creates missing tables and the row of a state, in a transaction of `Sql.make`. */
export async function makeState(tx: Transaction, { key, address }: PostgresStateLocation): Promise<void> {
  const schema = quoted(address.schema);
  if ((await readFormat(tx, schema)) === 0) await tx.exec(tables(schema));
  await tx.many(`INSERT INTO ${schema}.state (state) VALUES ($1) ON CONFLICT DO NOTHING`, [[key]]);
}

/** The parts of a state to move, besides its journal and its ledger. */
export interface MovedNotes {
  readonly move: string;
  readonly account: string | undefined;
  /** The texts of its checkpoints. */
  readonly checkpoints: readonly Readonly<Record<'list' | 'name' | 'text', string>>[];
}

/**
 * Stores a state moved from a folder in its row, in a transaction of `Sql.make`. Returns false if the row is in use,
 * since two states cannot be merged.
 */
export async function receiveState(
  tx: Transaction,
  location: PostgresStateLocation,
  { move, account, checkpoints }: MovedNotes,
): Promise<boolean> {
  const { key } = location;
  const schema = quoted(location.address.schema);
  await makeState(tx, location);
  const row = await findState(tx, location);
  const kept = await tx.query(`SELECT 1 FROM ${schema}.checkpoint WHERE state = $1 LIMIT 1`, [key]);
  if (row === undefined || row.account !== null || row.move !== null || kept.length > 0) return false;
  const update = `UPDATE ${schema}.state SET account = $1, move = $2 WHERE state = $3`;
  await tx.many(update, [[account ?? null, move, key]]);
  await tx.many(
    `INSERT INTO ${schema}.checkpoint VALUES ($1, $2, $3, $4)`,
    checkpoints.map(({ list, name, text }) => [key, list, name, text]),
  );
  return true;
}

/** The format number; 0 if there are no tables. */
async function readFormat(reader: SqlReader, schema: string): Promise<number> {
  const [found] = await reader.query<{ readonly is_there: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS is_there',
    [`${schema}.state_format`],
  );
  if (found?.is_there !== true) return 0;
  const [row] = await reader.query<{ readonly format: bigint }>(`SELECT format FROM ${schema}.state_format`);
  return Number(row?.format ?? 0);
}

function otherFormat(path: string, found: number): Failure {
  return new Failure(
    'config',
    `the state ${path} has format ${found}; this version reads only format ${format}`,
    'use the version of reviewctl that wrote it',
  );
}
