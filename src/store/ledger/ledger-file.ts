import { statSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import { Failure, messageOf } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import {
  type Database,
  isBusy,
  isDamage,
  isDatabaseError,
  isUnusable,
  readPragma,
} from '../../base/sqlite.ts';
import type { Sql, SqlReader } from '../sql/sql.ts';
import { openSqlite, sqliteDialect, writeAlone } from '../sql/sqlite.ts';
import type { Ledger, LedgerMeta } from './ledger.ts';
import { otherFormat, restoreHint } from './ledger-failure.ts';
import { writeMeta } from './ledger-meta.ts';
import type { LedgerOptions } from './ledger-store.ts';
import { ledgerFormat, tablesSql } from './ledger-tables.ts';
import { type LedgerHome, openLedgerIn } from './open-ledger.ts';

/** Identifies the file as a ledger in its header: `rvLG`. */
const applicationId = 0x72764c47;

/**
 * Creates a ledger in a new file. `meta` is called after the file exists.
 * @throws Failure if the file cannot be written.
 */
export function makeLedgerFile(path: string, meta: () => LedgerMeta): Promise<void> {
  return writeAlone(path, async (tx) => {
    await tx.exec(`PRAGMA application_id = ${applicationId}`);
    await tx.exec(`PRAGMA user_version = ${ledgerFormat}`);
    await tx.exec(tablesSql(sqliteDialect));
    await writeMeta(tx, meta());
  });
}

/**
 * Opens the database of a ledger. Never creates one or changes a file that is not a ledger.
 * @throws Failure('ledger') if it is not a ledger, is damaged or has another format; Failure('unwritable-path') if it
 *   cannot be read or written; Failure('locked') while others keep it busy.
 */
export function openLedgerFile(path: string, clock: Clock): Promise<Sql> {
  const accept = (database: Database) => {
    if (readPragma(database, 'application_id') !== applicationId) {
      throw new Failure(
        'ledger',
        `${path} is not a ledger`,
        hint`name the ledger with the setting ledger; if this was it, ${restoreHint(path)}`,
      );
    }
    const found = Number(readPragma(database, 'user_version'));
    if (found !== ledgerFormat) throw otherFormat(path, found, ledgerFormat);
  };
  return openSqlite(path, {
    durability: 'power',
    accept,
    clock,
    failureOf: (error) => ledgerFailure(path, error),
  });
}

/** The file that holds a ledger. */
export function fileHome(path: string): LedgerHome {
  return {
    failureOf: (error) => ledgerFailure(path, error),
    file: {
      check: wrongInFile,
      wrongBy: (error) => (isDatabaseError(error) ? `the file: ${error.message}` : undefined),
    },
  };
}

/**
 * Opens the ledger in an existing file. A store of ledgers also checks that it is the right one, and fences its claims.
 * @throws as `openLedgerFile`.
 */
export async function openSqliteLedger(
  path: string,
  { clock }: Pick<LedgerOptions, 'clock'>,
): Promise<Ledger> {
  const sql = await openLedgerFile(path, clock);
  try {
    await checkStructure(path, sql.read);
    return await openLedgerIn(sql, fileHome(path), clock);
  } catch (error) {
    await sql.close();
    throw ledgerFailure(path, error);
  }
}

async function* wrongInFile({ query }: SqlReader): AsyncGenerator<string> {
  const rows = await query<{ readonly integrity_check: string }>('PRAGMA integrity_check');
  const lines = rows.flatMap((row) => row.integrity_check.split('\n'));
  for (const line of lines) if (line !== 'ok' && !line.startsWith('***')) yield `the file: ${line}`;
}

/** Converts an error on the ledger at `path`; returns errors that the file did not cause unchanged. */
function ledgerFailure(path: string, error: unknown): unknown {
  const isOfPath = error instanceof Failure && error.kind === 'unreadable-path';
  const cause = isOfPath ? (error.cause ?? error) : error;
  // All ledgers get the same statements, so a missing table or column was lost.
  const isMissing = isDatabaseError(cause) && /^no such (?:table|column)/.test(cause.message);
  if (isDamage(cause) || isMissing) return damaged(path, messageOf(cause));
  // A failed fsync is a system error.
  const isOfDisk = isUnusable(error) || (error instanceof Error && 'syscall' in error);
  if (!isOfPath && (isBusy(error) || !isOfDisk)) return error;
  return unusableLedger(path, cause);
}

/** The failure of the disk of the ledger at `path`, or of the path to it. */
function unusableLedger(path: string, cause: unknown): Failure {
  return new Failure(
    'unwritable-path',
    `the ledger ${path} cannot be used: ${messageOf(cause)}`,
    hint`check that its disk has free space, works and is mounted for writing, and that you may write to the file and
      its folder; then run the same command again. Restore a backup only if \`${reviewctl`ledger verify`}\`
      finds damage`,
    { cause },
  );
}

/** @throws Failure('ledger') if the structure of the file is damaged; rows are checked when they are read. */
export async function checkStructure(path: string, read: Sql['read']): Promise<void> {
  const wrong = (await missingPages(path, read)) ?? (await wrongPages(read)) ?? (await missingEvents(read));
  if (wrong !== undefined) throw damaged(path, wrong);
}

function damaged(path: string, why: string): Failure {
  return new Failure('ledger', `the ledger ${path} is damaged: ${why}`, restoreHint(path));
}

/** SQLite reads pages missing at the end of the file as zeros, which may pass for content. */
async function missingPages(path: string, read: Sql['read']): Promise<string | undefined> {
  const [pages] = await read<{ readonly least: bigint }>(
    'SELECT page_count * page_size AS least FROM pragma_page_count, pragma_page_size',
  );
  const least = Number(pages?.least ?? 0);
  const [log] = await read<Readonly<Record<'busy' | 'log' | 'checkpointed', bigint>>>(
    'PRAGMA wal_checkpoint(PASSIVE)',
  );
  // Pages still in the log, because a process reads an older state, may lie beyond the end of the file.
  const isComplete = log?.busy === 0n && log.log === log.checkpointed;
  const { size } = statSync(path);
  return isComplete && size < least ? `it has ${size} bytes of ${least}` : undefined;
}

async function wrongPages(read: Sql['read']): Promise<string | undefined> {
  const rows = await read<{ readonly quick_check: string }>('PRAGMA quick_check(1)');
  // The first line only names the database.
  return rows
    .map(({ quick_check: word }) => word)
    .find((word) => word !== 'ok')
    ?.split('\n')
    .at(-1);
}

async function missingEvents(read: Sql['read']): Promise<string | undefined> {
  const [row] = await read<Readonly<Record<'last' | 'count', bigint>>>(
    'SELECT coalesce(max(seq), 0) AS last, count(*) AS count FROM event',
  );
  if (row === undefined || row.last === row.count) return undefined;
  return `it has ${row.count} events, the last of which is number ${row.last}`;
}
