import { Failure } from '../base/failure.ts';
import { type Database, openDatabase, transaction } from '../base/sqlite.ts';
import { createGroupCommit } from './group-commit.ts';
import type { AcceptedEntry, JournalEntry, KnownRecord, PushJournal } from './push-journal.ts';

/** Grows with every change of the tables. */
const formatVersion = 1;

const schema = `
  PRAGMA user_version = ${formatVersion};
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
 * @throws Failure('unreadable-path') where the file cannot be used, or has the format of another version.
 */
export async function openSqlitePushJournal(path: string): Promise<PushJournal> {
  const database = await openDatabase(path, { durability: 'process' });
  const { user_version: version } = database.prepare('PRAGMA user_version').get();
  const { count } = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get();
  if (count > 0 && version !== formatVersion) {
    database.close();
    throw new Failure(
      'unreadable-path',
      `${path} is no journal of pushes that this version can read`,
      'use the version of reviewctl that wrote it; without its journal a push would send again what was sent before',
    );
  }
  database.exec(schema);
  return createJournal(database);
}

// Entries cross into SQLite as one JSON text per request: a call for each of 100 records would cost a third more.
function createJournal(database: Database): PushJournal {
  const { write, flush } = createGroupCommit(database);
  const selectKnown = database.prepare(
    `SELECT asked.key AS position, fate, content_hash AS contentHash, job_id AS jobId
     FROM json_each(?) AS asked CROSS JOIN record ON kind = ? AND origin_id = asked.value`,
  );
  const insertRequest = database.prepare('INSERT INTO request (kind, entries) VALUES (?, ?)');
  const deleteRequest = database.prepare('DELETE FROM request WHERE id = ?');
  const selectRequests = database.prepare(
    'SELECT id, entries, json_array_length(entries) AS count FROM request WHERE kind = ?',
  );
  const putRecords = database.prepare(
    `INSERT OR REPLACE INTO record (kind, origin_id, fate, content_hash, job_id)
     SELECT ?, entry.value ->> 0, ?, entry.value ->> 1, entry.value ->> 2 FROM json_each(?) AS entry`,
  );

  return {
    known: (kind, originIds) => {
      const rows = selectKnown.all(JSON.stringify(originIds), kind) as unknown as KnownRow[];
      // By position: an id with a NUL or half a surrogate pair is stored exactly, but does not come back as it was.
      return new Map(
        rows.map(({ position, ...known }) => [
          originIds[position] ?? '',
          { ...known, jobId: known.jobId ?? undefined },
        ]),
      );
    },
    begin: (kind, entries) => {
      const json = asJson(entries);
      return write(() => Number(insertRequest.run(kind, json).lastInsertRowid));
    },
    end: (kind, request, { accepted = [], unknown = [] }) =>
      write(() => {
        if (accepted.length > 0) putRecords.run(kind, 'accepted', asJson(accepted));
        if (unknown.length > 0) putRecords.run(kind, 'unknown', asJson(unknown));
        deleteRequest.run(request);
      }),
    recover: (kind) =>
      transaction(database, () => {
        let recovered = 0;
        for (const { id, entries, count } of selectRequests.all(kind) as unknown as RequestRow[]) {
          putRecords.run(kind, 'unknown', entries);
          deleteRequest.run(id);
          recovered += count;
        }
        return recovered;
      }),
    close: () => {
      flush();
      database.close();
    },
  };
}

interface KnownRow extends Omit<KnownRecord, 'jobId'> {
  readonly position: number;
  readonly jobId: string | null;
}

interface RequestRow {
  readonly id: number;
  readonly entries: string;
  readonly count: number;
}

function asJson(entries: readonly (JournalEntry | AcceptedEntry)[]): string {
  return JSON.stringify(
    entries.map((entry) => [
      entry.originId,
      entry.contentHash,
      'jobId' in entry ? (entry.jobId ?? null) : null,
    ]),
  );
}
