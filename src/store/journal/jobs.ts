import { regroup } from '../../base/lists.ts';
import type { JobState } from '../../contract/states.ts';
import { AnswerChanges, type Answers } from './answers.ts';
import type { Answer, FoundRecord } from './last-entries.ts';
import type { JobEnd, JournaledJob, JournaledKind, PushJournal } from './push-journal.ts';
import { jobStates, stateOfJob } from './record-state.ts';
import { type JournalTables, lockState } from './tables.ts';

/** Jobs per page. */
const pageSize = 500;

/** Lists the jobs of records, and records their ends. */
export function createJobs(tables: JournalTables, answers: Answers): Pick<PushJournal, 'jobs' | 'endJobs'> {
  async function* currentJobs(
    state?: JobState,
    kind?: JournaledKind,
  ): AsyncGenerator<readonly JournaledJob[]> {
    const isWanted = ({ job }: JobEntry) =>
      (state === undefined || job.state === state) && (kind === undefined || job.kind === kind);
    const states = (state === undefined ? jobStates : [state]).map(stateOfJob);
    for await (const page of answers.list(states)) {
      const entries = page.flatMap(jobsIn).filter(isWanted);
      yield (await answers.current(entries)).map(({ job }) => job);
    }
  }

  return {
    jobs: (state, kind) => regroup(currentJobs(state, kind), pageSize),
    endJobs: (kind, ends, orders = []) =>
      tables.sql.write(async (transaction) => {
        await lockState(tables, transaction.query);
        const changes = new AnswerChanges();
        const note = async (of: JournaledKind, ended: readonly JobEnd[]) => {
          const originIds = [...new Set(ended.map(({ originId }) => originId))];
          const found = await answers.last(of, originIds, transaction.query);
          for (const end of ended) {
            const record = found.get(end.originId);
            if (record !== undefined) changes.endJob(record, end);
          }
        };
        await note(kind, ends);
        await note('order', orders);
        await answers.write(transaction, changes);
      }),
  };
}

interface JobEntry extends FoundRecord {
  readonly job: JournaledJob;
}

function jobsIn(answer: Answer): JobEntry[] {
  return answer.outcomes.jobIds.flatMap((jobId, position) => {
    const job = typeof jobId === 'string' ? jobAt(answer, position, jobId) : undefined;
    return job === undefined ? [] : { answer, position, job };
  });
}

/** Undefined for an order: its items, which share its job, list it. */
function jobAt(
  { entries, outcomes, run }: Answer,
  position: number,
  jobId: string,
): JournaledJob | undefined {
  const kind = entries.kinds[position] ?? 'order';
  if (kind === 'order') return undefined;
  const known = outcomes.states[position];
  return {
    jobId,
    state: jobStates.find((state) => state === known) ?? 'pending',
    kind,
    originId: entries.originIds[position] ?? '',
    objectId: outcomes.objectIds[position] ?? null,
    failureReason: outcomes.failureReasons[position] ?? null,
    run,
  };
}
