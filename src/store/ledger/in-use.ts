import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { type PostgresPlace, postgresUrl } from '../sql/postgres-address.ts';
import type { SqlReader, Transaction } from '../sql/sql.ts';
import type { LedgerMeta } from './ledger.ts';
import { restoreHint } from './ledger-failure.ts';

/*
 * Records the ledger of each account in this database, in a schema beside those of the shops. The record survives the
 * loss of a shop's schema, and stops a machine without marks that names another shop.
 */

/** Schemas of shops have `_` after this name. */
const registry = 'reviewctl';

const lockRegistry = `SELECT pg_advisory_xact_lock(hashtext('${registry} tables'))`;

/** The schema of the ledger of one of these accounts, or `schema` if it had one; undefined if none is known. */
async function findInUse(
  reader: SqlReader,
  accounts: readonly string[],
  schema: string,
): Promise<string | undefined> {
  if (!(await hasRegistry(reader))) return undefined;
  const [row] = await reader.query<{ readonly schema_name: string }>(
    `SELECT schema_name FROM ${registry}.in_use
     WHERE account IN (SELECT jsonb_array_elements_text($1::jsonb)) OR schema_name = $2
     ORDER BY schema_name = $2 DESC LIMIT 1`,
    [JSON.stringify(accounts), schema],
  );
  return row?.schema_name;
}

/**
 * The failure for a ledger missing in its schema, if this database has a record that its account has one, or that the
 * schema had one.
 */
export async function missedInUse(
  reader: SqlReader,
  { path, address }: PostgresPlace,
  account: string | undefined,
): Promise<Failure | undefined> {
  const accounts = account === undefined ? [] : [account];
  const schema = await findInUse(reader, accounts, address.schema);
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
 * Checks, within the transaction that creates a ledger, that its account has none in this database.
 * @throws Failure('ledger') with the known facts about the other one.
 */
export async function checkNoneHere(
  tx: Transaction,
  place: PostgresPlace,
  account: string | undefined,
): Promise<void> {
  // Serialized with others that create a ledger for this account: one waits for the other.
  await tx.query(lockRegistry);
  const missed = await missedInUse(tx, place, account);
  if (missed === undefined) return;
  throw new Failure(
    'ledger',
    `${missed.message}; no ledger was created`,
    hint`${missed.nextStep ?? ''}. If it is lost for good, add --replace-lost, and list the rewards that it paid with
      --already-paid FILE`,
  );
}

/** Records, within a transaction, that all accounts of a ledger use the one in this schema. */
export async function recordInUse(
  tx: Pick<Transaction, 'query' | 'many'>,
  schema: string,
  { accounts, ledgerId }: Pick<LedgerMeta, 'accounts' | 'ledgerId'>,
): Promise<void> {
  await makeRegistry(tx);
  await tx.many(
    `INSERT INTO ${registry}.in_use VALUES ($1, $2, $3)
     ON CONFLICT (account) DO UPDATE SET ledger_id = excluded.ledger_id, schema_name = excluded.schema_name`,
    accounts.map((account) => [account, ledgerId, schema]),
  );
}

async function hasRegistry({ query }: SqlReader): Promise<boolean> {
  const [table] = await query<{ readonly is_there: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS is_there',
    [`${registry}.in_use`],
  );
  return table?.is_there === true;
}

/**
 * Readable and writable by all, since shops of this database may have their own users. An account is a fingerprint, not
 * a secret.
 */
async function makeRegistry({ query }: SqlReader): Promise<void> {
  if (await hasRegistry({ query })) return;
  await query(lockRegistry);
  if (await hasRegistry({ query })) return;
  await query(`CREATE SCHEMA IF NOT EXISTS ${registry}`);
  await query(`CREATE TABLE ${registry}.in_use (
    account text COLLATE "C" PRIMARY KEY,
    ledger_id text COLLATE "C" NOT NULL,
    schema_name text COLLATE "C" NOT NULL
  )`);
  await query(`GRANT USAGE ON SCHEMA ${registry} TO PUBLIC`);
  await query(`GRANT SELECT, INSERT, UPDATE ON ${registry}.in_use TO PUBLIC`);
}
