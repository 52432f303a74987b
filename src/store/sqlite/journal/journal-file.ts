import { Failure, messageOf } from '../../../base/failure.ts';
import {
  type Database,
  inWordsOfDamage,
  isUnusable,
  openDatabase,
  transaction,
} from '../../../base/sqlite.ts';
import { otherJournalFormat } from '../../journal/other-journal-format.ts';

/** Of the tables below. A journal of any other format is refused, never changed. */
const format = 10;

const tables = `
  CREATE TABLE request (
    id INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    run TEXT,
    entries BLOB NOT NULL
  ) STRICT;
  CREATE TABLE answer (
    id INTEGER PRIMARY KEY,
    request INTEGER NOT NULL,
    mask INTEGER NOT NULL,
    fates BLOB NOT NULL
  ) STRICT;
  CREATE TABLE end_mark (kind INTEGER PRIMARY KEY, request INTEGER NOT NULL, answer INTEGER NOT NULL) STRICT;
  CREATE TABLE segment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    of_index INTEGER NOT NULL,
    through INTEGER NOT NULL,
    bits INTEGER NOT NULL,
    size INTEGER NOT NULL,
    is_complete INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE bucket (id INTEGER PRIMARY KEY, pairs BLOB NOT NULL) STRICT;
  CREATE TABLE run (
    id TEXT PRIMARY KEY,
    start TEXT NOT NULL, -- JSON: RunStart
    end TEXT -- JSON: RunEnd
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE noted (
    run TEXT NOT NULL,
    position INTEGER NOT NULL,
    origin_id TEXT NOT NULL,
    outcome TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    error TEXT,
    PRIMARY KEY (run, position)
  ) STRICT, WITHOUT ROWID;
  -- Apart from the runs, so that a list of them reads none.
  CREATE TABLE timeline (
    run TEXT PRIMARY KEY,
    timeline TEXT NOT NULL -- JSON: RunTimeline
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE run_record (
    run TEXT NOT NULL,
    position INTEGER NOT NULL,
    records BLOB NOT NULL, -- deflated JSON: PageColumns
    PRIMARY KEY (run, position)
  ) STRICT, WITHOUT ROWID;`;

/**
 * Opens the SQLite file of a journal, made where it is missing.
 * @throws Failure('unreadable-path') where the file cannot be used, or has another format.
 */
export async function openJournalFile(path: string): Promise<Database> {
  const database = await openDatabase(path, { durability: 'process' }).catch((error: unknown) => {
    throw inWordsOfDamage(error, {
      message: `the journal of pushes ${path} is damaged`,
      hint:
        'bring back a copy of it; without its journal a push would send again what was sent before, so where ' +
        'there is no copy, move the file away only once you know what the service has',
    });
  });
  try {
    // Under the write lock from the start: two processes may find the same new file.
    const found = onJournalFile(path, () => transaction(database, () => formatOf(database)));
    if (found !== format) throw otherJournalFormat(path, found, format);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The format of the file, which is made where the file is new. */
function formatOf(database: Database): number {
  const { user_version: version } = database.prepare('PRAGMA user_version').get();
  const { count } = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get();
  if (version > 0 || count > 0) return version;
  database.exec(tables);
  database.exec(`PRAGMA user_version = ${format}`);
  return format;
}

/**
 * Does `work` on the file at `path`; where the file fails, not the work, the error becomes a Failure that says what to
 * do.
 */
export function onJournalFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isUnusable(error) ? failingJournal(path, error) : error;
  }
}

/** The disk of the journal at `path` fails. */
export function failingJournal(path: string, error: unknown): Failure {
  return new Failure(
    'unreadable-path',
    `the journal ${path} fails: ${messageOf(error)}`,
    'make sure that its disk is writable and has free space, then run the same command again: it continues ' +
      'after the last reported record',
    { cause: error },
  );
}
