import { Failure } from '../../base/failure.ts';
import type { Connection } from '../sql/connection.ts';
import type { SqlReader } from '../sql/sql.ts';
import type { PostgresStateLocation } from '../state/state-location.ts';
import { inTransaction, makeSchema, quoted } from './ledger-schema.ts';

/** Of the tables below. A state of any other format is refused, never changed. */
const format = 1;

const tables = (schema: string) => `
  CREATE TABLE ${schema}.state_format (format bigint NOT NULL);
  INSERT INTO ${schema}.state_format VALUES (${format});
  CREATE TABLE ${schema}.state (
    state text COLLATE "C" PRIMARY KEY, -- PostgresStateLocation.key
    account text COLLATE "C",
    move text COLLATE "C", -- the id of the move that made it
    incoming text COLLATE "C" -- JSON: Incoming; of a move that has not ended
  );
  CREATE TABLE ${schema}.checkpoint (
    state text COLLATE "C" NOT NULL REFERENCES ${schema}.state,
    list text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    content text NOT NULL, -- JSON
    PRIMARY KEY (state, list, name)
  );`;

/** What the schema says of one state. */
export interface StateRow {
  readonly account: string | null;
  readonly move: string | null;
  readonly incoming: string | null;
}

/**
 * The row of a state; undefined where the schema has none.
 * @throws Failure('config') where it has another format.
 */
export async function findState(
  connection: Connection,
  { path, key, address }: PostgresStateLocation,
): Promise<StateRow | undefined> {
  const schema = quoted(address.schema);
  const found = await readFormat(connection, schema);
  if (found === 0) return undefined;
  if (found !== format) throw otherFormat(path, found);
  const select = `SELECT account, move, incoming FROM ${schema}.state WHERE state = $1`;
  const [row] = await connection.query<StateRow>(select, [key]);
  return row;
}

/** What is said of a move to this schema that has not ended; undefined if there is none. */
export async function findIncoming(connection: SqlReader, name: string): Promise<string | undefined> {
  const schema = quoted(name);
  if ((await readFormat(connection, schema)) === 0) return undefined;
  const [row] = await connection.query<{ readonly incoming: string }>(
    `SELECT incoming FROM ${schema}.state WHERE incoming IS NOT NULL LIMIT 1`,
  );
  return row?.incoming;
}

/** Makes what is missing of the schema, its tables and the row of a state, completely or not at all. */
export async function makeState(
  connection: Connection,
  { key, address }: PostgresStateLocation,
): Promise<void> {
  const schema = quoted(address.schema);
  await inTransaction(connection, async () => {
    await makeSchema(connection, address.schema);
    if ((await readFormat(connection, schema)) === 0) await connection.query(tables(schema));
    await connection.query(`INSERT INTO ${schema}.state (state) VALUES ($1) ON CONFLICT DO NOTHING`, [key]);
  });
}

/** 0 where there are no tables. */
async function readFormat(connection: SqlReader, schema: string): Promise<number> {
  const [found] = await connection.query<{ readonly is_there: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS is_there',
    [`${schema}.state_format`],
  );
  if (found?.is_there !== true) return 0;
  const [row] = await connection.query<{ readonly format: bigint }>(
    `SELECT format FROM ${schema}.state_format`,
  );
  return Number(row?.format ?? 0);
}

function otherFormat(path: string, found: number): Failure {
  return new Failure(
    'config',
    `the state ${path} has format ${found}; this version reads only format ${format}`,
    'use the version of reviewctl that wrote it',
  );
}
