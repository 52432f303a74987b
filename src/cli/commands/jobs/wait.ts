import { type ExitCode, Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { Service } from '../../../client/open-service.ts';
import type { JobState } from '../../../contract/states.ts';
import { createProgress } from '../../../output/terminal/progress.ts';
import { counted, countsInWords } from '../../../output/terminal/totals.ts';
import { storedJobView } from '../../../output/views/run-views.ts';
import { adaptiveConcurrency } from '../../../push/send/adaptive-concurrency.ts';
import type { PushOutcome } from '../../../push/steps/outcome.ts';
import { trackJobs } from '../../../push/track/track.ts';
import type { JobEnd, JournaledJob, JournaledKind } from '../../../store/journal/push-journal.ts';
import type { RunLog } from '../../../store/runs/run-log.ts';
import { durationValue } from '../../flags/flags.ts';
import { connectionFlags, outputFlags, progressFlags, stateFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { printList } from '../../runtime/print.ts';
import { useService } from '../../runtime/session.ts';
import { noJobLookup } from '../../templates/push/journaled-push.ts';
import { type OpenRuns, useRuns } from '../runs/open-runs.ts';

const waitDefault = '10m';
const flags = { ...stateFlags, ...outputFlags, ...connectionFlags, ...progressFlags };
type WaitInvocation = Invocation<typeof flags>;

/** The kinds that are created by a job; an order is created by the job of its items. */
const kindsWithJobs = ['category', 'order-item'] as const satisfies readonly JournaledKind[];

export const command = defineCommand({
  argument: { term: '[duration]', help: `how long at most, such as 30s or 1h (default ${waitDefault})` },
  flags,
  examples: ["reviewctl jobs wait 30m -c 'get-job=GET /admin/v2/job/{jobId}'"],
  isMonitored: true,
  exitCodes: [4, 5, 6, 8, 11],
  run: async (invocation) => {
    const runs = await useRuns(invocation);
    const service = await useService(invocation);
    if (!service.api.supports('getJob')) throw noJobLookup();
    return waitForJobs(invocation, runs, service);
  },
});

async function waitForJobs(
  invocation: WaitInvocation,
  { journal }: OpenRuns,
  service: Service,
): Promise<ExitCode> {
  const { args, context, flags: given } = invocation;
  const { clock, streams } = context;
  const deadlineMs = clock.monotonicMs() + durationOf(args[0] ?? waitDefault);
  const counts = { succeeded: 0, failed: 0, unknown: 0, pending: 0 };
  const progress = createProgress(streams, given.progress, clock);
  const total = await countOpenJobs(journal);
  let done = 0;
  const onEnded = (records: number) => {
    done += records;
    progress.update({ label: 'waiting for jobs', done, total });
  };
  async function* jobs(): AsyncGenerator<readonly JsonObject[]> {
    for (const kind of kindsWithJobs) {
      const waitMs = Math.max(0, deadlineMs - clock.monotonicMs());
      for await (const page of followed({ ...context, journal, kind, waitMs, onEnded }, service)) {
        for (const { state } of page) counts[state] += 1;
        yield page.map((job): JsonObject => ({ ...job }));
      }
    }
  }
  try {
    await printList(
      invocation,
      storedJobView,
      jobs(),
      () => `jobs: ${countsInWords(counts) || 'none pending'}`,
    );
  } finally {
    progress.done();
    invocation.summary.note({ counts });
  }
  if (counts.unknown > 0) {
    invocation.notices.warning(
      `${counted(counts.unknown, 'job')} ended without showing whether they created anything`,
      hint`look for the records at the service, then record the result: ${reviewctl`runs resolve RUN --sent`} or
        --not-sent, with the run of ${reviewctl`jobs list --unknown`}`,
    );
  }
  const left = total - counts.succeeded - counts.failed - counts.unknown;
  if (context.stopping.aborted && left > 0) {
    const jobs = counted(left, 'job');
    invocation.notices.warning(`interrupted: ${jobs} had not ended`, 'the same command continues to wait');
  }
  if (counts.unknown > 0) return 11;
  if (counts.pending > 0) return 8;
  return counts.failed > 0 ? 6 : 0;
}

/** Jobs are looked up in this order, so that one that becomes unknown meanwhile is not looked up twice. */
const openStates = ['unknown', 'pending'] as const satisfies readonly JobState[];

async function countOpenJobs(journal: OpenRuns['journal']): Promise<number> {
  let count = 0;
  for (const kind of kindsWithJobs) {
    for (const state of openStates) {
      for await (const page of journal.jobs(state, kind)) count += page.length;
    }
  }
  return count;
}

/** Follows the pending or unknown jobs of one kind; yields each with its state at its end or when the time ran out. */
async function* followed(
  tracking: Pick<
    Parameters<typeof trackJobs>[1],
    'kind' | 'waitMs' | 'clock' | 'random' | 'stopping' | 'onEnded'
  > &
    Pick<OpenRuns, 'journal'>,
  service: Service,
): AsyncGenerator<readonly JournaledJob[]> {
  const { journal, kind, clock, stopping } = tracking;
  const taken: (readonly JournaledJob[])[] = [];
  async function* queued(): AsyncGenerator<readonly PushOutcome[]> {
    for (const state of openStates) {
      for await (const page of journal.jobs(state, kind)) {
        if (stopping.aborted) return;
        taken.push(page);
        yield page.map(({ originId, jobId }) => ({ file: '', line: 0, originId, jobId, outcome: 'queued' }));
      }
    }
  }
  /** Notes ends at the runs first: the journal lists ended jobs as open no longer, and this process may be killed. */
  const endJobs: typeof journal.endJobs = async (of, ends, orders) => {
    await noteEnds(journal.runs, ends, taken.flat());
    await journal.endJobs(of, ends, orders);
  };
  const options = { ...tracking, journal: { ...journal, endJobs } };
  const concurrency = adaptiveConcurrency(service, clock);
  for await (const outcomes of trackJobs(queued(), { ...options, api: service.api, concurrency })) {
    // Batches are returned whole and in order.
    const page = taken.shift() ?? [];
    yield page.map((job, index) => jobAfter(job, outcomes[index]));
  }
}

/** Notes records whose jobs failed or became unknown at the runs that sent them, until a later run pushes them. */
async function noteEnds(runs: RunLog, ends: readonly JobEnd[], jobs: readonly JournaledJob[]): Promise<void> {
  const known = new Map(jobs.map((job) => [job.originId, job]));
  const bad = ends.flatMap((end) => {
    const job = known.get(end.originId);
    const isNew = end.state !== 'succeeded' && end.state !== job?.state;
    return isNew ? [{ ...end, run: job?.run }] : [];
  });
  for (const run of new Set(bad.flatMap((end) => end.run ?? []))) {
    const outcomes = bad
      .filter((end) => end.run === run)
      .map(({ originId, state, failureReason }) => {
        const error = failureReason ?? 'its job gave no reason';
        return { file: '', line: 0, originId, outcome: state, error };
      });
    await runs.note(run, outcomes);
  }
}

function jobAfter(job: JournaledJob, { outcome, id, error }: Partial<PushOutcome> = {}): JournaledJob {
  if (outcome === 'created') return { ...job, state: 'succeeded', objectId: id ?? null };
  if (outcome === 'failed' || outcome === 'unknown') {
    return { ...job, state: outcome, failureReason: error === undefined ? null : String(error) };
  }
  return job;
}

/** @throws Failure('usage') for an invalid duration. */
function durationOf(text: string): number {
  const read = durationValue().safeParse(text);
  if (read.success) return read.data;
  throw new Failure(
    'usage',
    `'${text}': ${read.error.issues[0]?.message}`,
    'write it as 500ms, 30s, 10m or 24h',
  );
}
