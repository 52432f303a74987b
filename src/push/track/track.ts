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
import { findOrder, itemIdsOf } from '../lookup/find-one.ts';
import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import { jobEnd, outcomeOfEnd } from './job-end.ts';

interface Tracking {
  readonly api: Api;
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Pick<PushJournal, 'known' | 'endJobs' | 'jobs'>;
  readonly kind: JournaledKind;
  /** The time limit for following the jobs of one batch, in milliseconds from its arrival. */
  readonly waitMs: number;
  /** Concurrent job lookups. */
  readonly concurrency: number | (() => number);
  readonly stopping: AbortSignal;
  /** Called after each round of lookups with the number of records whose jobs have ended since the previous round. */
  readonly onEnded?: (records: number) => void;
}

/** The maximum number of batches that wait for their jobs. Beyond it, sending waits. */
const batchesAtOnce = 16;

const pollPauses = { firstMs: 200, longestMs: 5000 } as const;

/**
 * Follows the jobs of queued outcomes to their end (the opt-in `getJob`), and those of skipped records whose job no run
 * has seen end. An outcome becomes `created`, with the id of the created object, or `failed` with the reason; the
 * journal records it first. The job of a whole order names no item, so the order is read once for the ids of its items.
 * An outcome stays `queued` if its job does not end in time. From then on, each job is looked up only once, so that
 * sending continues.
 * @throws what `batches` throws, and Failure if a job cannot be looked up; both after all outcomes, which are reported
 *   in any case.
 */
export async function* trackJobs(
  batches: AsyncIterable<readonly PushOutcome[]>,
  tracking: Tracking,
): AsyncGenerator<readonly PushOutcome[]> {
  const { journal, concurrency } = tracking;
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
    const tracked = new TrackedBatch(await reopened(batch, tracking), tracking, shared);
    try {
      await tracked.follow();
    } catch (error) {
      shared.stop ??= { error };
    }
    return tracked.outcomes;
  });
  if (shared.stop !== undefined) throw shared.stop.error;
}

/** A job that has ended, or the reason why its end will stay unknown. */
type EndedJob = Job | keyof typeof unknownEnds;

const unknownEnds = {
  gone: 'the service no longer shows its job',
  other: 'asked for its job, the service returned another one, or that of another record',
  unaskable: 'its job has an id that cannot be looked up',
} as const;

/** The state shared by all batches. */
interface Shared {
  readonly limited: ReturnType<typeof limitWork>;
  /** True if the jobs of one batch took longer than the time limit. */
  hasRunOut: boolean;
  /**
   * True if a lookup ever found a job. Until then, a job that is not found casts doubt on the setting `getJob`, not on
   * the job.
   */
  isLookupProven: boolean;
  /** The error that ended the push or the job lookups. */
  stop: { readonly error: unknown } | undefined;
}

async function hasEndedJobs(journal: Tracking['journal']): Promise<boolean> {
  for (const state of ['succeeded', 'failed'] as const) {
    for await (const _page of journal.jobs(state)) return true;
  }
  return false;
}

/** Marks skipped and unknown records as queued if no run has seen the end of their job. */
async function reopened(
  outcomes: readonly PushOutcome[],
  tracking: Tracking,
): Promise<readonly PushOutcome[]> {
  const isPassed = ({ outcome, jobId }: PushOutcome) =>
    (outcome === 'skipped' || outcome === 'unknown') && jobId !== undefined;
  const passed = outcomes.filter(isPassed);
  if (passed.length === 0) return outcomes;
  const known = await knownOf(passed, tracking);
  return outcomes.map((outcome) => {
    const { jobId, originId } = outcome;
    const isOpen = isPassed(outcome) && known.get(originId)?.jobState === undefined;
    return isOpen && jobId !== undefined ? outcomeOf(outcome, 'queued', { jobId }) : outcome;
  });
}

/** Item ids by originId, for each job that created a whole order; no ids if the order could not be read. */
type MadeOrders = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Outcomes whose jobs are followed together. */
class TrackedBatch {
  readonly #outcomes: readonly PushOutcome[];
  readonly #tracking: Tracking;
  readonly #shared: Shared;
  readonly #ended = new Map<string, EndedJob>();
  #made: MadeOrders = new Map();
  /** The number of ended records already reported to `onEnded`. */
  #noted = 0;

  constructor(outcomes: readonly PushOutcome[], tracking: Tracking, shared: Shared) {
    this.#outcomes = outcomes;
    this.#tracking = tracking;
    this.#shared = shared;
  }

  /** Follows the jobs, and records their ends in the journal. */
  async follow(): Promise<void> {
    const { journal, kind } = this.#tracking;
    if (this.#shared.stop === undefined) await this.#followJobs();
    await this.#markOthers();
    if (kind === 'order-item') this.#made = await this.#readMadeOrders();
    const ends = this.#outcomes.flatMap((outcome) => this.#endOf(outcome) ?? []);
    const orders = kind === 'order-item' ? await this.#orderEnds() : [];
    if (ends.length + orders.length > 0) await journal.endJobs(kind, ends, orders);
  }

  /** The outcomes, updated with the known ends of their jobs. */
  get outcomes(): readonly PushOutcome[] {
    return this.#outcomes.map((outcome) => {
      const end = this.#endOf(outcome);
      return end === undefined ? outcome : outcomeOfEnd(outcome, end);
    });
  }

  /** Looks up jobs until all have ended, the time is over, or the run stops. */
  async #followJobs(): Promise<void> {
    const { clock, random, waitMs, stopping } = this.#tracking;
    const shared = this.#shared;
    const deadlineMs = clock.monotonicMs() + waitMs;
    let isBroken = false;
    const notFound = new Map<string, ServiceFailure>();
    const ask = async (jobId: string) => {
      if (isBroken || stopping.aborted) return;
      try {
        await this.#ask(jobId);
      } catch (error) {
        if (error instanceof ServiceFailure && error.kind === 'not-found') {
          notFound.set(jobId, error);
          return;
        }
        isBroken = true;
        shared.stop ??= { error };
      }
    };
    const isOpen = ({ outcome, jobId }: PushOutcome) => outcome === 'queued' && jobId;
    const jobIds = [...new Set(this.#outcomes.filter(isOpen).flatMap(({ jobId }) => jobId ?? []))];
    let pending = jobIds.filter(isPathSegment);
    for (const jobId of jobIds) if (!isPathSegment(jobId)) this.#ended.set(jobId, 'unaskable');
    for (let round = 1; pending.length > 0; round += 1) {
      await Promise.all(pending.map((jobId) => shared.limited(() => ask(jobId))));
      if (isBroken || stopping.aborted) return;
      if (shared.isLookupProven) for (const jobId of notFound.keys()) this.#ended.set(jobId, 'gone');
      else shared.stop ??= unproven(notFound);
      this.#noteEnded();
      pending = pending.filter((jobId) => !this.#ended.has(jobId));
      const leftMs = deadlineMs - clock.monotonicMs();
      if (pending.length > 0 && leftMs <= 0) shared.hasRunOut = true;
      if (pending.length === 0 || shared.hasRunOut || shared.stop !== undefined) return;
      const pauseMs = Math.min(leftMs, backoffMs(round, random, pollPauses));
      await clock.sleep(pauseMs, stopping).catch(() => undefined);
    }
  }

  async #ask(jobId: string): Promise<void> {
    const { api } = this.#tracking;
    const { value: job } = await api.call('getJob', { params: { jobId } });
    if (job.jobId !== jobId) {
      this.#ended.set(jobId, 'other');
      return;
    }
    this.#shared.isLookupProven = true;
    if (jobState(job, api.assumptions) !== 'pending') this.#ended.set(jobId, job);
  }

  #noteEnded(): void {
    const count = this.#outcomes.filter(({ jobId }) => jobId !== undefined && this.#ended.has(jobId)).length;
    this.#tracking.onEnded?.(count - this.#noted);
    this.#noted = count;
  }

  /** The end of a queued record's job, if known, with the item's own id if the job created its whole order. */
  #endOf({ outcome, originId, jobId }: PushOutcome): JobEnd | undefined {
    if (outcome !== 'queued' || jobId === undefined) return undefined;
    const end = this.#endOfJob(originId, jobId);
    const itemIds = this.#made.get(jobId);
    if (end === undefined || itemIds === undefined) return end;
    const { objectId: _orderId, ...ofOrder } = end;
    const id = end.state === 'succeeded' ? itemIds.get(originId) : undefined;
    return id === undefined ? ofOrder : { ...ofOrder, objectId: id };
  }

  #endOfJob(originId: string, jobId: string): JobEnd | undefined {
    const job = this.#ended.get(jobId);
    if (typeof job === 'string')
      return { originId, jobId, state: 'unknown', failureReason: unknownEnds[job] };
    return job === undefined ? undefined : jobEnd(originId, job, this.#tracking.api.assumptions);
  }

  /** Marks jobs whose reply names neither the record nor its journaled order. */
  async #markOthers(): Promise<void> {
    const renamed = this.#outcomes.flatMap(({ originId, jobId }) => {
      const job = this.#ended.get(jobId ?? '');
      const entry = typeof job === 'object' ? job.entryOriginId : undefined;
      return jobId !== undefined && entry && entry !== originId ? [{ originId, jobId, entry }] : [];
    });
    if (renamed.length === 0) return;
    const known = this.#tracking.kind === 'order-item' ? await knownOf(renamed, this.#tracking) : undefined;
    for (const { originId, jobId, entry } of renamed)
      if (known === undefined || (known.get(originId)?.orderOriginId ?? entry) !== entry)
        this.#ended.set(jobId, 'other');
  }

  /**
   * Reads the orders that were created. A failure ends nothing: an update of the items reads the order again if it
   * needs it.
   */
  async #readMadeOrders(): Promise<MadeOrders> {
    const { api, journal, stopping } = this.#tracking;
    const records = new Set(this.#outcomes.map(({ originId, jobId }) => JSON.stringify([jobId, originId])));
    // An item may have the same originId as its order.
    const mayBeOrder = ({ jobId, entryOriginId }: Job) =>
      api.supports('createOrders') || !records.has(JSON.stringify([jobId, entryOriginId]));
    const jobs = [...this.#ended.values()].filter((job) => typeof job !== 'string').filter(mayBeOrder);
    const entries = new Set(jobs.flatMap(({ entryOriginId }) => entryOriginId ?? []));
    if (entries.size === 0) return new Map();
    const orders = await journal.known('order', [...entries]);
    const itemIds = async ({ successObjectId: orderId }: Job) => {
      const canBeRead = orderId != null && isPathSegment(orderId) && !stopping.aborted;
      const order = canBeRead ? await findOrder(api, orderId).catch(undefinedOfFailure) : undefined;
      return order === undefined ? new Map<string, string>() : itemIdsOf(order);
    };
    const made = jobs.filter(({ jobId, entryOriginId }) => orders.get(entryOriginId ?? '')?.jobId === jobId);
    const read = async (job: Job) => [job.jobId, await this.#shared.limited(() => itemIds(job))] as const;
    return new Map(await Promise.all(made.map(read)));
  }

  /** The ends of the jobs that created whole orders. */
  async #orderEnds(): Promise<JobEnd[]> {
    const itemIds = new Set(this.#outcomes.map(({ originId }) => originId));
    const named = (jobId: string) => {
      const job = this.#ended.get(jobId);
      return typeof job === 'string' ? undefined : job?.entryOriginId;
    };
    const open = this.#outcomes.flatMap(({ jobId, originId }) =>
      jobId !== undefined && this.#ended.has(jobId) && !named(jobId) ? [{ jobId, originId }] : [],
    );
    const known = await knownOf(open, this.#tracking);
    // If a job names no order, use the journaled order of its items.
    const orders = new Map(open.map(({ jobId, originId }) => [jobId, known.get(originId)?.orderOriginId]));
    return [...this.#ended.keys()].flatMap((jobId) => {
      const originId = named(jobId) || orders.get(jobId);
      if (!originId || (itemIds.has(originId) && !this.#made.has(jobId))) return [];
      return this.#endOfJob(originId, jobId) ?? [];
    });
  }
}

/** The failure if `getJob` found none of the jobs that were looked up. */
function unproven(notFound: ReadonlyMap<string, ServiceFailure>): Shared['stop'] {
  const [first] = notFound.values();
  if (first === undefined) return undefined;
  const hint = 'no job was ever found: check that -c get-job=… names the operation of your service';
  return { error: new Failure(first.kind, first.message, hint, { cause: first }) };
}

function knownOf(
  records: readonly { readonly originId: string }[],
  { journal, kind }: Tracking,
): ReturnType<PushJournal['known']> {
  return journal.known(
    kind,
    records.map(({ originId }) => originId),
  );
}

function undefinedOfFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}
