import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';

/** The SQL that makes of the word in `column` its number; NULL of any other. */
function numberIn(column: string, numbers: Readonly<Record<string, number>>): string {
  const cases = Object.entries(numbers).map(([word, number]) => `WHEN '${word}' THEN ${number}`);
  return `CASE ${column} ${cases.join(' ')} END`;
}

const fateCodes = { accepted: stateCodes.accepted, unknown: stateCodes.unknown };

/** The steps by which files got a row for each record: each brings a file from the version before to its own. */
export const recordSteps: readonly string[] = [
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
    AND NOT EXISTS (
      SELECT 1 FROM record AS made WHERE made.kind = 'order' AND made.origin_id = record.order_origin_id);`,
  `ALTER TABLE record RENAME TO worded;
  CREATE TABLE record (
    kind INTEGER NOT NULL,
    origin_id TEXT NOT NULL,
    fate INTEGER NOT NULL CHECK (fate IN (${Object.values(fateCodes).join(', ')})),
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
    SELECT ${numberIn('kind', kindCodes)}, origin_id, ${numberIn('fate', fateCodes)}, content_hash, job_id, job_state,
      object_id, failure_reason, product_origin_id, order_origin_id, run
    FROM worded;
  DROP TABLE worded;`,
];
