import { Failure } from '../base/failure.ts';
import { type Database, inWordsOfDamage, isUnusable, openDatabase, transaction } from '../base/sqlite.ts';
import { fateNumbers, kindNumbers, numberIn } from './record-words.ts';

/** Grows with every change of the tables; each step brings a file from the version before to its own. */
const steps: readonly string[] = [
  `CREATE TABLE request (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    entries TEXT NOT NULL -- JSON: [[originId, contentHash, ...], ...]
  ) STRICT;
  CREATE TABLE record (
    kind TEXT NOT NULL,
    origin_id TEXT NOT NULL,
    fate TEXT NOT NULL CHECK (fate IN ('accepted', 'unknown')),
    content_hash TEXT NOT NULL,
    job_id TEXT,
    PRIMARY KEY (kind, origin_id)
  ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE request ADD COLUMN run TEXT;
  ALTER TABLE record ADD COLUMN run TEXT;
  ALTER TABLE record ADD COLUMN job_state TEXT CHECK (job_state IN ('succeeded', 'failed'));
  ALTER TABLE record ADD COLUMN object_id TEXT;
  ALTER TABLE record ADD COLUMN failure_reason TEXT;
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
  ) STRICT, WITHOUT ROWID;`,
  'ALTER TABLE record ADD COLUMN product_origin_id TEXT;',
  'ALTER TABLE record ADD COLUMN order_origin_id TEXT;',
  // The hash of an item spoke of its order a second time, which only that of an item of a whole order still does.
  `UPDATE record SET content_hash = substr(content_hash, 1, 22)
  WHERE kind = 'order-item' AND order_origin_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM record AS made WHERE made.kind = 'order' AND made.origin_id = record.order_origin_id);`,
  `ALTER TABLE record RENAME TO worded;
  CREATE TABLE record (
    kind INTEGER NOT NULL,
    origin_id TEXT NOT NULL,
    fate INTEGER NOT NULL CHECK (fate IN (${Object.values(fateNumbers).join(', ')})),
    content_hash TEXT NOT NULL,
    job_id TEXT,
    job_state TEXT CHECK (job_state IN ('succeeded', 'failed')),
    object_id TEXT,
    failure_reason TEXT,
    product_origin_id TEXT,
    order_origin_id TEXT,
    run TEXT,
    PRIMARY KEY (kind, origin_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO record
    SELECT ${numberIn('kind', kindNumbers)}, origin_id, ${numberIn('fate', fateNumbers)}, content_hash, job_id, job_state,
      object_id, failure_reason, product_origin_id, order_origin_id, run
    FROM worded;
  DROP TABLE worded;`,
];

/**
 * Pages of the write-ahead log (16 MiB) after which it is copied into the file, which waits for the disk: with four times the pages
 * that SQLite takes by default, a push waits a quarter as often, and a page that changed many times is copied once.
 */
const walPages = 4000;

/**
 * Opens the SQLite file of a journal, made where it is missing and brought to this version where an older one wrote it.
 * @throws Failure('unreadable-path') where the file cannot be used, or has the format of a later version.
 */
export async function openJournalFile(path: string): Promise<Database> {
  const database = await openDatabase(path, { durability: 'process' }).catch((error: unknown) => {
    throw inWordsOfDamage(error, {
      message: `the journal of pushes ${path} is damaged`,
      hint: 'bring back a copy of it; without its journal a push would send again what was sent before, so where there is no copy, move the file away only once you know what the service has',
    });
  });
  try {
    database.exec(`PRAGMA wal_autocheckpoint = ${walPages}`);
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
    `${path} is no journal of pushes that this version can read`,
    'use the version of reviewctl that wrote it; without its journal a push would send again what was sent before',
  );
}

/** Whether the file is a journal this version can use; if so, it is of the newest format afterwards. */
function bringUpToDate(database: Database): boolean {
  const { user_version: version } = database.prepare('PRAGMA user_version').get();
  const { count } = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get();
  if (version > steps.length || (version === 0 && count > 0)) return false;
  for (const step of steps.slice(version)) database.exec(step);
  if (version < steps.length) database.exec(`PRAGMA user_version = ${steps.length}`);
  return true;
}

/** Does `work` on the file at `path`; where the file fails, not the work, the error becomes a Failure that says what to do. */
export function onJournalFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isUnusable(error)) throw error;
    throw new Failure(
      'unreadable-path',
      `the journal ${path} fails: ${error.message}`,
      'see that its disk has room and may be written to, then run the same command again: it goes on from what was reported',
      { cause: error },
    );
  }
}
