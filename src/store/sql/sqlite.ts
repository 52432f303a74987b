import { backoffMs } from '../../base/backoff.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { systemRandom } from '../../base/random.ts';
import { type Database, isBusy, openDatabase, prepareExact } from '../../base/sqlite.ts';
import { openDatabaseLog } from './database-log.ts';
import { shareSyncs } from './share-syncs.ts';
import type { Dialect, Durability, Sql, SqlValue, Transaction } from './sql.ts';

export interface SqliteOptions {
  /** Of commits. With `power`, each of them waits for the disk. */
  readonly durability: Durability;
  /** Checks an existing file before anything in it changes. Without it, a missing file is made. */
  readonly accept?: (database: Database) => void;
  /** Converts an error of the file; returns those of the statements as they are. */
  readonly failureOf?: (error: unknown) => unknown;
  readonly clock?: Clock;
  /** How commits of a database for `process` reach the disk; tests make it fail. */
  readonly sync?: () => Promise<void>;
}

/** How often a file that others keep busy is tried, with growing pauses: about 10 s in all. */
const busyTries = { most: 250, firstMs: 1, longestMs: 50 } as const;
/** Pages of the log, 16 MiB, that are copied into the file at once. */
const logPages = 4096;

const sqliteDialect: Dialect = {
  name: 'sqlite',
  text: 'TEXT',
  integer: 'INTEGER',
  bytes: 'BLOB',
  integers: 'BLOB',
  counter: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  tableEnd: 'STRICT',
  lockRows: '',
  textsIn: (parameter) => `(SELECT value FROM json_each(${parameter}))`,
  integersIn: (parameter) => `(SELECT value FROM json_each(${parameter}))`,
  packIntegers: ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  lastCount: 'last_insert_rowid()',
  forbid: (table, changes) =>
    changes
      .map(
        (change) => `CREATE TRIGGER ${table}_no_${change} BEFORE ${change} ON ${table}
          BEGIN SELECT raise(ABORT, 'rows of ${table} are never changed or deleted'); END;`,
      )
      .join('\n'),
};

/**
 * Opens a SQLite file with one connection that writes and one that reads.
 * @throws Failure as `openDatabase`.
 */
export async function openSqlite(path: string, options: SqliteOptions): Promise<Sql> {
  const { durability: usual, accept, clock = systemClock, failureOf = (error) => error } = options;
  const writer = await openConnection(path, options);
  const reader = await openConnection(path, { ...options, accept: accept ?? (() => undefined) }).catch(
    (error: unknown) => {
      writer.close();
      throw error;
    },
  );
  const log = openDatabaseLog(path);
  const onDisk = shareSyncs(options.sync ?? log.sync);
  const reading = queryOf(reader);
  const transaction = transactionOf(writer);
  let last: Promise<unknown> = Promise.resolve();

  const patiently: Patiently = (work) => workPatiently({ path, clock, failureOf }, work);

  async function transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    await patiently(() => writer.exec('BEGIN IMMEDIATE'));
    try {
      const result = await work(transaction);
      writer.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite itself ends the transaction on some errors (a full disk).
      if (writer.isTransaction) writer.exec('ROLLBACK');
      throw failureOf(error);
    }
  }

  const write: Sql['write'] = async (work, durability = usual) => {
    const turn = last.then(() => transact(work));
    last = turn.catch(() => undefined);
    const result = await turn;
    if (durability === 'power' && usual === 'process') {
      await onDisk().catch((error: unknown) => {
        throw failureOf(error);
      });
    }
    return result;
  };

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    await last;
    await onDisk.ended();
    reader.close();
    writer.close();
    log.close();
  }

  return {
    dialect: sqliteDialect,
    read: (text, parameters) => patiently(() => reading(text, parameters)),
    write,
    committed: async () => {
      await last;
    },
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

/** Others are waited for between tries, not inside one: SQLite's own waiting is unfair and stops everything else. */
async function workPatiently<T>(
  {
    path,
    clock,
    failureOf,
  }: Required<Pick<SqliteOptions, 'clock' | 'failureOf'>> & { readonly path: string },
  work: () => T,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw failureOf(error);
      if (attempt === busyTries.most) throw keptBusy(path, error);
    }
    await clock.sleep(backoffMs(attempt, systemRandom, busyTries));
  }
}

async function openConnection(path: string, options: SqliteOptions): Promise<Database> {
  const { durability, accept, failureOf = (error) => error } = options;
  try {
    const database = await openDatabase(path, { durability, ...(accept === undefined ? {} : { accept }) });
    database.exec(`PRAGMA busy_timeout = 0; PRAGMA wal_autocheckpoint = ${logPages}`);
    return database;
  } catch (error) {
    throw failureOf(error);
  }
}

type Statement = ReturnType<typeof prepareExact>;

/** Statements are prepared once. SQLite takes `?1` for a parameter by its place. */
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

function transactionOf(database: Database): Transaction {
  const statement = statementsOf(database);
  return {
    query: async (text, parameters = []) => statement(text).all(...parameters),
    many: async (text, rows) => {
      const prepared = statement(text);
      for (const row of rows) prepared.run(...row);
    },
    exec: async (text) => database.exec(text),
  };
}

function keptBusy(path: string, cause: unknown): Failure {
  return new Failure(
    'locked',
    `other processes keep ${path} busy`,
    'find the process that uses it, then run the same command again',
    { cause },
  );
}
