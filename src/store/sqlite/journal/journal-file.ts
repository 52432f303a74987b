import { Failure, messageOf } from '../../../base/failure.ts';
import {
  type Database,
  inWordsOfDamage,
  isUnusable,
  openDatabase,
  transaction,
} from '../../../base/sqlite.ts';
import { recordSteps } from './older-formats.ts';
import { packRecords } from './pack-records.ts';

type Step = (database: Database) => void;

/** Grows with every change of the tables; each step brings a file from the version before to its own. */
const steps: readonly Step[] = [
  ...recordSteps.map(
    (sql): Step =>
      (database) =>
        database.exec(sql),
  ),
  packRecords,
  // Apart from the runs, so that a list of them reads none.
  (database) =>
    database.exec(`CREATE TABLE timeline (
      run TEXT PRIMARY KEY,
      timeline TEXT NOT NULL -- JSON: RunTimeline
    ) STRICT, WITHOUT ROWID;`),
  (database) =>
    database.exec(`CREATE TABLE run_record (
      run TEXT NOT NULL,
      position INTEGER NOT NULL,
      records BLOB NOT NULL, -- deflated JSON: PageColumns
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;`),
];

/**
 * Opens the SQLite file of a journal, made where it is missing and brought to this version where an older one wrote it.
 * @throws Failure('unreadable-path') where the file cannot be used, or has the format of a later version.
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
    // Under the write lock from the start: two processes may find the same old file.
    const isOurs = onJournalFile(path, () => transaction(database, () => bringUpToDate(database)));
    if (isOurs) return database;
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  throw new Failure(
    'unreadable-path',
    `${path} is not a journal of pushes that this version can read`,
    'use the version of reviewctl that wrote it; without its journal a push would send again what was sent before',
  );
}

/** Whether the file is a journal this version can use; if so, it is of the newest format afterwards. */
function bringUpToDate(database: Database): boolean {
  const { user_version: version } = database.prepare('PRAGMA user_version').get();
  const { count } = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get();
  if (version > steps.length || (version === 0 && count > 0)) return false;
  for (const step of steps.slice(version)) step(database);
  if (version < steps.length) database.exec(`PRAGMA user_version = ${steps.length}`);
  return true;
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
