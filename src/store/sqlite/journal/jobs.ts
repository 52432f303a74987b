import type { JobState } from '../../../contract/states.ts';
import type { JobEnd, JournaledJob, JournaledKind, PushJournal } from '../../journal/push-journal.ts';
import type { JournalAccess } from './access.ts';
import { type Answer, AnswerChanges } from './answers.ts';
import { codeOfJobState, jobStateOf, stateCodes } from './enum-codes.ts';
import { maskOf } from './fate-codec.ts';
import type { Records } from './records.ts';

/** Jobs of one page. */
const pageSize = 500;
/** Answers that are read at once for a page. */
const answersAtOnce = 20;

const jobStates = Object.keys(codeOfJobState) as JobState[];

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
      const isWanted = (job: JournaledJob) =>
        (state === undefined || job.state === state) && (kind === undefined || job.kind === kind);
      const wanted = state === undefined ? jobStates : [state];
      const mask = wanted.reduce((sum, one) => sum | maskOf(codeOfJobState[one]), 0);
      let from: Place | undefined = { answer: 0, position: 0 };
      while (from !== undefined) {
        const place: Place = from;
        const { page, next } = read(() => readPage(records, place, { mask, isWanted }));
        if (page.length > 0) yield page;
        from = next;
      }
    },
  };
}

/** By answers, so that one whose jobs ended together is written once. */
function endJobs(records: Records, kind: JournaledKind, ends: readonly JobEnd[]): void {
  const changes = new AnswerChanges(records.answers);
  for (const { originId, jobId, state, objectId, failureReason } of ends) {
    const found = records.find(kind, originId);
    if (found === undefined || found.answer.fates.jobIdAt(found.position) !== jobId) continue;
    const fates = changes.fatesOf(found.answer);
    fates.states[found.position] = codeOfJobState[state];
    fates.objectIds[found.position] = objectId;
    fates.failureReasons[found.position] = failureReason;
  }
  changes.write();
}

/** The entry from which on the next page is read. */
interface Place {
  readonly answer: number;
  readonly position: number;
}

interface Filter {
  readonly mask: number;
  readonly isWanted: (job: JournaledJob) => boolean;
}

/** At most a page of jobs from `from` on; without a next place where it is the last. */
function readPage(
  records: Records,
  from: Place,
  { mask, isWanted }: Filter,
): { readonly page: readonly JournaledJob[]; readonly next?: Place } {
  const page: JournaledJob[] = [];
  let last = from.answer - 1;
  for (;;) {
    const answers = records.answers.after(last, mask, answersAtOnce);
    for (const answer of answers) {
      const first = answer.id === from.answer ? from.position : 0;
      for (let position = first; position < answer.entries.count; position += 1) {
        if (page.length === pageSize) return { page, next: { answer: answer.id, position } };
        const job = jobAt(answer, position);
        if (job !== undefined && isWanted(job)) page.push(job);
      }
      last = answer.id;
    }
    if (answers.length < answersAtOnce) return { page };
  }
}

/** None of an order: it is listed by its items, which share its job. */
function jobAt({ entries, fates, run }: Answer, position: number): JournaledJob | undefined {
  const state = fates.stateAt(position);
  const jobId = fates.jobIdAt(position);
  const kind = entries.kindAt(position);
  if (state === stateCodes.none || jobId === undefined || kind === 'order') return undefined;
  return {
    jobId,
    state: jobStateOf(state),
    kind,
    originId: entries.originIdAt(position),
    objectId: fates.objectIdAt(position) ?? null,
    failureReason: fates.failureReasonAt(position) ?? null,
    run,
  };
}
