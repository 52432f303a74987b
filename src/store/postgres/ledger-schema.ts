import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import type { LedgerIdentity } from '../ledger/ledger.ts';
import { otherFormat } from '../ledger/ledger-failure.ts';
import type { LedgerStart } from '../ledger/ledger-store.ts';
import type { Connection } from '../sql/connection.ts';
import { makeSchema, quoted } from '../sql/postgres.ts';

export { makeSchema, quoted };

/** Of the tables below. A ledger of any other format is refused, never changed. */
const format = 3;

/** Rows are those of the SQLite file, so that a seal is the same in both; text is compared byte by byte, as there. */
const tablesSql = (schema: string) => `
  CREATE DOMAIN ${schema}.word AS text COLLATE "C";
  CREATE TABLE ${schema}.meta (name ${schema}.word PRIMARY KEY, value ${schema}.word NOT NULL);
  CREATE TABLE ${schema}.account (account ${schema}.word PRIMARY KEY);
  CREATE TABLE ${schema}.origin (origin ${schema}.word PRIMARY KEY);
  CREATE TABLE ${schema}.lacking (name ${schema}.word PRIMARY KEY, line bigint NOT NULL, reward_id ${schema}.word);
  CREATE TABLE ${schema}.run (
    run ${schema}.word PRIMARY KEY,
    command ${schema}.word NOT NULL,
    at_ms bigint NOT NULL
  );
  CREATE TABLE ${schema}.reward (
    reward_id ${schema}.word PRIMARY KEY,
    payment ${schema}.word NOT NULL CHECK (payment IN ('intended', 'paying', 'unknown', 'paid', 'refused')),
    report ${schema}.word NOT NULL CHECK (report IN ('pending', 'sent', 'confirmed', 'conflict')),
    seen_at_ms bigint NOT NULL,
    seen_run ${schema}.word NOT NULL,
    seen_status ${schema}.word NOT NULL,
    seen_amount bigint,
    seen_member ${schema}.word,
    seen_document ${schema}.word NOT NULL,
    key_generation bigint NOT NULL,
    key ${schema}.word,
    amount bigint,
    member ${schema}.word,
    document ${schema}.word,
    payer ${schema}.word,
    attempt bigint NOT NULL,
    first_call_at_ms bigint,
    last_call_at_ms bigint,
    is_in_doubt bigint NOT NULL,
    owner ${schema}.word,
    lease_until_ms bigint,
    scopes ${schema}.word NOT NULL, -- JSON: [scope, ...]
    ref ${schema}.word,
    reason ${schema}.word,
    seal ${schema}.word NOT NULL
  );
  CREATE INDEX reward_state ON ${schema}.reward (payment, report, reward_id);
  CREATE INDEX reward_seen ON ${schema}.reward (seen_run, reward_id);
  CREATE INDEX reward_ref ON ${schema}.reward (substr(ref, 1, 200)) WHERE ref IS NOT NULL;
  CREATE TABLE ${schema}.event (
    seq bigint PRIMARY KEY,
    at_ms bigint NOT NULL,
    reward_id ${schema}.word NOT NULL,
    kind ${schema}.word NOT NULL,
    by ${schema}.word NOT NULL,
    payment ${schema}.word NOT NULL,
    report ${schema}.word NOT NULL,
    attempt bigint NOT NULL,
    detail ${schema}.word NOT NULL, -- JSON
    key_generation bigint NOT NULL,
    key ${schema}.word,
    amount bigint,
    member ${schema}.word,
    scopes ${schema}.word NOT NULL, -- JSON: [scope, ...]
    posting ${schema}.word CHECK (posting IN ('reserve', 'spend', 'release')),
    posted_amount bigint,
    posted_scopes ${schema}.word NOT NULL, -- JSON: [scope, ...]
    owner ${schema}.word, -- of a claim
    seal ${schema}.word NOT NULL
  );
  CREATE INDEX event_reward ON ${schema}.event (reward_id, seq);
  CREATE INDEX event_owner ON ${schema}.event (owner, seq) WHERE owner IS NOT NULL;
  CREATE INDEX event_reversed ON ${schema}.event (seq) WHERE kind = 'reversed';
  CREATE TABLE ${schema}.budget (
    scope ${schema}.word PRIMARY KEY,
    cap_amount bigint,
    cap_count bigint,
    reserved_amount bigint NOT NULL CHECK (reserved_amount >= 0),
    reserved_count bigint NOT NULL CHECK (reserved_count >= 0),
    spent_amount bigint NOT NULL CHECK (spent_amount >= 0),
    spent_count bigint NOT NULL CHECK (spent_count >= 0),
    seal ${schema}.word NOT NULL,
    CHECK (cap_amount IS NULL OR reserved_amount + spent_amount <= cap_amount),
    CHECK (cap_count IS NULL OR reserved_count + spent_count <= cap_count)
  );
  CREATE TABLE ${schema}.plan (
    plan ${schema}.word PRIMARY KEY,
    sha256 ${schema}.word NOT NULL,
    run ${schema}.word NOT NULL,
    began_at_ms bigint NOT NULL,
    ended_at_ms bigint,
    seal ${schema}.word NOT NULL
  );
  CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME; END $$;
  CREATE TRIGGER event_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ${schema}.event
    FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse();
  CREATE TRIGGER plan_remains BEFORE DELETE OR TRUNCATE ON ${schema}.plan
    FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse();
  CREATE TRIGGER reward_remains BEFORE DELETE OR TRUNCATE ON ${schema}.reward
    FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse();`;

/** Whether a ledger is in this schema; of a schema that others made, nothing is said. */
export async function hasLedger(connection: Connection, schema: string): Promise<boolean> {
  const [row] = await connection.query<{ readonly is_there: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS is_there',
    [`${quoted(schema)}.meta`],
  );
  return row?.is_there === true;
}

/** Makes the tables of a ledger in a schema that has none, within a transaction. */
export async function makeLedgerSchema(
  connection: Connection,
  name: string,
  identity: LedgerIdentity,
  { account, unfinishedImport }: Pick<LedgerStart, 'account' | 'unfinishedImport'>,
): Promise<void> {
  const schema = quoted(name);
  const meta = {
    ...identity,
    createdAtMs: String(identity.createdAtMs),
    ...(unfinishedImport === undefined
      ? {}
      : { frozen: unfinishedImport.reason, unfinishedImport: unfinishedImport.list }),
  };
  await makeLedgerTables(connection, name, meta);
  if (account !== undefined) await connection.query(`INSERT INTO ${schema}.account VALUES ($1)`, [account]);
}

/** Makes the tables of a ledger that says this of itself, within a transaction. */
export async function makeLedgerTables(
  connection: Connection,
  name: string,
  meta: Readonly<Record<string, string>>,
): Promise<void> {
  const schema = quoted(name);
  const values = { ...meta, format: String(format) };
  await makeSchema(connection, name);
  await connection.query(tablesSql(schema));
  await connection.query(`INSERT INTO ${schema}.meta SELECT * FROM unnest($1::text[], $2::text[])`, [
    Object.keys(values),
    Object.values(values),
  ]);
}

const tables = ['meta', 'account', 'origin', 'lacking', 'run', 'reward', 'event', 'budget', 'plan'];

/** Removes the tables of a ledger, within a transaction: of one that was never used. */
export async function dropLedgerTables(connection: Connection, name: string): Promise<void> {
  const schema = quoted(name);
  await connection.query(`DROP TABLE ${tables.map((table) => `${schema}.${table}`).join()}`);
  await connection.query(`DROP FUNCTION ${schema}.refuse`);
  await connection.query(`DROP DOMAIN ${schema}.word`);
}

/** @throws Failure('ledger') where the ledger has another format. */
export async function checkFormat(connection: Connection, path: string, name: string): Promise<void> {
  const [row] = await connection.query<{ readonly value: string }>(
    `SELECT value FROM ${quoted(name)}.meta WHERE name = 'format'`,
  );
  const found = Number(row?.value ?? 0);
  if (found !== format) throw otherFormat(path, found, format);
}

/**
 * Locks the ledger for one transaction. Its events are numbered without gaps over all rewards, so no two transactions
 * can write at once; and one lock, taken first, leaves nothing to deadlock.
 */
export async function lockLedger(connection: Connection, name: string): Promise<void> {
  await connection.query(`SELECT 1 FROM ${quoted(name)}.meta WHERE name = 'ledgerId' FOR UPDATE`, [], 'lock');
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
export async function readingInTransaction<T, Found>(
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

/** @throws Failure('ledger') where there is none. */
export function noLedger(path: string): Failure {
  return new Failure(
    'ledger',
    `there is no ledger at ${path}`,
    hint`create one with ${reviewctl`ledger init`}; the schema is named after the shop, so check the setting shop and
      --profile`,
  );
}
