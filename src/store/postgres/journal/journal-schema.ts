import { otherJournalFormat } from '../../journal/other-journal-format.ts';
import type { Connection } from '../../sql/connection.ts';
import type { PostgresPlace } from '../../sql/postgres-address.ts';
import { inTransaction, makeSchema, quoted } from '../ledger-schema.ts';

/** Which of the states in a schema. */
interface StatePlace extends PostgresPlace {
  readonly key: string;
}

/** Of the tables below. A journal of any other format is refused, never changed. */
const format = 2;

/**
 * Several states share the tables. Requests and answers are packed as in the SQLite file, so that any id is kept
 * exactly, and a record takes about as many bytes. The indexes of hashes are made when they are needed, as `keepIndex`.
 */
const tables = (schema: string) => `
  CREATE TABLE ${schema}.push_state (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text COLLATE "C" NOT NULL UNIQUE
  );
  -- Under way: a row goes when its request ends.
  CREATE TABLE ${schema}.push_request (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state integer NOT NULL,
    kind smallint NOT NULL,
    run text COLLATE "C",
    entries bytea NOT NULL
  );
  CREATE TABLE ${schema}.push_answer (
    id bigint GENERATED ALWAYS AS IDENTITY,
    state integer NOT NULL,
    kind smallint NOT NULL,
    run text COLLATE "C",
    mask integer NOT NULL, -- which states of records occur in it
    hashes integer[] NOT NULL, -- of its records
    order_hashes integer[] NOT NULL, -- of the orders of its items
    entries bytea NOT NULL,
    fates bytea NOT NULL,
    PRIMARY KEY (state, id)
  );
  CREATE INDEX push_answer_unknown ON ${schema}.push_answer (state, id) WHERE mask & 4 <> 0;
  CREATE TABLE ${schema}.push_run (
    state integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    shard_index integer,
    shard_count integer,
    start text NOT NULL, -- JSON: PushRunStart
    "end" text, -- JSON: RunEnd
    is_replaced boolean NOT NULL DEFAULT false, -- by a run that may send the same records
    PRIMARY KEY (state, id)
  );
  CREATE TABLE ${schema}.push_timeline (
    state integer NOT NULL,
    run text COLLATE "C" NOT NULL,
    timeline text NOT NULL, -- JSON: RunTimeline
    PRIMARY KEY (state, run)
  );
  CREATE TABLE ${schema}.push_noted (
    state integer NOT NULL,
    run text COLLATE "C" NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    outcomes text NOT NULL, -- JSON: [NotedOutcome, ...]
    PRIMARY KEY (state, run, position)
  );
  CREATE TABLE ${schema}.push_run_record (
    state integer NOT NULL,
    run text COLLATE "C" NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    records bytea NOT NULL, -- as packPage has it
    PRIMARY KEY (state, run, position)
  );
  CREATE TABLE ${schema}.push_format (format integer NOT NULL);
  INSERT INTO ${schema}.push_format VALUES (${format});`;

/**
 * Makes the tables of a journal where they are missing.
 * @throws Failure('unreadable-path') for a journal of another format.
 */
async function makeTables(connection: Connection, place: PostgresPlace): Promise<void> {
  const { schema } = place.address;
  if (await hasJournal(connection, place)) return;
  await inTransaction(connection, async () => {
    await makeSchema(connection, schema);
    if (!(await hasJournal(connection, place))) await connection.query(tables(quoted(schema)));
  });
}

/**
 * Whether the schema has a journal.
 * @throws as `makeTables`.
 */
async function hasJournal(connection: Connection, { path, address }: PostgresPlace): Promise<boolean> {
  const found = await readFormat(connection, address.schema);
  if (found !== 0 && found !== format) throw otherJournalFormat(path, found, format);
  return found === format;
}

/** 0 where there is no journal. */
async function readFormat(connection: Connection, name: string): Promise<number> {
  const table = `${quoted(name)}.push_format`;
  const [there] = await connection.query<{ readonly is_there: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS is_there',
    [table],
  );
  if (there?.is_there !== true) return 0;
  const [row] = await connection.query<{ readonly format: number }>(`SELECT format FROM ${table}`);
  return row?.format ?? 0;
}

/**
 * The number of a state in the tables; undefined where there is no such state.
 * @throws as `makeTables`.
 */
export async function findState(connection: Connection, place: StatePlace): Promise<number | undefined> {
  return (await hasJournal(connection, place)) ? readState(connection, place) : undefined;
}

/** As `findState`; makes what is missing. */
export async function makeState(connection: Connection, place: StatePlace): Promise<number> {
  await makeTables(connection, place);
  const found = await readState(connection, place);
  if (found !== undefined) return found;
  const { address, key } = place;
  const insert = `INSERT INTO ${quoted(address.schema)}.push_state (key) VALUES ($1) ON CONFLICT DO NOTHING`;
  await connection.query(insert, [key]);
  const made = await readState(connection, place);
  if (made === undefined) throw new Error(`the state ${key} was not added`);
  return made;
}

async function readState(connection: Connection, { address, key }: StatePlace): Promise<number | undefined> {
  const select = `SELECT id FROM ${quoted(address.schema)}.push_state WHERE key = $1`;
  const [row] = await connection.query<{ readonly id: number }>(select, [key]);
  return row?.id;
}
