import type { NotedOutcome, RunLog } from '../../runs/run-log.ts';
import type { JournalAccess } from './access.ts';

/** Outcomes of one page. */
const pageSize = 500;

/** The outcomes of runs that need attention. */
export function createNotedOutcomes({ database, commit, read }: JournalAccess): Pick<
  RunLog,
  'note' | 'noted'
> & {
  /** Within a transaction. */
  readonly remove: (run: string) => void;
} {
  const deleteNoted = database.prepare('DELETE FROM noted WHERE run = ?');
  const selectPosition = database.prepare('SELECT max(position) AS position FROM noted WHERE run = ?');
  const insertNoted = database.prepare(
    `INSERT INTO noted (run, position, origin_id, outcome, file, line, error)
     SELECT ?, ? + key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`,
  );
  const selectNoted = database.prepare(
    `SELECT position, file, line, origin_id AS originId, outcome, error FROM noted
     WHERE run = ? AND position > ? ORDER BY position LIMIT ${pageSize}`,
  );

  return {
    note: (run, outcomes) => {
      const json = JSON.stringify(outcomes.map(notedColumns));
      return commit.write(() => {
        const { position }: { readonly position: number | null } = selectPosition.get(run);
        insertNoted.run(run, (position ?? 0) + 1, json);
      });
    },
    noted: async function* (run) {
      for (let last = 0; ; ) {
        const page: readonly NotedRow[] = read(() => selectNoted.all(run, last));
        if (page.length > 0) yield page.map(notedOutcome);
        if (page.length < pageSize) return;
        last = page.at(-1)?.position ?? last;
      }
    },
    remove: (run) => {
      deleteNoted.run(run);
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
