import type { Assumptions } from '../../contract/assumptions.ts';
import type { Job } from '../../contract/resources.ts';
import { jobState } from '../../contract/states.ts';
import type { JobEnd } from '../../store/journal/push-journal.ts';
import { outcomeOf, type PushOutcome, type RecordPlace } from '../steps/outcome.ts';

/** The end of the job of a record; undefined while it is pending. */
export function jobEnd(originId: string, job: Job, assumptions: Assumptions): JobEnd | undefined {
  const { jobId } = job;
  const state = jobState(job, assumptions);
  if (state === 'pending') return undefined;
  if (state !== 'succeeded') {
    const ended = `the job ended${job.status ? ` as ${job.status}` : ''}`;
    const silence = state === 'failed' ? ended : `${ended}, without an object or a reason`;
    return { originId, jobId, state, failureReason: job.failureReason || silence };
  }
  // The job of a whole order names the order, not its items.
  const objectId = job.entryOriginId === originId ? job.successObjectId : undefined;
  return { originId, jobId, state, ...(objectId ? { objectId } : {}) };
}

/** The outcome of the record at `place` after the end of its job. */
export function outcomeOfEnd(
  place: RecordPlace,
  { jobId, state, objectId, failureReason }: JobEnd,
): PushOutcome {
  return state === 'succeeded'
    ? outcomeOf(place, 'created', { jobId, id: objectId })
    : outcomeOf(place, state, { jobId, error: failureReason });
}
