import { backoffMs } from '../../base/backoff.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { systemRandom } from '../../base/random.ts';
import { type Database, isBusy, openDatabase, prepareExact, readPragma } from '../../base/sqlite.ts';
import { type DatabaseLog, openDatabaseLog } from './database-log.ts';
import type { Dialect, Durability, Snapshot, Sql, SqlValue, Transaction } from './sql.ts';

export interface SqliteOptions {
  /** Durability of commits. With `power`, each one waits for the disk. */
  readonly durability: Durability;
  /** Checks an existing file before anything in it changes. Without it, a missing file is created. */
  readonly accept?: (database: Database) => void;
  /** Converts an error of the file; returns errors of statements unchanged. */
  readonly failureOf?: (error: unknown) => unknown;
  readonly clock?: Clock;
  /** Brings commits of a database for `process` to the disk; tests replace it to make the disk fail. */
  readonly sync?: () => Promise<void>;
}

/** Attempts to use a busy file, with growing pauses: about 10 s in all. */
const busyTries = { most: 250, firstMs: 1, longestMs: 50 } as const;
/** Pages of the log copied into the file at once: 16 MiB. */
const logPages = 4096;

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  text: 'TEXT',
  integer: 'INTEGER',
  bytes: 'BLOB',
  integers: 'BLOB',
  counter: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  tableEnd: 'STRICT',
  lockRows: '',
  packIntegers: ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  lastCount: 'last_insert_rowid()',
  eachText: (json) => `json_each(${json})`,
  forbid: (table, changes) =>
    changes
      .map(
        (change) => `CREATE TRIGGER ${table}_no_${change} BEFORE ${change} ON ${table}
          BEGIN SELECT raise(ABORT, 'rows of ${table} are never changed or deleted'); END;`,
      )
      .join('\n'),
};

/**
 * Opens a SQLite file with one connection for writing and one for reading.
 * @throws Failure as `openDatabase`.
 */
export async function openSqlite(path: string, options: SqliteOptions): Promise<Sql> {
  const { durability: usual, clock = systemClock, failureOf = same } = options;
  const { writer, reader, log } = await openConnections(path, options);
  const reading = queryOf(reader);
  const statement = statementsOf(writer);
  let last: Promise<unknown> = Promise.resolve();
  const patiently = patientlyIn(path, clock, failureOf);

  async function transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    await patiently(() => writer.exec('BEGIN IMMEDIATE'));
    try {
      return await committing(writer, statement, work);
    } catch (error) {
      throw failureOf(error);
    }
  }

  const write: Sql['write'] = async (work, durability = usual) => {
    const turn = last.then(() => transact(work));
    last = turn.catch(() => undefined);
    const result = await turn;
    if (durability === 'power' && usual === 'process') await waitForDisk();
    return result;
  };

  const waitForDisk = () =>
    log.sync().catch((error: unknown) => {
      throw failureOf(error);
    });

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    await last;
    await log.close();
    reader.close();
    writer.close();
  }

  return {
    dialect: sqliteDialect,
    read: (text, parameters) => patiently(() => reading(text, parameters)),
    write,
    flush: async () => {
      await last;
      await waitForDisk();
    },
    snapshot: async () =>
      readInstant(await openConnection(path, existing(options)), patientlyIn(path, clock, same)),
    make: write,
    tables: async () => {
      const rows = await patiently(() =>
        reading<{ readonly name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'"),
      );
      return rows.map(({ name }) => name);
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

type Patiently = <T>(work: () => T) => Promise<T>;

/** Waits between attempts, not inside one: SQLite's own waiting is unfair and blocks the event loop. */
function patientlyIn(path: string, clock: Clock, failureOf: (error: unknown) => unknown): Patiently {
  return async (work) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw failureOf(error);
        if (attempt === busyTries.most) throw keptBusy(path, error);
      }
      await clock.sleep(backoffMs(attempt, systemRandom, busyTries));
    }
  };
}

/**
 * Writes in one transaction to a file that nobody else uses. Leaves everything in this one file, so that it can be
 * renamed; closing alone may leave a part in the log until much later.
 * @throws Failure as `openDatabase`.
 */
export async function writeAlone(
  path: string,
  work: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  const database = await openDatabase(path, { durability: 'power' });
  try {
    database.exec('BEGIN IMMEDIATE');
    await committing(database, statementsOf(database), work);
    const mode = readPragma(database, 'journal_mode = DELETE');
    if (mode !== 'delete') throw new Error(`the journal mode stays ${String(mode)}`);
  } finally {
    database.close();
  }
}

/** A snapshot. Its errors are those of SQLite: the rest of a damaged file is still of use. */
function readInstant(database: Database, patiently: Patiently): Snapshot {
  const query = queryOf(database);
  const close = async () => {
    // Closing alone would keep the old snapshot, and with it the log of all later writes, until much later.
    if (database.isTransaction) database.exec('ROLLBACK');
    database.close();
  };
  database.exec('BEGIN');
  return { query: (text, parameters) => patiently(() => query(text, parameters)), close };
}

interface Connections {
  readonly writer: Database;
  readonly reader: Database;
  readonly log: DatabaseLog;
}

/** Opens all of them, or none. */
async function openConnections(path: string, options: SqliteOptions): Promise<Connections> {
  const { durability, sync, failureOf = same } = options;
  const opened: { close(): void | Promise<void> }[] = [];
  const keep = <T extends (typeof opened)[number]>(one: T): T => {
    opened.push(one);
    return one;
  };
  try {
    const writer = keep(await openConnection(path, options));
    const reader = keep(await openConnection(path, existing(options)));
    const log = keep(openDatabaseLog(path, sync));
    // A killed process may have left a commit that is readable from now on, but not on the disk.
    if (durability === 'power') await log.sync();
    return { writer, reader, log };
  } catch (error) {
    for (const one of opened) await one.close();
    throw failureOf(error);
  }
}

/** Options for further connections to an existing file. */
function existing({ accept = () => undefined, ...options }: SqliteOptions): SqliteOptions {
  return { ...options, accept };
}

function same(error: unknown): unknown {
  return error;
}

async function openConnection(path: string, options: SqliteOptions): Promise<Database> {
  const { durability, accept, failureOf = same } = options;
  let database: Database | undefined;
  try {
    database = await openDatabase(path, { durability, ...(accept === undefined ? {} : { accept }) });
    database.exec(`PRAGMA busy_timeout = 0; PRAGMA wal_autocheckpoint = ${logPages}`);
    return database;
  } catch (error) {
    database?.close();
    throw failureOf(error);
  }
}

type Statement = ReturnType<typeof prepareExact>;

/** Prepares each statement once. SQLite writes `?1` for a positional parameter. */
function statementsOf(database: Database): (text: string) => Statement {
  const statements = new Map<string, Statement>();
  return (text) => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = prepareExact(database, text.replaceAll(/\$(\d+)/g, '?$1'));
    statements.set(text, statement);
    return statement;
  };
}

function queryOf(database: Database) {
  const statement = statementsOf(database);
  return <Row>(text: string, parameters: readonly SqlValue[] = []): readonly Row[] =>
    statement(text).all(...parameters);
}

/** Runs `work` in the transaction already begun and commits it; rolls it back if `work` throws. */
async function committing<T>(
  database: Database,
  statement: (text: string) => Statement,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let isOver = false;
  // SQLite itself ends a transaction on some errors (a full disk).
  const check = () => {
    if (isOver || !database.isTransaction) throw new Error('the transaction has ended already');
  };
  const within = (text: string) => {
    check();
    return statement(text);
  };
  try {
    const result = await work({
      query: async (text, parameters = []) => within(text).all(...parameters),
      many: async (text, rows) => {
        for (const row of rows) within(text).run(...row);
      },
      exec: async (text) => {
        check();
        database.exec(text);
      },
    });
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  } finally {
    isOver = true;
  }
}

function keptBusy(path: string, cause: unknown): Failure {
  return new Failure(
    'locked',
    `other processes keep ${path} busy`,
    'find the process that uses it, then run the same command again',
    { cause },
  );
}
