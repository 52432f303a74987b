import { statSync } from 'node:fs';
import { Failure, messageOf } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import {
  type Database,
  type Durability,
  isBusy,
  isDamage,
  isUnusable,
  openDatabase,
  readPragma,
  transaction,
} from '../../../base/sqlite.ts';
import { otherFormat, restoreHint } from '../../ledger/ledger-failure.ts';

/** Says in the head of the file that it is a ledger: `rvLG`. */
const applicationId = 0x72764c47;

/** Of the tables below. A ledger of any other format is refused, never changed. */
const format = 7;

// Amounts are ten-thousandths, times are milliseconds since the epoch. A seal is a hash of its row, since a disk may
// change bits silently.
const tables = `CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE account (
    account TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE origin (
    origin TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE lacking (
    name TEXT PRIMARY KEY,
    line INTEGER NOT NULL,
    reward_id TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE run (
    run TEXT PRIMARY KEY,
    command TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE reward (
    reward_id TEXT PRIMARY KEY,
    payment TEXT NOT NULL CHECK (payment IN ('intended', 'paying', 'unknown', 'paid', 'refused')),
    report TEXT NOT NULL CHECK (report IN ('pending', 'sent', 'confirmed', 'conflict')),
    seen_at_ms INTEGER NOT NULL,
    seen_run TEXT NOT NULL,
    seen_status TEXT NOT NULL,
    seen_amount INTEGER,
    seen_member TEXT,
    seen_document TEXT NOT NULL,
    key_generation INTEGER NOT NULL,
    key TEXT,
    amount INTEGER,
    member TEXT,
    document TEXT,
    payer TEXT,
    attempt INTEGER NOT NULL,
    first_call_at_ms INTEGER,
    last_call_at_ms INTEGER,
    is_in_doubt INTEGER NOT NULL,
    owner TEXT,
    lease_until_ms INTEGER,
    scopes TEXT NOT NULL, -- JSON: [scope, ...]
    ref TEXT,
    reason TEXT,
    seal TEXT NOT NULL
  ) STRICT;
  CREATE INDEX reward_state ON reward (payment, report, reward_id);
  CREATE INDEX reward_seen ON reward (seen_run, reward_id);
  CREATE INDEX reward_ref ON reward (substr(ref, 1, 200)) WHERE ref IS NOT NULL;
  CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    reward_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    by TEXT NOT NULL,
    payment TEXT NOT NULL,
    report TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    detail TEXT NOT NULL, -- JSON
    key_generation INTEGER NOT NULL,
    key TEXT,
    amount INTEGER,
    member TEXT,
    scopes TEXT NOT NULL, -- JSON: [scope, ...]
    posting TEXT CHECK (posting IN ('reserve', 'spend', 'release')),
    posted_amount INTEGER,
    posted_scopes TEXT NOT NULL, -- JSON: [scope, ...]
    owner TEXT, -- of a claim
    seal TEXT NOT NULL
  ) STRICT;
  CREATE INDEX event_reward ON event (reward_id, seq);
  CREATE INDEX event_owner ON event (owner, seq) WHERE owner IS NOT NULL;
  CREATE INDEX event_reversed ON event (seq) WHERE kind = 'reversed';
  CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT raise(ABORT, 'events never change'); END;
  CREATE TRIGGER event_remains BEFORE DELETE ON event BEGIN SELECT raise(ABORT, 'events are never deleted'); END;
  CREATE TABLE budget (
    scope TEXT PRIMARY KEY,
    cap_amount INTEGER,
    cap_count INTEGER,
    reserved_amount INTEGER NOT NULL CHECK (reserved_amount >= 0),
    reserved_count INTEGER NOT NULL CHECK (reserved_count >= 0),
    spent_amount INTEGER NOT NULL CHECK (spent_amount >= 0),
    spent_count INTEGER NOT NULL CHECK (spent_count >= 0),
    seal TEXT NOT NULL,
    CHECK (cap_amount IS NULL OR reserved_amount + spent_amount <= cap_amount),
    CHECK (cap_count IS NULL OR reserved_count + spent_count <= cap_count)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE plan (
    plan TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL,
    run TEXT NOT NULL,
    began_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    seal TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER plan_remains BEFORE DELETE ON plan BEGIN SELECT raise(ABORT, 'plans are never deleted'); END;`;

/**
 * Makes a ledger's tables in a new file.
 * @throws Failure where the file cannot be written.
 */
export async function makeLedgerFile(path: string): Promise<Database> {
  const database = await onLedger(path, () => openDatabase(path, { durability: 'power' }));
  transaction(database, () => {
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec(tables);
    database.exec(`PRAGMA user_version = ${format}`);
  });
  return database;
}

/**
 * Moves everything into the one file, which may then be renamed. Closing alone may leave a part in the log until much
 * later.
 */
export function leaveWalMode(database: Database): void {
  const mode = readPragma(database, 'journal_mode = DELETE');
  if (mode !== 'delete') throw new Error(`the journal mode stays ${String(mode)}`);
}

/**
 * Opens the file of a ledger. Changes nothing in a file that is no ledger, and creates none. `durability` is that of
 * each single commit.
 * @throws Failure('ledger') where it is none, is damaged or has another format; Failure('unwritable-path') where it
 *   cannot be read or written; Failure('locked') while others keep it busy.
 */
export async function openLedgerFile(path: string, durability: Durability = 'power'): Promise<Database> {
  const accept = (database: Database) => {
    if (readPragma(database, 'application_id') !== applicationId) {
      throw new Failure(
        'ledger',
        `${path} is not a ledger`,
        hint`name the ledger with the setting ledger; if this was it, ${restoreHint(path)}`,
      );
    }
    const found = Number(readPragma(database, 'user_version'));
    if (found !== format) throw otherFormat(path, found, format);
  };
  return onLedger(path, async () => {
    const database = await openDatabase(path, { durability, accept });
    try {
      // Others are waited for between tries, not inside one: SQLite's own waiting is unfair and stops everything else.
      database.exec('PRAGMA busy_timeout = 0');
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Does `work` on the ledger at `path`. An error of the file, not of the work, becomes a Failure with the next step. */
export async function onLedger<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw ledgerFailure(path, error);
  }
}

/** Converts an error on the ledger at `path`; errors that do not come from the file are returned as they are. */
export function ledgerFailure(path: string, error: unknown): unknown {
  const isOfPath = error instanceof Failure && error.kind === 'unreadable-path';
  const cause = isOfPath ? (error.cause ?? error) : error;
  if (isDamage(cause)) return damaged(path, messageOf(cause));
  if (!isOfPath && (isBusy(error) || !isUnusable(error))) return error;
  return unusableLedger(path, cause);
}

/** The disk of the ledger at `path`, or the path to it, fails. */
export function unusableLedger(path: string, cause: unknown): Failure {
  return new Failure(
    'unwritable-path',
    `the ledger ${path} cannot be used: ${messageOf(cause)}`,
    hint`see that its disk has room, works and is mounted for writing, and that you may write to the file and
      its folder; then run the same command again. Restore a backup only where \`${reviewctl`ledger verify`}\`
      finds damage`,
    { cause },
  );
}

/** @throws Failure('ledger') where the structure of the file is damaged; its rows are checked as they are read. */
export function checkStructure(path: string, database: Database): void {
  const wrong = missingPages(path, database) ?? wrongPages(database) ?? missingEvents(database);
  if (wrong !== undefined) throw damaged(path, wrong);
}

export function damaged(path: string, why: string): Failure {
  return new Failure('ledger', `the ledger ${path} is damaged: ${why}`, restoreHint(path));
}

/** SQLite reads what is missing at the end of the file as zeros, which may pass for content. */
function missingPages(path: string, database: Database): string | undefined {
  const least = Number(readPragma(database, 'page_count')) * Number(readPragma(database, 'page_size'));
  const { busy, log, checkpointed }: Readonly<Record<'busy' | 'log' | 'checkpointed', number>> = database
    .prepare('PRAGMA wal_checkpoint(PASSIVE)')
    .get();
  // Pages that are still in the log, because a process reads an older state, may be beyond the end of the file.
  const isComplete = busy === 0 && log === checkpointed;
  const { size } = statSync(path);
  return isComplete && size < least ? `it has ${size} bytes of ${least}` : undefined;
}

function wrongPages(database: Database): string | undefined {
  const words = database
    .prepare('PRAGMA quick_check(1)')
    .all()
    .map(({ quick_check: word }) => String(word));
  // The first line only names the database.
  return words
    .find((word) => word !== 'ok')
    ?.split('\n')
    .at(-1);
}

function missingEvents(database: Database): string | undefined {
  const { last, count }: Readonly<Record<'last' | 'count', number>> = database
    .prepare('SELECT coalesce(max(seq), 0) AS last, count(*) AS count FROM event')
    .get();
  return last === count ? undefined : `it has ${count} events, the last of which is number ${last}`;
}
