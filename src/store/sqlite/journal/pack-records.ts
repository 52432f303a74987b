import type { Database } from '../../../base/sqlite.ts';
import { packEntries } from '../../journal/packed/entry-codec.ts';
import { kindCodes, kindOf, stateCodes } from '../../journal/packed/enum-codes.ts';
import { noFates, packFates, stateMask } from '../../journal/packed/fate-codec.ts';
import type { JournalEntry, JournaledKind } from '../../journal/push-journal.ts';
import { exactText } from './exact-text.ts';

/** Records that are packed together, as many as a request has at most. */
const recordsPerRequest = 100;

/**
 * Brings a file that has a row for each record to the form in which requests are packed: the records of one kind and
 * run become those of requests of before. In the transaction of the caller; some 3 s for a million records.
 */
export function packRecords(database: Database): void {
  database.exec(`
    ALTER TABLE request RENAME TO begun;
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
    CREATE TABLE bucket (id INTEGER PRIMARY KEY, pairs BLOB NOT NULL) STRICT;`);
  packAnswered(database);
  packBegun(database);
  database.exec('DROP TABLE record; DROP TABLE begun;');
}

function packAnswered(database: Database): void {
  const insertRequest = prepareRequest(database);
  const insertAnswer = database.prepare('INSERT INTO answer (request, mask, fates) VALUES (?, ?, ?)');
  const write = (rows: readonly RecordRow[]) => {
    const [first] = rows;
    if (first === undefined) return;
    const kind = kindOf(first.kind);
    const request = insertRequest.run(
      first.kind,
      first.run,
      packEntries(kind, rows.map(entryOf)),
    ).lastInsertRowid;
    const fates = fatesOf(rows);
    insertAnswer.run(request, stateMask(fates.states), packFates(fates));
  };
  const groups = new Map<string, RecordRow[]>();
  const rows: Iterable<RecordRow> = database.prepare(selectRecords).iterate();
  for (const row of rows) {
    const key = `${row.kind} ${row.run}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    if (group.push(row) < recordsPerRequest) continue;
    write(group);
    groups.delete(key);
  }
  for (const group of groups.values()) write(group);
}

// Ids as bytes: as text, one would end at a NUL and lose half a surrogate pair.
const selectRecords = `SELECT kind, CAST(origin_id AS BLOB) AS originId, fate,
  content_hash AS contentHash, job_id AS jobId,
  job_state AS jobState, object_id AS objectId, failure_reason AS failureReason,
  CAST(product_origin_id AS BLOB) AS productOriginId, CAST(order_origin_id AS BLOB) AS orderOriginId, run FROM record`;

interface RecordRow {
  readonly kind: number;
  readonly originId: Uint8Array;
  readonly fate: number;
  readonly contentHash: string;
  readonly jobId: string | null;
  readonly jobState: 'succeeded' | 'failed' | null;
  readonly objectId: string | null;
  readonly failureReason: string | null;
  readonly productOriginId: Uint8Array | null;
  readonly orderOriginId: Uint8Array | null;
  readonly run: string | null;
}

function entryOf({ originId, contentHash, productOriginId, orderOriginId }: RecordRow): JournalEntry {
  return {
    originId: exactText(originId),
    contentHash,
    ...(productOriginId !== null && { productOriginId: exactText(productOriginId) }),
    ...(orderOriginId !== null && { orderOriginId: exactText(orderOriginId) }),
  };
}

function fatesOf(rows: readonly RecordRow[]) {
  const fates = noFates(rows.length);
  for (const [position, { fate, jobId, jobState, objectId, failureReason }] of rows.entries()) {
    fates.states[position] = jobState === null ? fate : stateCodes[jobState];
    fates.jobIds[position] = jobId ?? undefined;
    fates.objectIds[position] = objectId ?? undefined;
    fates.failureReasons[position] = failureReason ?? undefined;
  }
  return fates;
}

/** Requests that were under way stay so. */
function packBegun(database: Database): void {
  const insertRequest = prepareRequest(database);
  const begun: readonly BegunRow[] = database
    .prepare('SELECT kind, entries, run FROM begun ORDER BY id')
    .all();
  for (const { kind, entries, run } of begun) {
    insertRequest.run(kindCodes[kind], run, packEntries(kind, entriesOf(entries)));
  }
}

function prepareRequest(database: Database) {
  return database.prepare('INSERT INTO request (kind, run, entries) VALUES (?, ?, ?)');
}

interface BegunRow {
  readonly kind: JournaledKind;
  readonly entries: string;
  readonly run: string | null;
}

/** An entry as older versions wrote it; the oldest wrote three columns. */
type Columns = readonly [
  originId: string,
  contentHash: string,
  jobId: string | null,
  productOriginId?: string | null,
  orderOriginId?: string | null,
  kind?: JournaledKind | null,
];

function entriesOf(text: string): JournalEntry[] {
  const entries: readonly Columns[] = JSON.parse(text);
  return entries.map(([originId, contentHash, , productOriginId, orderOriginId, kind]) => ({
    originId,
    contentHash,
    ...(productOriginId == null ? {} : { productOriginId }),
    ...(orderOriginId == null ? {} : { orderOriginId }),
    ...(kind == null ? {} : { kind }),
  }));
}
