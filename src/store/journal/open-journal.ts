import { existsSync, statSync } from 'node:fs';
import { createAtomically } from '../../base/atomic-file.ts';
import { Failure, systemCodeOf } from '../../base/failure.ts';
import { streamOf } from '../../base/lists.ts';
import { isThere } from '../../base/regular-file.ts';
import type { Sql } from '../sql/sql.ts';
import { createAnswers, lastAnswer } from './answers.ts';
import { createFindIds } from './find-ids.ts';
import { createJobs } from './jobs.ts';
import { journalFailure, lostJournal } from './journal-failure.ts';
import { createLookups } from './lookups.ts';
import type { PushJournal, RunJournal } from './push-journal.ts';
import { createRequests, openRequests } from './requests.ts';
import { createResolve } from './resolve.ts';
import { createRunLog } from './run-log.ts';
import {
  findTables,
  type JournalPlace,
  type JournalTables,
  makeNewTables,
  makeTables,
  type SqliteJournalPlace,
} from './tables.ts';

/**
 * Opens the journal of pushes; creates it if missing. Several processes may use it, each under the lock of its kind and
 * shard.
 * @throws Failure('unreadable-path') if it cannot be used, or has another format; as `connect`.
 */
export async function openJournal(place: JournalPlace): Promise<RunJournal> {
  if (place.kind === 'sqlite') await makeFile(place);
  return withSql(place, async (sql) => createJournal(await makeTables(sql, place)));
}

/** As `openJournal`; undefined if there is none. */
export async function findJournal(place: JournalPlace): Promise<RunJournal | undefined> {
  return withTables(place, async (tables) => createJournal(tables));
}

/**
 * Opens the journal for reading only. A missing journal is empty. Records of requests that were not ended are unknown,
 * as after `recover`. A write throws, because it would be a bug.
 * @throws as `openJournal`.
 */
export async function readJournal(place: JournalPlace): Promise<PushJournal> {
  return (await withTables(place, readTables)) ?? emptyJournal();
}

/** A person may resolve very many records in one transaction, while others wait. */
const lockTimeoutMs = 600_000;

/**
 * Creates the file of a missing journal. The file gets its name only once it has its tables, even if this process dies,
 * so an empty file of that name was emptied.
 */
async function makeFile(place: SqliteJournalPlace): Promise<void> {
  const { path } = place;
  // Checked first: a journal that another process creates meanwhile has its file before it has a log.
  const hasLog = existsSync(`${path}-wal`);
  if (isThere(path)) return;
  // SQLite would apply the log of a lost journal to the new one.
  if (hasLog) throw lostJournal(path, `is missing, but its log ${path}-wal exists`);
  const { sqliteDialect, writeAlone } = await import('../sql/sqlite.ts');
  try {
    await createAtomically(path, (temporary) =>
      writeAlone(temporary, async (tx) => void (await makeNewTables(sqliteDialect, tx, place))),
    );
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return;
    const failure = journalFailure(path, error instanceof Failure ? error.cause : error);
    throw failure instanceof Failure ? failure : error;
  }
}

/** Opens the database of an existing journal and creates nothing in it. */
export async function openSql(place: JournalPlace): Promise<Sql> {
  if (place.kind === 'postgres') {
    const { openPostgres } = await import('../sql/postgres.ts');
    return openPostgres(place, { durability: 'process', lockTimeoutMs });
  }
  const { openSqlite } = await import('../sql/sqlite.ts');
  const { path, sync } = place;
  const failureOf = (error: unknown) => journalFailure(path, error);
  const accept = () => {
    if (statSync(path).size === 0) throw lostJournal(path, 'was emptied: the file has 0 bytes');
  };
  return openSqlite(path, {
    durability: 'process',
    accept,
    failureOf,
    ...(sync === undefined ? {} : { sync }),
  });
}

/** `work` takes over the database; it is closed if `work` throws. */
async function withSql<T>(place: JournalPlace, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = await openSql(place);
  try {
    return await work(sql);
  } catch (error) {
    await sql.close();
    throw error;
  }
}

/** As `withSql`; undefined if there are no tables. */
async function withTables<T>(
  place: JournalPlace,
  work: (tables: JournalTables) => Promise<T>,
): Promise<T | undefined> {
  if (place.kind === 'sqlite' && !isThere(place.path)) return undefined;
  return withSql(place, async (sql) => {
    const tables = await findTables(sql, place);
    if (tables !== undefined) return work(tables);
    await sql.close();
    return undefined;
  });
}

function createJournal(found: JournalTables): RunJournal {
  const { state } = found;
  let isWritten = false;
  const write: Sql['write'] = (work, durability) => {
    isWritten = true;
    return found.sql.write(work, durability);
  };
  const sql = { ...found.sql, write };
  const tables = { sql, state };
  const answers = createAnswers(tables);
  const runs = createRunLog(tables);
  const { idle, ...requests } = createRequests(tables);
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    try {
      await idle();
      if (isWritten) await sql.flush();
    } finally {
      await sql.close();
    }
  }
  return {
    ...requests,
    ...createLookups(answers),
    knownBefore: async () => {
      const findIds = createFindIds(tables, await lastAnswer(tables));
      return createLookups(createAnswers(tables, { findIds }));
    },
    ...createJobs(tables, answers),
    ...createResolve(tables, answers, runs),
    runs,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

async function readTables(tables: JournalTables): Promise<PushJournal> {
  const answers = createAnswers(tables, { underWay: await openRequests(tables, tables.sql.read) });
  return readingJournal({
    ...createLookups(answers),
    jobs: createJobs(tables, answers).jobs,
    close: tables.sql.close,
  });
}

/** A journal for reading only. A write throws, because it would be a bug. */
function readingJournal(reads: Pick<PushJournal, 'known' | 'itemsOf' | 'jobs' | 'close'>): PushJournal {
  const refuse = async () => {
    throw new Error('this journal was opened for reading');
  };
  return {
    ...reads,
    knownBefore: async () => reads,
    begin: refuse,
    end: refuse,
    record: refuse,
    endJobs: refuse,
    recover: refuse,
    unresolved: refuse,
    resolve: refuse,
  };
}

/** A journal without records. */
function emptyJournal(): PushJournal {
  const none = async () => new Map<never, never>();
  return readingJournal({
    known: none,
    itemsOf: none,
    jobs: () => streamOf([]),
    close: async () => undefined,
  });
}
