import { packPage, unpackPage } from '../../journal/packed/run-page.ts';
import type { RunLog } from '../../runs/run-log.ts';
import type { JournalAccess } from './access.ts';

/** The records of runs, in pages of a few bytes a record. */
export function createRunRecords({ database, commit, read }: JournalAccess): Pick<RunLog, 'keep' | 'kept'> & {
  /** Within a transaction. */
  readonly remove: (run: string) => void;
} {
  const selectLast = database.prepare('SELECT max(position) AS last FROM run_record WHERE run = ?');
  const insertPage = database.prepare('INSERT INTO run_record (run, position, records) VALUES (?, ?, ?)');
  const selectPage = database.prepare(
    'SELECT position, records FROM run_record WHERE run = ? AND position > ? ORDER BY position LIMIT 1',
  );
  const deletePages = database.prepare('DELETE FROM run_record WHERE run = ?');
  return {
    keep: (run, records) => {
      const page = packPage(records);
      return commit.write(() => {
        const { last }: { readonly last: number | null } = selectLast.get(run);
        insertPage.run(run, (last ?? 0) + 1, page);
      });
    },
    kept: async function* (run) {
      for (let last = 0; ; ) {
        const row: PageRow | undefined = read(() => selectPage.get(run, last));
        if (row === undefined) return;
        yield unpackPage(row.records);
        last = row.position;
      }
    },
    remove: (run) => {
      deletePages.run(run);
    },
  };
}

interface PageRow {
  readonly position: number;
  readonly records: Uint8Array;
}
