import { closeSync, openSync } from 'node:fs';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { Failure, messageOf } from './failure.ts';

/** An open SQLite file, with the interface of `node:sqlite`. */
export type Database = DatabaseSyncInstance;

/**
 * What a committed transaction survives: the end of this `process` (a crash, a kill), or also a loss of `power`. The
 * second waits for the disk at every commit.
 */
export type Durability = 'process' | 'power';

const synchronousLevels = { process: 1, power: 2 } as const satisfies Record<Durability, number>;

export interface DatabaseOptions {
  readonly durability: Durability;
  /** How long a statement waits for another process's transaction before it fails, in milliseconds. */
  readonly busyTimeoutMs?: number;
}

const busyTimeoutDefaultMs = 10_000;

/** The primary result code of SQLite for "another connection holds the lock". */
const sqliteBusy = 5;
/** Those for what is wrong with the file or its disk: busy, read-only, input or output, damaged, full, cannot open, no database. */
const sqliteUnusable: ReadonlySet<number> = new Set([sqliteBusy, 8, 10, 11, 13, 14, 26]);

/**
 * Opens or creates the SQLite file at `path` in WAL mode; a new file is readable by its owner alone. Loads the native
 * module on first use. Throws a Failure: `unreadable-path` where the path or its content is no usable database, `locked`
 * where another process keeps it from being opened.
 */
export async function openDatabase(
  path: string,
  { durability, busyTimeoutMs = busyTimeoutDefaultMs }: DatabaseOptions,
): Promise<Database> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  let database: Database | undefined;
  try {
    closeSync(openSync(path, 'a', 0o600));
    database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    prepareDatabase(database, synchronousLevels[durability]);
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) {
      throw new Failure('locked', `${path} is in use by another process`, 'wait until it has ended', {
        cause: error,
      });
    }
    throw new Failure(
      'unreadable-path',
      `cannot use ${path} as a database: ${messageOf(error)}`,
      'name a file in an existing folder you may write to, or a database made by this command',
      { cause: error },
    );
  }
}

function prepareDatabase(database: Database, synchronous: number): void {
  const journal = readPragma(database, 'journal_mode = WAL');
  if (journal !== 'wal') throw new Error(`write-ahead logging is not available here (${String(journal)})`);
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  // A build may lower the level when the first transaction enters WAL mode, so it is read back only after one.
  transaction(database, () => undefined);
  const level = readPragma(database, 'synchronous');
  if (level !== synchronous) throw new Error(`synchronous is ${String(level)} instead of ${synchronous}`);
}

function readPragma(database: Database, pragma: string): unknown {
  const row: Readonly<Record<string, unknown>> = database.prepare(`PRAGMA ${pragma}`).get();
  return Object.values(row)[0];
}

/**
 * Runs `work` in one transaction that holds the write lock from its start, and returns what it returns. When this
 * returns, the writes are durable; when `work` throws, none of them happened and the error is passed on. Not nestable.
 */
export function transaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite itself ends the transaction on some errors (a full disk); a second end would hide the first error.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Whether `error` is SQLite's "another connection holds the lock". */
export function isBusy(error: unknown): boolean {
  return resultCodeOf(error) === sqliteBusy;
}

/** Whether `error` tells that the file cannot be used, through no fault of the statement. */
export function isUnusable(error: unknown): error is Error {
  const code = resultCodeOf(error);
  return code !== undefined && sqliteUnusable.has(code);
}

/** The primary result code of an error of SQLite. */
function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}
