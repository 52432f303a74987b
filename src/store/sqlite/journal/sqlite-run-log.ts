import { nextRunId } from '../../runs/run-id.ts';
import { type NotedOutcome, type RunLog, runsKept } from '../../runs/run-log.ts';
import type { JournalAccess } from './access.ts';
import { type RunRow, readRun } from './run-row.ts';
import { createRunTimelines } from './run-timelines.ts';

/** Outcomes of one page. */
const pageSize = 500;

/** The runs in the file of the journal. */
export function createSqliteRunLog(access: JournalAccess): RunLog {
  const { database, commit, read } = access;
  const timelines = createRunTimelines(access);
  const selectLast = database.prepare('SELECT max(id) AS id FROM run');
  const insertRun = database.prepare('INSERT INTO run (id, start) VALUES (?, ?)');
  const selectOldest = database.prepare(`SELECT id FROM run ORDER BY id DESC LIMIT -1 OFFSET ${runsKept}`);
  const deleteRun = database.prepare('DELETE FROM run WHERE id = ?');
  const deleteNoted = database.prepare('DELETE FROM noted WHERE run = ?');
  const updateRun = database.prepare('UPDATE run SET end = ? WHERE id = ?');
  const selectRuns = database.prepare('SELECT id, start, end FROM run ORDER BY id DESC');
  const selectPosition = database.prepare('SELECT max(position) AS position FROM noted WHERE run = ?');
  const insertNoted = database.prepare(
    `INSERT INTO noted (run, position, origin_id, outcome, file, line, error)
     SELECT ?, ? + key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`,
  );
  const selectNoted = database.prepare(
    `SELECT position, file, line, origin_id AS originId, outcome, error FROM noted
     WHERE run = ? AND position > ? ORDER BY position LIMIT ${pageSize}`,
  );

  function remove(id: string): void {
    deleteNoted.run(id);
    timelines.remove(id);
    deleteRun.run(id);
  }

  return {
    begin: (start) => {
      const json = JSON.stringify(start);
      return commit.write(() => {
        const { id: last }: { readonly id: string | null } = selectLast.get();
        const id = nextRunId(start.startedMs, last ?? undefined);
        insertRun.run(id, json);
        const oldest: readonly Pick<RunRow, 'id'>[] = selectOldest.all();
        for (const run of oldest) remove(run.id);
        return id;
      });
    },
    note: (run, outcomes) => {
      const json = JSON.stringify(outcomes.map(notedColumns));
      return commit.write(() => {
        const { position }: { readonly position: number | null } = selectPosition.get(run);
        insertNoted.run(run, (position ?? 0) + 1, json);
      });
    },
    end: (run, end, timeline) => {
      const json = JSON.stringify(end);
      return commit.write(() => {
        updateRun.run(json, run);
        if (timeline !== undefined) timelines.insert(run, timeline);
      });
    },
    remove: (runs) => commit.write(() => runs.forEach(remove)),
    timeline: async (run) => timelines.find(run),
    list: async () => {
      const rows: readonly RunRow[] = read(() => selectRuns.all());
      return rows.map(readRun);
    },
    noted: async function* (run) {
      for (let last = 0; ; ) {
        const page: readonly NotedRow[] = read(() => selectNoted.all(run, last));
        if (page.length > 0) yield page.map(notedOutcome);
        if (page.length < pageSize) return;
        last = page.at(-1)?.position ?? last;
      }
    },
  };
}

interface NotedRow extends Omit<NotedOutcome, 'error'> {
  readonly position: number;
  readonly error: string | null;
}

function notedColumns({ originId, outcome, file, line, error }: NotedOutcome) {
  return [originId, outcome, file, line, error ?? null];
}

function notedOutcome({ file, line, originId, outcome, error }: NotedRow): NotedOutcome {
  return { file, line, originId, outcome, ...(error === null ? {} : { error }) };
}
