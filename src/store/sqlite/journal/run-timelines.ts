import { readTimeline } from '../../journal/packed/run-row.ts';
import type { RunTimeline } from '../../runs/run-timeline.ts';
import type { JournalAccess } from './access.ts';

/** The courses of runs, in a table of their own, so that a list of the runs reads none. */
export function createRunTimelines({ database, read }: Pick<JournalAccess, 'database' | 'read'>) {
  const insertTimeline = database.prepare('INSERT OR REPLACE INTO timeline (run, timeline) VALUES (?, ?)');
  const selectTimeline = database.prepare('SELECT timeline FROM timeline WHERE run = ?');
  const deleteTimeline = database.prepare('DELETE FROM timeline WHERE run = ?');
  return {
    /** Within a transaction. */
    insert: (run: string, timeline: RunTimeline): void => {
      insertTimeline.run(run, JSON.stringify(timeline));
    },
    /** Within a transaction. */
    remove: (run: string): void => {
      deleteTimeline.run(run);
    },
    find: (run: string): RunTimeline | undefined => {
      const row: { readonly timeline: string } | undefined = read(() => selectTimeline.get(run));
      return row === undefined ? undefined : readTimeline(run, row.timeline);
    },
  };
}
