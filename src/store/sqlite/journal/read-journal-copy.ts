import type { CopiedRun, JournalCopy } from '../../journal/journal-copy.ts';
import type { AnswerRow } from '../../journal/packed/answer.ts';
import { onJournalFile, openJournalFile } from './journal-file.ts';

/** Answers of one page: some 20,000 records. */
const pageSize = 200;

/**
 * Reads the journal in the file at `path` as it is now; requests under way are not part of it.
 * @throws as `openJournalFile`.
 */
export async function readJournalCopy(path: string): Promise<JournalCopy> {
  const database = await openJournalFile(path);
  const reading = <T>(work: () => T): T => onJournalFile(path, work);
  const selectAnswers = database.prepare(
    `SELECT answer.id, request.kind, run, entries, fates
     FROM answer CROSS JOIN request ON request.id = answer.request
     WHERE answer.id > ? ORDER BY answer.id LIMIT ${pageSize}`,
  );
  const selectRuns = database.prepare(
    `SELECT id, start, "end", timeline FROM run LEFT JOIN timeline ON timeline.run = run.id ORDER BY id`,
  );
  const selectPage = database.prepare(
    'SELECT position, records FROM run_record WHERE run = ? AND position > ? ORDER BY position LIMIT 1',
  );
  reading(() => database.exec('BEGIN'));
  return {
    answers: function* () {
      for (let last = 0; ; ) {
        const page: readonly AnswerRow[] = reading(() => selectAnswers.all(last));
        if (page.length > 0) yield page;
        if (page.length < pageSize) return;
        last = page.at(-1)?.id ?? last;
      }
    },
    runs: () => reading((): readonly CopiedRun[] => selectRuns.all()),
    records: function* (run) {
      for (let last = 0; ; ) {
        const page: { readonly position: number; readonly records: Uint8Array } | undefined = reading(() =>
          selectPage.get(run, last),
        );
        if (page === undefined) return;
        yield page.records;
        last = page.position;
      }
    },
    close: () => {
      database.exec('ROLLBACK');
      database.close();
    },
  };
}
