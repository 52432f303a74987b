import { backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { mapConcurrently, streamOf } from '../base/lists.ts';
import type { Random } from '../base/random.ts';
import type { Api } from '../client/caller.ts';
import type { Job } from '../contract/resources.ts';
import { jobState } from '../contract/states.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

export interface Tracking {
  readonly api: Api;
  readonly clock: Clock;
  readonly random: Random;
  /** When to stop waiting, in milliseconds of the clock. */
  readonly deadlineMs: number;
  readonly stopping: AbortSignal;
}

/** Batches whose jobs may be waited for at once, and requests for jobs under way at once. */
const batchesAtOnce = 16;
const jobsAtOnce = 8;

const pollPauses = { firstMs: 200, longestMs: 5000 } as const;

/**
 * Follows the job of each queued outcome to its end (the opt-in `getJob`): it becomes `created`, with the id of what was made
 * where the job is of that record alone, or `failed` with the reason. What has not ended by the deadline stays `queued`.
 * @throws ServiceFailure when a job cannot be asked for.
 */
export async function* trackJobs(
  batches: AsyncIterable<readonly Outcome[]>,
  tracking: Tracking,
): AsyncGenerator<readonly Outcome[]> {
  yield* mapConcurrently(batches, batchesAtOnce, (outcomes) => trackBatch(outcomes, tracking));
}

async function trackBatch(outcomes: readonly Outcome[], tracking: Tracking): Promise<readonly Outcome[]> {
  const jobIds = new Set(
    outcomes.flatMap(({ outcome, jobId }) => (outcome === 'queued' && jobId ? [jobId] : [])),
  );
  const ended = await endedJobs(jobIds, tracking);
  return outcomes.map((outcome) => {
    const job = outcome.jobId === undefined ? undefined : ended.get(outcome.jobId);
    return job === undefined ? outcome : outcomeOfJob(outcome, job, tracking);
  });
}

async function endedJobs(jobIds: ReadonlySet<string>, tracking: Tracking): Promise<ReadonlyMap<string, Job>> {
  const { api, clock, random, deadlineMs, stopping } = tracking;
  const ended = new Map<string, Job>();
  let pending = [...jobIds];
  for (let round = 1; pending.length > 0; round += 1) {
    const jobs = mapConcurrently(streamOf(pending), jobsAtOnce, (jobId) =>
      api.call('getJob', { params: { jobId } }),
    );
    for await (const { value } of jobs) {
      if (jobState(value, api.assumptions) !== 'pending') ended.set(value.jobId, value);
    }
    pending = pending.filter((jobId) => !ended.has(jobId));
    const pauseMs = backoffMs(round, random, pollPauses);
    if (pending.length === 0 || stopping.aborted || clock.now() + pauseMs > deadlineMs) break;
    await clock.sleep(pauseMs);
  }
  return ended;
}

function outcomeOfJob(place: Outcome, job: Job, { api }: Tracking): Outcome {
  const { jobId } = job;
  if (jobState(job, api.assumptions) === 'failed') {
    return outcomeOf(place, 'failed', {
      jobId,
      error: job.failureReason ?? `the job ended as ${job.status ?? 'failed'}`,
    });
  }
  // The job of a whole order names the order, not the items that came with it.
  const isOwn = job.entryOriginId === place.originId;
  return outcomeOf(place, 'created', {
    jobId,
    ...(isOwn && job.successObjectId ? { id: job.successObjectId } : {}),
  });
}
