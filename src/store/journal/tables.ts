import type { PostgresPlace } from '../sql/postgres-address.ts';
import type { Dialect, Sql, Transaction } from '../sql/sql.ts';
import { otherJournalFormat } from './journal-failure.ts';

/** The tables of one journal. */
export interface JournalTables {
  readonly sql: Sql;
  /** The number of its state in the tables. */
  readonly state: number;
}

/** The place of a journal: a file, or a state in a shared schema. */
export type JournalPlace = SqliteJournalPlace | PostgresJournalPlace;

export interface SqliteJournalPlace {
  readonly kind: 'sqlite';
  readonly path: string;
  /** Brings commits to the disk; set only in tests, to make a disk fail. */
  readonly sync?: () => Promise<void>;
}

export interface PostgresJournalPlace extends PostgresPlace {
  readonly kind: 'postgres';
  readonly key: string;
}

/** The key of a state among those that share the tables. */
function keyOf(place: JournalPlace): string {
  return place.kind === 'postgres' ? place.key : '';
}

/** The format of the tables below. A journal of any other format is refused, never changed. */
const format = 14;

/** Only on a server; see `createFindIds`. */
const hashesIndex =
  'CREATE INDEX push_hashes_hash ON push_hashes USING gin (hashes) WITH (fastupdate = off);';

/**
 * A request is recorded before it is sent, and its answer after. Later answers override earlier ones, so recording an
 * answer reads nothing. Only findings of a person and the ends of jobs change an answer.
 */
const tables = ({ text, integer, bytes, integers, counter, tableEnd, name }: Dialect) => `
  CREATE TABLE push_format (format ${integer} NOT NULL) ${tableEnd};
  INSERT INTO push_format VALUES (${format});
  CREATE TABLE push_state (id ${counter}, state_key ${text} NOT NULL UNIQUE) ${tableEnd};
  -- Requests under way: a row goes when its request ends. It numbers them.
  CREATE TABLE push_open (id ${counter}, state ${integer} NOT NULL, kind ${text} NOT NULL) ${tableEnd};
  CREATE TABLE push_request (
    id ${integer} PRIMARY KEY,
    run ${text},
    entries ${bytes} NOT NULL -- as packEntries
  ) ${tableEnd};
  CREATE TABLE push_answer (
    id ${counter},
    state ${integer} NOT NULL,
    request ${integer} NOT NULL,
    mask ${integer} NOT NULL, -- which states of records occur in it
    fates ${bytes} NOT NULL -- as packOutcomes
  ) ${tableEnd};
  CREATE INDEX push_answer_unknown ON push_answer (state, id) WHERE mask & 4 <> 0;
  -- Apart, so that all hashes can be read without the answers: of the records, and of the orders of items.
  CREATE TABLE push_hashes (
    answer ${integer} PRIMARY KEY,
    state ${integer} NOT NULL,
    hashes ${integers} NOT NULL
  ) ${tableEnd};
  ${name === 'postgres' ? hashesIndex : ''}
  CREATE TABLE push_run (
    state ${integer} NOT NULL,
    id ${text} NOT NULL,
    kind ${text} NOT NULL,
    shard_index ${integer},
    shard_count ${integer},
    beginning ${text} NOT NULL, -- JSON: PushRunStart
    ending ${text}, -- JSON: RunEnd
    is_replaced ${integer} NOT NULL, -- 1 by a run that may send the same records
    PRIMARY KEY (state, id)
  ) ${tableEnd};
  -- What is kept of runs beside their rows, so that a list of them reads none.
  CREATE TABLE push_page (
    id ${counter},
    state ${integer} NOT NULL,
    run ${text} NOT NULL,
    content_kind ${text} NOT NULL, -- PageKind
    content ${bytes} NOT NULL
  ) ${tableEnd};
  CREATE INDEX push_page_run ON push_page (state, run, content_kind, id);`;

/**
 * Finds the tables of a journal; undefined if it has none.
 * @throws Failure('unreadable-path') if it has another format.
 */
export async function findTables(sql: Sql, place: JournalPlace): Promise<JournalTables | undefined> {
  const found = await readFormat(sql);
  if (found === 'none') return undefined;
  if (found !== format) throw otherJournalFormat(place.path, found, format);
  const rows = await sql.read<IdRow>('SELECT id FROM push_state WHERE state_key = $1', [keyOf(place)]);
  return rows[0] && { sql, state: Number(rows[0].id) };
}

/** As `findTables`; creates missing tables, completely or not at all. */
export async function makeTables(sql: Sql, place: JournalPlace): Promise<JournalTables> {
  return (
    (await findTables(sql, place)) ?? { sql, state: await sql.make((tx) => makeTablesIn(sql, tx, place)) }
  );
}

/** Creates missing tables in a transaction of `Sql.make`; returns the number of the state. */
export async function makeTablesIn(sql: Sql, tx: Transaction, place: JournalPlace): Promise<number> {
  const found = await readFormat(sql);
  if (found === 'none') return makeNewTables(sql.dialect, tx, place);
  if (found !== format) throw otherJournalFormat(place.path, found, format);
  return addState(tx, keyOf(place));
}

/** Creates the tables with one state; returns its number. */
export async function makeNewTables(dialect: Dialect, tx: Transaction, place: JournalPlace): Promise<number> {
  await tx.exec(tables(dialect));
  return addState(tx, keyOf(place));
}

async function addState({ query }: Transaction, key: string): Promise<number> {
  await query('INSERT INTO push_state (state_key) VALUES ($1) ON CONFLICT (state_key) DO NOTHING', [key]);
  const [row] = await query<IdRow>('SELECT id FROM push_state WHERE state_key = $1', [key]);
  if (row === undefined) throw new Error(`the state ${key} was not added`);
  return Number(row.id);
}

/** Serializes transactions that change answers or number runs; requests begin and end without it. */
export async function lockState({ sql, state }: JournalTables, query: Sql['read']): Promise<void> {
  await query(`SELECT id FROM push_state WHERE id = $1 ${sql.dialect.lockRows}`, [state]);
}

export interface IdRow {
  readonly id: bigint;
}

/**
 * Undefined for a file of other software, since a journal is created with its tables. A schema may hold those of a
 * ledger.
 */
async function readFormat(sql: Sql): Promise<number | 'none' | undefined> {
  if ((await sql.tables()).includes('push_format')) {
    const [row] = await sql.read<{ readonly format: bigint }>('SELECT format FROM push_format');
    return Number(row?.format ?? 0);
  }
  return sql.dialect.name === 'postgres' ? 'none' : undefined;
}
