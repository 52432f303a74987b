import { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import { JobPageReader, type JobPlace, jobFilter } from '../../journal/packed/answer-jobs.ts';
import type { PushJournal } from '../../journal/push-journal.ts';
import { type Answers, findRecords } from './answers.ts';
import type { Hashes } from './hashes.ts';
import type { JournalAccess } from './journal-access.ts';

/** Lists the jobs of records, a few answers at a time. */
export function createJobs({ read }: Pick<JournalAccess, 'read'>, answers: Answers): PushJournal['jobs'] {
  return async function* (state, kind) {
    const filter = jobFilter(state, kind);
    let from: JobPlace | undefined = { answer: 0, position: 0 };
    while (from !== undefined) {
      const reader: JobPageReader = new JobPageReader(from, filter);
      let taken = reader.take(await answers.after(read, reader.wanted));
      while (taken === undefined) taken = reader.take(await answers.after(read, reader.wanted));
      if (taken.page.length > 0) yield taken.page;
      from = taken.next;
    }
  };
}

export function createEndJobs(
  { write }: Pick<JournalAccess, 'write'>,
  answers: Answers,
  hashes: Hashes,
): PushJournal['endJobs'] {
  return async (kind, ends) => {
    if (ends.length === 0) return;
    await answers.expect(ends.length);
    await write(async ({ query }, defer) => {
      const originIds = new Set(ends.map(({ originId }) => originId));
      const asked = Array.from(originIds, (originId) => hashes.ofRecord(kind, originId));
      const found = findRecords(await answers.findToChange(query, asked), kind, originIds);
      const changes = new AnswerChanges();
      for (const end of ends) {
        const record = found.get(end.originId);
        if (record !== undefined) changes.endJob(record, end);
      }
      for (const writing of answers.write(query, changes)) defer(writing);
    });
  };
}
