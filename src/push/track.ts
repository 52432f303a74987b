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
 * @throws what `batches` throws, and Failure when a job cannot be asked for; both after all outcomes, because what the push
 *   did is told all the same.
 */
export async function* trackJobs(
  batches: AsyncIterable<readonly Outcome[]>,
  tracking: Tracking,
): AsyncGenerator<readonly Outcome[]> {
  let stop: { readonly error: unknown } | undefined;
  async function* untilFailed(): AsyncGenerator<readonly Outcome[]> {
    try {
      yield* batches;
    } catch (error) {
      stop ??= { error };
    }
  }
  yield* mapConcurrently(untilFailed(), { width: batchesAtOnce }, async (outcomes) => {
    if (stop !== undefined) return outcomes;
    const ended = new Map<string, Job>();
    try {
      await followJobs(jobIdsOf(outcomes), tracking, ended);
    } catch (error) {
      stop ??= { error };
    }
    return outcomes.map((outcome) => {
      const job = outcome.jobId === undefined ? undefined : ended.get(outcome.jobId);
      return job === undefined ? outcome : outcomeOfJob(outcome, job, tracking);
    });
  });
  if (stop !== undefined) throw stop.error;
}

function jobIdsOf(outcomes: readonly Outcome[]): string[] {
  return [
    ...new Set(outcomes.flatMap(({ outcome, jobId }) => (outcome === 'queued' && jobId ? [jobId] : []))),
  ];
}

/** Asks for jobs until all have ended, or the deadline or the end of the run comes; puts those that ended into `ended`. */
async function followJobs(
  jobIds: readonly string[],
  { api, clock, random, deadlineMs, stopping }: Tracking,
  ended: Map<string, Job>,
): Promise<void> {
  let pending = jobIds;
  for (let round = 1; pending.length > 0; round += 1) {
    const asked = mapConcurrently(streamOf(pending), { width: jobsAtOnce }, async (jobId) => ({
      jobId,
      job: (await api.call('getJob', { params: { jobId } })).value,
    }));
    for await (const { jobId, job } of asked) {
      if (jobState(job, api.assumptions) !== 'pending') ended.set(jobId, job);
    }
    pending = pending.filter((jobId) => !ended.has(jobId));
    const leftMs = deadlineMs - clock.now();
    if (pending.length === 0 || leftMs <= 0) return;
    const pauseMs = Math.min(leftMs, backoffMs(round, random, pollPauses));
    await clock.sleep(pauseMs, stopping).catch(() => undefined);
    if (stopping.aborted) return;
  }
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
