import { closeSync, existsSync, openSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { diskFull, isNoSpace } from './disk-full.ts';
import { Failure, messageOf, systemCodeOf } from './failure.ts';
import { nonFileInWords } from './regular-file.ts';

/**
 * An open SQLite file, with the interface of `node:sqlite`. Its statements return rows as `any`, and each caller
 * declares their type: the tables are STRICT, so SQLite enforces the column types of its format.
 */
export type Database = DatabaseSyncInstance;

/**
 * The events that a committed transaction, or a replaced file, survives: the end of this `process` (a crash, a kill),
 * or also a loss of `power`, for which each commit waits for the disk.
 */
export type Durability = 'process' | 'power';

const synchronousLevels = { process: 1, power: 2 } as const satisfies Record<Durability, number>;

interface DatabaseOptions {
  readonly durability: Durability;
  /** Maximum wait of a statement for another process's transaction, in milliseconds. */
  readonly busyTimeoutMs?: number;
  /**
   * Checks an existing file before anything in it changes; throws to reject it. Without it, a missing file is created.
   */
  readonly accept?: (database: Database) => void;
}

const busyTimeoutDefaultMs = 10_000;

/** The primary result code of SQLite for a lock held by another connection. */
const sqliteBusy = 5;
/** The codes for a failed read or write, and for a full disk. */
const sqliteFailedIo = 10;
const sqliteFull = 13;
/** The codes for a file that is read-only, or cannot be opened. */
const sqliteReadOnly = 8;
const sqliteCannotOpen = 14;
/** The codes for damaged content. */
const sqliteCorrupt = 11;
const sqliteNoDatabase = 26;
/** The codes for an unusable file or disk: busy, read-only, I/O error, damaged, full, cannot open, not a database. */
const sqliteUnusable: ReadonlySet<number> = new Set([
  sqliteBusy,
  sqliteReadOnly,
  sqliteFailedIo,
  sqliteCorrupt,
  sqliteFull,
  sqliteCannotOpen,
  sqliteNoDatabase,
]);

/**
 * Opens or creates the SQLite file at `path` in WAL mode; only its owner can read a new file. Loads the native module
 * on first use.
 * @throws Failure: `config` if the module cannot be loaded, `unreadable-path` if the path or its content is not a
 *   usable database, `locked` if another process holds the file.
 */
export async function openDatabase(
  path: string,
  { durability, busyTimeoutMs = busyTimeoutDefaultMs, accept }: DatabaseOptions,
): Promise<Database> {
  const { DatabaseSync } = await loadSqlite();
  let database: Database | undefined;
  try {
    checkFile(path);
    if (accept === undefined) makeFile(path);
    const existing = `${pathToFileURL(path).href}?mode=rw`;
    database = new DatabaseSync(accept === undefined ? path : existing, { timeout: busyTimeoutMs });
    accept?.(database);
    prepareDatabase(database, synchronousLevels[durability]);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof Failure) throw error;
    if (isBusy(error)) {
      throw new Failure('locked', `${path} is in use by another process`, 'wait until it has ended', {
        cause: error,
      });
    }
    if (isDiskFull(error, path)) throw diskFull(path, error);
    throw new Failure(
      'unreadable-path',
      `cannot use ${path} as a database: ${messageOf(error)}`,
      isUnwritable(error)
        ? 'check that you may write to this file and its folder, and that their disk is not read-only'
        : 'name a file in an existing folder you may write to, or a database made by this command',
      { cause: error },
    );
  }
}

/** Opens an empty database in memory, which is lost when closed. @throws Failure as `openDatabase`. */
export async function openMemoryDatabase(): Promise<Database> {
  const { DatabaseSync } = await loadSqlite();
  return new DatabaseSync(':memory:');
}

/**
 * Below this, SQLite lacks room for its files beside the database (two pages, and 32 KiB shared by its connections).
 */
const roomBytesMinimum = 64 * 1024;

/** True if the file at `path` cannot be used because its disk is full, which SQLite may report as an I/O error. */
export function isDiskFull(error: unknown, path: string): boolean {
  const code = resultCodeOf(error);
  const isFullByCode = code === sqliteFull || isNoSpace(error);
  if (isFullByCode || code !== sqliteFailedIo) return isFullByCode;
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize < roomBytesMinimum;
}

/** True if a file, or one that SQLite keeps beside it, is not writable. Damaged files have other codes. */
function isUnwritable(error: unknown): boolean {
  const code = resultCodeOf(error);
  return (
    ['EACCES', 'EROFS', 'EPERM'].includes(systemCodeOf(error) ?? '') ||
    code === sqliteReadOnly ||
    code === sqliteCannotOpen
  );
}

/** A named pipe would block the process until another one writes to it. */
function checkFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  const what = stats && nonFileInWords(stats);
  if (what !== undefined) throw new Error(`it is ${what}, not a file`);
}

/**
 * Creates a missing file. An existing one is not even opened: closing it would drop the locks that this process holds
 * on it.
 */
function makeFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** The first version of Node.js whose SQLite has the interface of the package. */
const builtInSince = 24;

/** True if this version of Node.js has a built-in SQLite that can be used. */
export function hasSoundSqlite({ node, sqlite = '' }: { readonly node: string; readonly sqlite?: string }) {
  return Number.parseInt(node, 10) >= builtInSince && isSoundVersion(sqlite);
}

/**
 * Loads the SQLite of Node.js, which gets fixes with it, if its version is safe; otherwise that of the package.
 * @throws Failure('config') if the package is not installed, or was built for another machine.
 */
export async function loadSqlite() {
  try {
    return await (hasSoundSqlite(process.versions)
      ? import('node:sqlite')
      : import('@photostructure/sqlite'));
  } catch (error) {
    throw new Failure(
      'config',
      `SQLite cannot be loaded on ${process.platform} ${process.arch} ` +
        `with Node.js ${process.version}: ${messageOf(error)}`,
      'install reviewctl again with this Node.js; npm must be allowed to install optional and native packages',
      { cause: error },
    );
  }
}

function prepareDatabase(database: Database, synchronous: number): void {
  const { version } = database.prepare('SELECT sqlite_version() AS version').get();
  if (!isSoundVersion(String(version))) {
    throw new Error(
      `SQLite ${String(version)} may lose writes here; ${soundVersion.join('.')} or later is needed`,
    );
  }
  const journal = readPragma(database, 'journal_mode = WAL');
  if (journal !== 'wal') throw new Error(`write-ahead logging is not available here (${String(journal)})`);
  database.exec(`PRAGMA synchronous = ${synchronous}`);
  // A build may lower the level when the first transaction enters WAL mode, so it is read back after one.
  transaction(database, () => undefined);
  const level = readPragma(database, 'synchronous');
  if (level !== synchronous) throw new Error(`synchronous is ${String(level)} instead of ${synchronous}`);
}

/** Earlier versions may overwrite another connection's write to a write-ahead log that has just restarted. */
const soundVersion = [3, 51, 3] as const;

/** True if this version of SQLite (`3.53.0`) is safe for several processes on one file in WAL mode. */
export function isSoundVersion(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [soundMajor, soundMinor, soundPatch] = soundVersion;
  if (major !== soundMajor) return major > soundMajor;
  return minor === soundMinor ? patch >= soundPatch : minor > soundMinor;
}

/** An exclusive hold on a file. */
export interface HeldFile {
  release(): void;
}

/** Long enough to outlast a process that only tests whether a file is held. */
const holdPatienceMs = 200;

/**
 * Holds the file at `path` until released, or until this process ends in any way. Undefined if another connection holds
 * it, or if it is missing and must not be created. Creates no files beside it, so that the holder may remove it. Throws
 * SQLite's errors if the path cannot be used.
 */
export async function holdFile(
  path: string,
  { isMade }: { readonly isMade: boolean },
): Promise<HeldFile | undefined> {
  const { DatabaseSync } = await loadSqlite();
  let database: Database | undefined;
  try {
    const name = isMade ? path : `${pathToFileURL(path).href}?mode=rw`;
    database = new DatabaseSync(name, { timeout: isMade ? holdPatienceMs : 0 });
    const held = database;
    // An empty file would get a journal beside it while held. Nothing in it needs to be durable.
    if (isMade) held.exec('PRAGMA synchronous = OFF; PRAGMA user_version = 1');
    held.exec('BEGIN EXCLUSIVE');
    return {
      release: () => {
        held.exec('ROLLBACK');
        held.close();
      },
    };
  } catch (error) {
    database?.close();
    if (isBusy(error) || !(isMade || existsSync(path))) return undefined;
    throw error;
  }
}

/** The value of a pragma, or the result of setting it. */
export function readPragma(database: Database, pragma: string): unknown {
  const row: Readonly<Record<string, unknown>> = database.prepare(`PRAGMA ${pragma}`).get();
  return Object.values(row)[0];
}

/**
 * Runs `work` in one transaction that holds the write lock from its start, and returns its result. The writes are
 * durable on return. If `work` throws, all are rolled back and the error is rethrown. Cannot be nested.
 */
export function transaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite itself ends the transaction on some errors (a full disk); a second rollback would hide the first error.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** A statement that reads all integers as bigint: beyond 2^53, numbers are inexact. */
export function prepareExact(database: Database, sql: string): ReturnType<Database['prepare']> {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/** True if `error` is SQLite's "another connection holds the lock". */
export function isBusy(error: unknown): boolean {
  return resultCodeOf(error) === sqliteBusy;
}

/** True if `error` means that the file cannot be used, although the statement is correct. */
export function isUnusable(error: unknown): error is Error {
  const code = resultCodeOf(error);
  return code !== undefined && sqliteUnusable.has(code);
}

/** True if `error` means that the content of the file is damaged, as opposed to its disk, permissions or locks. */
export function isDamage(error: unknown): boolean {
  const code = resultCodeOf(error);
  return code === sqliteCorrupt || code === sqliteNoDatabase;
}

/** True if SQLite threw `error`, for any reason. */
export function isDatabaseError(error: unknown): error is Error {
  return error instanceof Error && ('errcode' in error || systemCodeOf(error) === 'ERR_SQLITE_ERROR');
}

/** SQLite's messages for these codes; rows read in bulk fail without a code. */
const codeOfMessage: Readonly<Record<string, number>> = {
  'database is locked': sqliteBusy,
  'attempt to write a readonly database': sqliteReadOnly,
  'disk I/O error': sqliteFailedIo,
  'database disk image is malformed': sqliteCorrupt,
  'database or disk is full': sqliteFull,
  'unable to open database file': sqliteCannotOpen,
  'file is not a database': sqliteNoDatabase,
};

/** The primary result code of an error of SQLite. */
function resultCodeOf(error: unknown): number | undefined {
  if (!isDatabaseError(error)) return undefined;
  if (!('errcode' in error)) return codeOfMessage[error.message];
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}
