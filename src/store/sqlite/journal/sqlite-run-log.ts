import { nextRunId } from '../../../base/run-id.ts';
import { type RunRow, readRun } from '../../journal/packed/run-row.ts';
import { type RunLog, runsKept } from '../../runs/run-log.ts';
import type { JournalAccess } from './access.ts';
import { createNotedOutcomes } from './noted-outcomes.ts';
import { createRunRecords } from './run-records.ts';
import { createRunTimelines } from './run-timelines.ts';

/** The runs in the file of the journal. */
export function createSqliteRunLog(access: JournalAccess): RunLog {
  const { database, commit, read } = access;
  const timelines = createRunTimelines(access);
  const records = createRunRecords(access);
  const outcomes = createNotedOutcomes(access);
  const selectLast = database.prepare('SELECT max(id) AS id FROM run');
  const insertRun = database.prepare('INSERT INTO run (id, start) VALUES (?, ?)');
  const selectOldest = database.prepare(`SELECT id FROM run ORDER BY id DESC LIMIT -1 OFFSET ${runsKept}`);
  const deleteRun = database.prepare('DELETE FROM run WHERE id = ?');
  const updateRun = database.prepare('UPDATE run SET end = ? WHERE id = ?');
  const selectRuns = database.prepare('SELECT id, start, end FROM run ORDER BY id DESC');

  function remove(id: string): void {
    outcomes.remove(id);
    timelines.remove(id);
    records.remove(id);
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
    end: (run, end, timeline) => {
      const json = JSON.stringify(end);
      return commit.write(() => {
        updateRun.run(json, run);
        if (timeline !== undefined) timelines.insert(run, timeline);
      });
    },
    remove: (runs) => commit.write(() => runs.forEach(remove)),
    timeline: async (run) => timelines.find(run),
    note: outcomes.note,
    noted: outcomes.noted,
    keep: records.keep,
    kept: records.kept,
    list: async () => {
      const rows: readonly RunRow[] = read(() => selectRuns.all());
      return rows.map(readRun);
    },
  };
}
