import { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import {
  type JobFilter,
  type JobPage,
  JobPageReader,
  type JobPlace,
  jobFilter,
} from '../../journal/packed/answer-jobs.ts';
import type { JobEnd, JournaledKind, PushJournal } from '../../journal/push-journal.ts';
import type { JournalAccess } from './access.ts';
import type { Records } from './records.ts';

export function createJobs(
  { commit, read }: JournalAccess,
  records: Records,
): Pick<PushJournal, 'endJobs' | 'jobs'> {
  return {
    endJobs: async (kind, ends) => {
      await records.load();
      await commit.write(() => {
        records.sync();
        endJobs(records, kind, ends);
      });
    },
    jobs: async function* (state, kind) {
      const filter = jobFilter(state, kind);
      let from: JobPlace | undefined = { answer: 0, position: 0 };
      while (from !== undefined) {
        const place: JobPlace = from;
        const { page, next } = read(() => readPage(records, place, filter));
        if (page.length > 0) yield page;
        from = next;
      }
    },
  };
}

/** By answers, so that one whose jobs ended together is written once. */
function endJobs(records: Records, kind: JournaledKind, ends: readonly JobEnd[]): void {
  const changes = new AnswerChanges();
  for (const end of ends) {
    const found = records.find(kind, end.originId);
    if (found !== undefined) changes.endJob(found, end);
  }
  records.answers.write(changes);
}

function readPage(records: Records, from: JobPlace, filter: JobFilter): JobPage {
  const reader = new JobPageReader(from, filter);
  for (;;) {
    const { id, mask, limit } = reader.wanted;
    const page = reader.take(records.answers.after(id, mask, limit));
    if (page !== undefined) return page;
  }
}
