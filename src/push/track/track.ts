import { backoffMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { limitWork, mapConcurrently } from '../../base/lists.ts';
import type { Random } from '../../base/random.ts';
import type { Api } from '../../client/caller.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import type { Job } from '../../contract/resources.ts';
import { jobState } from '../../contract/states.ts';
import type { JobEnd, JournaledKind, PushJournal } from '../../store/journal/push-journal.ts';
import { findOrder, itemIdsOf } from '../lookup/find-order.ts';
import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import { jobEnd, outcomeOfEnd } from './job-end.ts';

interface Tracking {
  readonly api: Api;
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Pick<PushJournal, 'known' | 'endJobs' | 'jobs'>;
  readonly kind: JournaledKind;
  /** How long the jobs of one batch are followed, in milliseconds from when it came. */
  readonly waitMs: number;
  /** Lookups of jobs under way at once. */
  readonly concurrency: number | (() => number);
  readonly stopping: AbortSignal;
  /** Called after each round of lookups with the number of records whose jobs have ended since the last. */
  readonly onEnded?: (records: number) => void;
}

/** Batches whose jobs may be waited for at once; sending waits when there are more. */
const batchesAtOnce = 16;

const pollPauses = { firstMs: 200, longestMs: 5000 } as const;

/**
 * Follows the job of each queued outcome to its end (the opt-in `getJob`), and those of skipped records that no run has
 * seen end: it becomes `created`, with the id of what was made, or `failed` with the reason; the journal records it
 * before it is reported. The job of a whole order names no item, so the order is read once for the ids of its items.
 * What has not ended in time stays `queued`; from then on jobs are asked for once and not waited for, so that sending
 * continues.
 * @throws what `batches` throws, and Failure when a job cannot be asked for; both after all outcomes, which
 *   are reported in any case.
 */
export async function* trackJobs(
  batches: AsyncIterable<readonly PushOutcome[]>,
  tracking: Tracking,
): AsyncGenerator<readonly PushOutcome[]> {
  const { journal, kind, concurrency } = tracking;
  const shared: Shared = {
    limited: limitWork(concurrency),
    hasRunOut: false,
    isLookupProven: await hasEndedJobs(journal),
    stop: undefined,
  };
  async function* untilFailed(): AsyncGenerator<readonly PushOutcome[]> {
    try {
      yield* batches;
    } catch (error) {
      shared.stop ??= { error };
    }
  }
  yield* mapConcurrently(untilFailed(), { width: batchesAtOnce }, async (batch) => {
    const outcomes = await reopened(batch, tracking);
    const ended = new Map<string, EndedJob>();
    let made: MadeOrders = new Map();
    const end = (outcome: PushOutcome) => ofItem(endOf(outcome, ended, tracking), made);
    try {
      let noted = 0;
      const onRound = () => {
        const count = outcomes.filter(({ jobId }) => jobId !== undefined && ended.has(jobId)).length;
        tracking.onEnded?.(count - noted);
        noted = count;
      };
      if (shared.stop === undefined)
        await followJobs(jobIdsOf(outcomes), tracking, shared, { ended, onRound });
      for (const jobId of await jobsOfOthers(outcomes, ended, tracking)) ended.set(jobId, 'other');
      if (kind === 'order-item') made = await readMadeOrders(outcomes, ended, tracking, shared);
      const ends = outcomes.flatMap((outcome) => end(outcome) ?? []);
      if (ends.length > 0) await journal.endJobs(kind, ends);
      const orders = kind === 'order-item' ? await orderEnds(outcomes, { ended, made }, tracking) : [];
      if (orders.length > 0) await journal.endJobs('order', orders);
    } catch (error) {
      shared.stop ??= { error };
    }
    return outcomes.map((outcome) => {
      const ofOutcome = end(outcome);
      return ofOutcome === undefined ? outcome : outcomeOfEnd(outcome, ofOutcome);
    });
  });
  if (shared.stop !== undefined) throw shared.stop.error;
}

/** A job that has ended, or the reason why its end will not be known. */
type EndedJob = Job | keyof typeof unknownEnds;

const unknownEnds = {
  gone: 'the service does not show its job any more',
  other: 'asked for its job, the service showed another one, or that of another record',
  unaskable: 'its job has an id by which it cannot be looked up',
} as const;

/** What all batches share. */
interface Shared {
  readonly limited: ReturnType<typeof limitWork>;
  /** Whether the jobs of one batch took longer than they are waited for. */
  hasRunOut: boolean;
  /**
   * Whether a lookup ever found a job. Until then one that is not found speaks of the setting `getJob`, not of the job.
   */
  isLookupProven: boolean;
  /** What ended the push, or the asking for jobs. */
  stop: { readonly error: unknown } | undefined;
}

async function hasEndedJobs(journal: Tracking['journal']): Promise<boolean> {
  for (const state of ['succeeded', 'failed'] as const) {
    for await (const _page of journal.jobs(state)) return true;
  }
  return false;
}

/** The outcomes with those of skipped and unknown records whose job no run has seen end as what they are: queued. */
async function reopened(
  outcomes: readonly PushOutcome[],
  { journal, kind }: Tracking,
): Promise<readonly PushOutcome[]> {
  const isPassed = ({ outcome, jobId }: PushOutcome) =>
    (outcome === 'skipped' || outcome === 'unknown') && jobId !== undefined;
  const passed = outcomes.filter(isPassed);
  if (passed.length === 0) return outcomes;
  const known = await journal.known(
    kind,
    passed.map(({ originId }) => originId),
  );
  return outcomes.map((outcome) => {
    const { jobId, originId } = outcome;
    const isOpen = isPassed(outcome) && known.get(originId)?.jobState === undefined;
    return isOpen && jobId !== undefined ? outcomeOf(outcome, 'queued', { jobId }) : outcome;
  });
}

function jobIdsOf(outcomes: readonly PushOutcome[]): string[] {
  return [
    ...new Set(outcomes.flatMap(({ outcome, jobId }) => (outcome === 'queued' && jobId ? [jobId] : []))),
  ];
}

/** Asks for jobs until all have ended, or the time or the run is over; puts those that ended into `ended`. */
async function followJobs(
  jobIds: readonly string[],
  { api, clock, random, waitMs, stopping }: Tracking,
  shared: Shared,
  { ended, onRound }: { readonly ended: Map<string, EndedJob>; readonly onRound: () => void },
): Promise<void> {
  const deadlineMs = clock.monotonicMs() + waitMs;
  let isBroken = false;
  const notFound = new Map<string, ServiceFailure>();
  const ask = async (jobId: string) => {
    if (isBroken || stopping.aborted) return;
    try {
      const { value: job } = await api.call('getJob', { params: { jobId } });
      if (job.jobId !== jobId) {
        ended.set(jobId, 'other');
        return;
      }
      shared.isLookupProven = true;
      if (jobState(job, api.assumptions) !== 'pending') ended.set(jobId, job);
    } catch (error) {
      if (error instanceof ServiceFailure && error.kind === 'not-found') {
        notFound.set(jobId, error);
        return;
      }
      isBroken = true;
      shared.stop ??= { error };
    }
  };
  let pending = jobIds.filter(isPathSegment);
  for (const jobId of jobIds) if (!isPathSegment(jobId)) ended.set(jobId, 'unaskable');
  for (let round = 1; pending.length > 0; round += 1) {
    await Promise.all(pending.map((jobId) => shared.limited(() => ask(jobId))));
    if (isBroken || stopping.aborted) return;
    if (shared.isLookupProven) for (const jobId of notFound.keys()) ended.set(jobId, 'gone');
    else shared.stop ??= unproven(notFound);
    onRound();
    pending = pending.filter((jobId) => !ended.has(jobId));
    const leftMs = deadlineMs - clock.monotonicMs();
    if (pending.length > 0 && leftMs <= 0) shared.hasRunOut = true;
    if (pending.length === 0 || shared.hasRunOut || shared.stop !== undefined) return;
    const pauseMs = Math.min(leftMs, backoffMs(round, random, pollPauses));
    await clock.sleep(pauseMs, stopping).catch(() => undefined);
  }
}

/** The doubt about `getJob` where it found none of the jobs it was asked for. */
function unproven(notFound: ReadonlyMap<string, ServiceFailure>): Shared['stop'] {
  const [first] = notFound.values();
  if (first === undefined) return undefined;
  const hint = 'no job was ever found there: see that -c get-job=… names the operation of your service';
  return { error: new Failure(first.kind, first.message, hint, { cause: first }) };
}

/** How the job of a queued record ended, if it did. */
function endOf(
  { outcome, originId, jobId }: Pick<PushOutcome, 'outcome' | 'originId' | 'jobId'>,
  ended: ReadonlyMap<string, EndedJob>,
  { api }: Tracking,
): JobEnd | undefined {
  if (outcome !== 'queued' || jobId === undefined) return undefined;
  const job = ended.get(jobId);
  if (typeof job === 'string') return { originId, jobId, state: 'unknown', failureReason: unknownEnds[job] };
  return job === undefined ? undefined : jobEnd(originId, job, api.assumptions);
}

/**
 * The jobs whose reply names another entry than was sent with them: neither the record, nor the order that the journal
 * has for it.
 */
async function jobsOfOthers(
  outcomes: readonly PushOutcome[],
  ended: ReadonlyMap<string, EndedJob>,
  { journal, kind }: Tracking,
): Promise<readonly string[]> {
  const renamed = outcomes.flatMap(({ originId, jobId }) => {
    const job = ended.get(jobId ?? '');
    const entry = typeof job === 'object' ? job.entryOriginId : undefined;
    return jobId !== undefined && entry && entry !== originId ? [{ originId, jobId, entry }] : [];
  });
  if (renamed.length === 0) return [];
  const known =
    kind === 'order-item'
      ? await journal.known(
          kind,
          renamed.map(({ originId }) => originId),
        )
      : undefined;
  const isOther = ({ originId, entry }: (typeof renamed)[number]) =>
    known === undefined || (known.get(originId)?.orderOriginId ?? entry) !== entry;
  return renamed.filter(isOther).map(({ jobId }) => jobId);
}

/** By the jobs that made whole orders, the ids of their items by originId; no ids of an order that was not shown. */
type MadeOrders = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Reads the orders that were made. An order that cannot be read now is read when an update of its items needs it, so a
 * failure ends nothing.
 */
async function readMadeOrders(
  outcomes: readonly PushOutcome[],
  ended: ReadonlyMap<string, EndedJob>,
  { api, journal, stopping }: Tracking,
  { limited }: Shared,
): Promise<MadeOrders> {
  const records = new Set(outcomes.map(({ originId, jobId }) => JSON.stringify([jobId, originId])));
  // An item can have the originId of its order.
  const mayBeOrder = ({ jobId, entryOriginId }: Job) =>
    api.supports('createOrders') || !records.has(JSON.stringify([jobId, entryOriginId]));
  const jobs = [...ended.values()].flatMap((job) =>
    typeof job !== 'string' && mayBeOrder(job) ? [job] : [],
  );
  const entries = new Set(jobs.flatMap(({ entryOriginId }) => entryOriginId ?? []));
  if (entries.size === 0) return new Map();
  const orders = await journal.known('order', [...entries]);
  const itemIds = async ({ successObjectId: orderId }: Job) => {
    const canBeRead = orderId != null && isPathSegment(orderId) && !stopping.aborted;
    const order = canBeRead ? await findOrder(api, orderId).catch(undefinedOfFailure) : undefined;
    return order === undefined ? new Map<string, string>() : itemIdsOf(order);
  };
  const made = jobs.filter(({ jobId, entryOriginId }) => orders.get(entryOriginId ?? '')?.jobId === jobId);
  return new Map(
    await Promise.all(made.map(async (job) => [job.jobId, await limited(() => itemIds(job))] as const)),
  );
}

function undefinedOfFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}

/** The end of a record's job, with the item's own id if the job made its whole order. */
function ofItem(end: JobEnd | undefined, made: MadeOrders): JobEnd | undefined {
  const itemIds = made.get(end?.jobId ?? '');
  if (end === undefined || itemIds === undefined) return end;
  const { objectId: _orderId, ...ofOrder } = end;
  const id = end.state === 'succeeded' ? itemIds.get(end.originId) : undefined;
  return id === undefined ? ofOrder : { ...ofOrder, objectId: id };
}

/** The ends of the jobs that made whole orders. */
async function orderEnds(
  outcomes: readonly PushOutcome[],
  { ended, made }: { readonly ended: ReadonlyMap<string, EndedJob>; readonly made: MadeOrders },
  tracking: Tracking,
): Promise<JobEnd[]> {
  const itemIds = new Set(outcomes.map(({ originId }) => originId));
  const orders = await ordersOfUnknownEnds(outcomes, ended, tracking);
  return [...ended].flatMap(([jobId, job]) => {
    const originId = typeof job === 'string' ? orders.get(jobId) : job.entryOriginId;
    if (!originId || (itemIds.has(originId) && !made.has(jobId))) return [];
    return endOf({ outcome: 'queued', originId, jobId }, ended, tracking) ?? [];
  });
}

/** By the jobs whose end will not be known, the orders that the journal has for their items. */
async function ordersOfUnknownEnds(
  outcomes: readonly PushOutcome[],
  ended: ReadonlyMap<string, EndedJob>,
  { journal, kind }: Tracking,
): Promise<ReadonlyMap<string, string | undefined>> {
  const open = outcomes.flatMap(({ jobId, originId }) =>
    jobId !== undefined && typeof ended.get(jobId) === 'string' ? [{ jobId, originId }] : [],
  );
  const known = await journal.known(
    kind,
    open.map(({ originId }) => originId),
  );
  return new Map(open.map(({ jobId, originId }) => [jobId, known.get(originId)?.orderOriginId]));
}
