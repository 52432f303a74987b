import { join } from 'node:path';
import { transaction } from '../base/sqlite.ts';
import { acceptedText, entriesOf, entriesText } from './entries-text.ts';
import { createGroupCommit } from './group-commit.ts';
import { createItemsOfOrders } from './items-of-orders.ts';
import type { JournalAccess } from './journal-access.ts';
import { onJournalFile, openJournalFile } from './journal-file.ts';
import type { Acceptance, JobEnd, KnownRecord, PushJournal, RunJournal, StoredJob } from './push-journal.ts';
import { fateNumbers, kindNumbers, numberIn, wordIn } from './record-words.ts';
import { createSqliteRunLog } from './sqlite-run-log.ts';

/** The journal in the state folder of a profile at one service. */
export function journalPath(folder: string): string {
  return join(folder, 'pushes.db');
}

/** Jobs of one page. */
const pageSize = 500;

/**
 * The journal in a SQLite file, made where it is missing. Writes survive the end of the process at any instant.
 * @throws Failure('unreadable-path') where the file cannot be used, or has the format of a later version.
 */
export async function openSqlitePushJournal(path: string): Promise<RunJournal> {
  const database = await openJournalFile(path);
  const guarded = <T>(work: () => T): T => onJournalFile(path, work);
  const commit = createGroupCommit((work) => guarded(() => transaction(database, work)));
  const access: JournalAccess = { database, commit, guarded };
  return {
    ...createRequests(access),
    ...createJobs(access),
    itemsOf: createItemsOfOrders(access),
    resolve: createResolve(access),
    runs: createSqliteRunLog(access),
    close: async () => {
      commit.flush();
      database.close();
    },
  };
}

// Entries cross into SQLite as one JSON text per request: a call for each of 100 records would cost a third more. Taken apart as
// JSONB, an entry is not read as text once more for each of its columns.
function createRequests({
  database,
  commit,
  guarded,
}: JournalAccess): Pick<PushJournal, 'known' | 'begin' | 'end' | 'recover'> {
  const selectKnown = database.prepare(
    `SELECT asked.key AS position, ${wordIn('fate', fateNumbers)} AS fate, content_hash AS contentHash, job_id AS jobId,
       job_state AS jobState, object_id AS objectId, product_origin_id AS productOriginId, order_origin_id AS orderOriginId
     FROM json_each(?) AS asked CROSS JOIN record ON kind = ? AND origin_id = asked.value`,
  );
  const insertRequest = database.prepare('INSERT INTO request (kind, run, entries) VALUES (?, ?, ?)');
  const deleteRequest = database.prepare('DELETE FROM request WHERE id = ?');
  const selectRequests = database.prepare('SELECT id, entries FROM request WHERE kind = ?');
  // Nearly all requests are of one kind and name no objects; a column fewer to take out of JSON counts in a million.
  const putPlain = database.prepare(
    `INSERT OR REPLACE INTO record (kind, origin_id, fate, content_hash, job_id, product_origin_id, order_origin_id, run)
     SELECT ?, entry.value ->> 0, ?, entry.value ->> 1, entry.value ->> 2, entry.value ->> 3, entry.value ->> 4, request.run
     FROM request CROSS JOIN jsonb_each(?) AS entry WHERE request.id = ?`,
  );
  const putAny = database.prepare(
    `INSERT OR REPLACE INTO record (kind, origin_id, fate, content_hash, job_id, object_id, product_origin_id, order_origin_id,
       run)
     SELECT coalesce(${numberIn('entry.value ->> 5', kindNumbers)}, ?), entry.value ->> 0, ?, entry.value ->> 1,
       entry.value ->> 2, entry.value ->> 6, entry.value ->> 3, entry.value ->> 4, request.run
     FROM request CROSS JOIN jsonb_each(?) AS entry WHERE request.id = ?`,
  );

  const put = (accepted: readonly Acceptance[]) =>
    accepted.some(({ entry, objectId }) => entry.kind !== undefined || objectId !== undefined)
      ? putAny
      : putPlain;

  return {
    known: async (kind, originIds) => {
      const rows = guarded(
        () => selectKnown.all(JSON.stringify(originIds), kindNumbers[kind]) as unknown as KnownRow[],
      );
      // By position: an id with a NUL or half a surrogate pair is stored exactly, but does not come back as it was.
      return new Map(rows.map(({ position, ...known }) => [originIds[position] ?? '', knownRecord(known)]));
    },
    begin: (kind, entries, run) => {
      const json = entriesText(entries);
      return commit.write(() => Number(insertRequest.run(kind, run ?? null, json).lastInsertRowid));
    },
    end: (kind, request, { accepted = [], unknown = [] }) =>
      commit.write(() => {
        const number = kindNumbers[kind];
        if (accepted.length > 0)
          put(accepted).run(number, fateNumbers.accepted, acceptedText(accepted), request);
        if (unknown.length > 0) putAny.run(number, fateNumbers.unknown, entriesText(unknown), request);
        deleteRequest.run(request);
      }),
    recover: async (kind) =>
      guarded(() =>
        transaction(database, () => {
          let recovered = 0;
          for (const { id, entries } of selectRequests.all(kind) as unknown as RequestRow[]) {
            putAny.run(kindNumbers[kind], fateNumbers.unknown, entries, id);
            deleteRequest.run(id);
            recovered += countOf(entries);
          }
          return recovered;
        }),
      ),
  };
}

function createJobs({ database, commit, guarded }: JournalAccess): Pick<PushJournal, 'endJobs' | 'jobs'> {
  // By one row after the other: joined to all of them at once, SQLite may walk through the whole table for each.
  const updateRecord = database.prepare(
    `UPDATE record SET fate = iif(:end ->> 2 = 'unknown', ${fateNumbers.unknown}, ${fateNumbers.accepted}),
       job_state = nullif(:end ->> 2, 'unknown'), object_id = :end ->> 3, failure_reason = :end ->> 4
     WHERE kind = :kind AND origin_id = :end ->> 0 AND job_id = :end ->> 1`,
  );
  const stateOfJob = `iif(fate = ${fateNumbers.unknown}, 'unknown', coalesce(job_state, 'pending'))`;
  const selectPage = database.prepare(
    `SELECT job_id AS jobId, ${stateOfJob} AS state,
       ${wordIn('kind', kindNumbers)} AS kind, origin_id AS originId,
       object_id AS objectId, failure_reason AS failureReason, run
     FROM record
     WHERE (kind, origin_id) > (?, ?) AND kind = coalesce(?, kind) AND kind <> ${kindNumbers.order} AND job_id IS NOT NULL
       AND ${stateOfJob} = coalesce(?, ${stateOfJob})
     ORDER BY record.kind, origin_id LIMIT ${pageSize}`,
  );
  return {
    endJobs: (kind, ends) =>
      commit.write(() => {
        for (const end of ends) {
          updateRecord.run({ end: JSON.stringify(jobEndColumns(end)), kind: kindNumbers[kind] });
        }
      }),
    jobs: async function* (state, ofKind) {
      const only = ofKind === undefined ? null : kindNumbers[ofKind];
      let last: Pick<StoredJob, 'kind' | 'originId'> | undefined;
      for (;;) {
        const after = last === undefined ? only : kindNumbers[last.kind];
        const originId = last?.originId ?? '';
        const page = guarded(
          () => selectPage.all(after ?? 0, originId, only, state ?? null) as unknown as readonly StoredJob[],
        );
        if (page.length > 0) yield page;
        if (page.length < pageSize) return;
        last = page.at(-1);
      }
    },
  };
}

function createResolve({ database, commit }: JournalAccess): PushJournal['resolve'] {
  // What the run left unknown, and what it met as unknown from a run before.
  const isSettled = `((run IS :run OR origin_id IN (SELECT origin_id FROM noted WHERE run = :run AND outcome = 'unknown'))
    AND (:ids IS NULL OR origin_id IN (SELECT value FROM json_each(:ids))))`;
  const unknownOrdersOf = (which: string) =>
    `SELECT order_origin_id FROM record
     WHERE kind = :kind AND fate = ${fateNumbers.unknown} AND order_origin_id IS NOT NULL AND ${which}`;
  // An order goes with the last of its items: while one is unknown, so is whether the service has the order.
  const isUnknown = `fate = ${fateNumbers.unknown}
    AND (kind = :kind AND ${isSettled}
      OR kind = :carrier AND kind <> :kind AND (:ids IS NULL AND run IS :run OR origin_id IN (${unknownOrdersOf(isSettled)}))
        AND origin_id NOT IN (${unknownOrdersOf(`NOT ${isSettled}`)}))`;
  const count = database.prepare(`SELECT count(*) AS count FROM record WHERE kind = :kind AND ${isUnknown}`);
  // A job that did not show it is not asked again: the person has found what it made.
  const accept = database.prepare(
    `UPDATE record SET fate = ${fateNumbers.accepted}, job_state = iif(job_id IS NULL, NULL, 'succeeded') WHERE ${isUnknown}`,
  );
  const forget = database.prepare(`DELETE FROM record WHERE ${isUnknown}`);
  return (kind, run, finding, originIds) => {
    const ids = originIds === undefined ? null : JSON.stringify(originIds);
    const carrier = kind === 'order-item' ? 'order' : kind;
    const asked = { kind: kindNumbers[kind], carrier: kindNumbers[carrier], run, ids };
    return commit.write(() => {
      const { count: resolved } = count.get(asked) as unknown as { readonly count: number };
      (finding === 'sent' ? accept : forget).run(asked);
      return resolved;
    });
  };
}

interface KnownRow {
  readonly position: number;
  readonly fate: KnownRecord['fate'];
  readonly contentHash: string;
  readonly jobId: string | null;
  readonly jobState: NonNullable<KnownRecord['jobState']> | null;
  readonly objectId: string | null;
  readonly productOriginId: string | null;
  readonly orderOriginId: string | null;
}

interface RequestRow {
  readonly id: number;
  readonly entries: string;
}

function knownRecord({
  fate,
  contentHash,
  jobId,
  jobState,
  objectId,
  productOriginId,
  orderOriginId,
}: Omit<KnownRow, 'position'>): KnownRecord {
  return {
    fate,
    contentHash,
    jobId: jobId ?? undefined,
    ...(jobState === null ? {} : { jobState }),
    ...(objectId === null ? {} : { objectId }),
    ...(productOriginId === null ? {} : { productOriginId }),
    ...(orderOriginId === null ? {} : { orderOriginId }),
  };
}

function jobEndColumns({ originId, jobId, state, objectId, failureReason }: JobEnd) {
  return [originId, jobId, state, objectId ?? null, failureReason ?? null];
}

/** The records of a request; an order that goes out with its items is not counted beside them. */
function countOf(entries: string): number {
  return entriesOf(entries).filter(({ kind }) => kind === undefined).length;
}
