import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { restoreHint } from '../ledger/ledger-failure.ts';
import type { Connection } from '../sql/connection.ts';
import { type PostgresPlace, postgresUrl } from '../sql/postgres-address.ts';
import { makeSchema, quoted } from './ledger-schema.ts';

/*
 * Which ledger an account has in this database, in a schema beside those of the shops: it is still known where the
 * schema of a shop is gone, and where a machine that knows nothing names another shop.
 */

/** `_` follows the name in every schema of a shop. */
const registry = 'reviewctl';

/** The ledger of one of these accounts, or the one that was in this schema; undefined if none is known. */
async function findInUse(
  connection: Connection,
  accounts: readonly string[],
  schema: string,
): Promise<string | undefined> {
  if (!(await hasRegistry(connection))) return undefined;
  const [row] = await connection.query<{ readonly schema_name: string }>(
    `SELECT schema_name FROM ${registry}.in_use WHERE account = ANY($1::text[]) OR schema_name = $2
     ORDER BY schema_name = $2 DESC LIMIT 1`,
    [accounts, schema],
  );
  return row?.schema_name;
}

/**
 * The failure for a ledger that is missing in its schema, if this database knows that its account, or that schema, has
 * or had one.
 */
export async function missedInUse(
  connection: Connection,
  { path, address }: PostgresPlace,
  account: string | undefined,
): Promise<Failure | undefined> {
  const accounts = account === undefined ? [] : [account];
  const schema = await findInUse(connection, accounts, address.schema);
  if (schema === undefined) return undefined;
  if (schema === address.schema) {
    return new Failure(
      'ledger',
      `there is no ledger at ${path}, but this database had one there`,
      hint`${restoreHint(path)}; without it, rewards could be paid twice`,
    );
  }
  const other = postgresUrl({ ...address, schema });
  return new Failure(
    'ledger',
    `there is no ledger at ${path}, but this account has one in the schema ${schema} of this database`,
    hint`see whether it is the right one: ${reviewctl`ledger status -c state=${other}`}; if it is, use that state, or
      the shop that it is named after`,
  );
}

/**
 * Checks, within the transaction that makes a ledger, that its account has none in this database.
 * @throws Failure('ledger') with what is known of the other one.
 */
export async function checkNoneHere(
  connection: Connection,
  place: PostgresPlace,
  account: string | undefined,
): Promise<void> {
  const missed = await missedInUse(connection, place, account);
  if (missed === undefined) return;
  throw new Failure(
    'ledger',
    `${missed.message}; no ledger was created`,
    hint`${missed.nextStep ?? ''}. If it is lost for good, add --replace-lost, and list the rewards that it paid with
      --already-paid FILE`,
  );
}

/** Records, within a transaction, that every account of the ledger in a schema has this one. */
export async function recordInUse(connection: Connection, schema: string): Promise<void> {
  await makeRegistry(connection);
  await connection.query(
    `INSERT INTO ${registry}.in_use
     SELECT account, (SELECT value FROM ${quoted(schema)}.meta WHERE name = 'ledgerId'), $1
     FROM ${quoted(schema)}.account
     ON CONFLICT (account) DO UPDATE SET ledger_id = EXCLUDED.ledger_id, schema_name = EXCLUDED.schema_name`,
    [schema],
  );
}

async function hasRegistry(connection: Connection): Promise<boolean> {
  const [table] = await connection.query<{ readonly is_there: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS is_there',
    [`${registry}.in_use`],
  );
  return table?.is_there === true;
}

/** Other shops of this database may have users of their own; an account is a fingerprint, and not a secret. */
async function makeRegistry(connection: Connection): Promise<void> {
  await makeSchema(connection, registry);
  if (await hasRegistry(connection)) return;
  await connection.query(`CREATE TABLE ${registry}.in_use (
    account text COLLATE "C" PRIMARY KEY,
    ledger_id text COLLATE "C" NOT NULL,
    schema_name text COLLATE "C" NOT NULL
  )`);
  await connection.query(`GRANT USAGE ON SCHEMA ${registry} TO PUBLIC`);
  await connection.query(`GRANT SELECT, INSERT, UPDATE ON ${registry}.in_use TO PUBLIC`);
}
