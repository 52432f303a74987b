import { type Database, openDatabase, transaction } from '../base/sqlite.ts';
import type { AcceptedEntry, JournalEntry, KnownRecord, PushJournal } from './push-journal.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS request (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    entries TEXT NOT NULL -- JSON: [[originId, contentHash], ...]
  ) STRICT;
  CREATE TABLE IF NOT EXISTS record (
    kind TEXT NOT NULL,
    origin_id TEXT NOT NULL,
    fate TEXT NOT NULL CHECK (fate IN ('accepted', 'unknown')),
    content_hash TEXT NOT NULL,
    job_id TEXT,
    PRIMARY KEY (kind, origin_id)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * The journal in a SQLite file, made where it is missing. Writes survive the end of the process at any instant.
 * @throws Failure('unreadable-path') where the file cannot be used.
 */
export async function openSqlitePushJournal(path: string): Promise<PushJournal> {
  const database = await openDatabase(path, { durability: 'process' });
  database.exec(schema);
  return createJournal(database);
}

// Entries cross into SQLite as one JSON text per request: a call for each of 100 records would cost a third more.
function createJournal(database: Database): PushJournal {
  const selectKnown = database.prepare(
    `SELECT origin_id AS originId, fate, content_hash AS contentHash, job_id AS jobId FROM record
     WHERE kind = ? AND origin_id IN (SELECT value FROM json_each(?))`,
  );
  const insertRequest = database.prepare('INSERT INTO request (kind, entries) VALUES (?, ?)');
  const deleteRequest = database.prepare('DELETE FROM request WHERE id = ?');
  const selectRequests = database.prepare('SELECT id, entries FROM request WHERE kind = ?');
  const putRecords = database.prepare(
    `INSERT OR REPLACE INTO record (kind, origin_id, fate, content_hash, job_id)
     SELECT ?, entry.value ->> 0, ?, entry.value ->> 1, entry.value ->> 2 FROM json_each(?) AS entry`,
  );

  return {
    known: (kind, originIds) => {
      const rows = selectKnown.all(kind, JSON.stringify(originIds)) as unknown as KnownRow[];
      return new Map(
        rows.map(({ originId, ...known }) => [originId, { ...known, jobId: known.jobId ?? undefined }]),
      );
    },
    begin: (kind, entries) => Number(insertRequest.run(kind, asJson(entries)).lastInsertRowid),
    end: (kind, request, { accepted = [], unknown = [] }) =>
      transaction(database, () => {
        if (accepted.length > 0) putRecords.run(kind, 'accepted', asJson(accepted));
        if (unknown.length > 0) putRecords.run(kind, 'unknown', asJson(unknown));
        deleteRequest.run(request);
      }),
    recover: (kind) =>
      transaction(database, () => {
        let count = 0;
        for (const { id, entries } of selectRequests.all(kind) as unknown as RequestRow[]) {
          putRecords.run(kind, 'unknown', entries);
          deleteRequest.run(id);
          count += (JSON.parse(entries) as unknown[]).length;
        }
        return count;
      }),
    close: () => database.close(),
  };
}

interface KnownRow extends Omit<KnownRecord, 'jobId'> {
  readonly originId: string;
  readonly jobId: string | null;
}

interface RequestRow {
  readonly id: number;
  readonly entries: string;
}

function asJson(entries: readonly (JournalEntry | AcceptedEntry)[]): string {
  return JSON.stringify(
    entries.map((entry) => [entry.originId, entry.contentHash, 'jobId' in entry ? entry.jobId : null]),
  );
}
