import {
  type Creation,
  createCategory,
  createOrder,
  createOrderItem,
  orderIdFor,
} from '../rules/creation.ts';
import { jobDocument, jobIdOf } from '../rules/documents.ts';
import type { BadEntry, OperationHandlers } from '../rules/handlers.ts';
import { done, notFound, type RequestOutcome } from '../state/outcome.ts';
import type { StoredBulk, StoredJob, Task } from '../state/records.ts';
import { type RequestContext, timestamp } from '../state/request-context.ts';

interface Entry {
  readonly originId: string | null;
  readonly task: Task;
}

/** The opt-in lookup of one job (assumption `getJob`). */
export const jobHandlers: OperationHandlers<'getJob'> = {
  getJob: ({ state }, { parameters: { jobId } }) => {
    const [bulk] = state.bulks.select('id <= ? ORDER BY id DESC LIMIT 1', Number(jobId));
    const index = bulk?.jobs.findIndex((_, at) => jobIdOf(bulk, at) === jobId) ?? -1;
    return bulk && index !== -1 ? done(jobDocument(bulk, index)) : notFound('jobId', jobId);
  },
};

/**
 * Queues one PENDING job per entry of a bulk request, in the order of the request (API 4.8, 4.14). Bad entries keep
 * their positions and fail when they are due.
 */
export function enqueueJobs(
  { state, now, nowMs, jobDelayMs }: RequestContext,
  entries: readonly Entry[],
  badEntries: readonly BadEntry[],
): RequestOutcome {
  const all = [...entries];
  for (const { index, originId, reason } of badEntries) {
    all.splice(index, 0, { originId, task: { kind: 'fail', reason } });
  }
  if (all.length === 0) return done([]);
  const bulk: StoredBulk = {
    id: state.nextId(all.length),
    createdAt: now,
    dueAtMs: nowMs + jobDelayMs,
    endedAt: null,
    jobs: all.map(({ originId, task }) => ({
      entryOriginId: originId,
      task,
      successObjectId: null,
      failureReason: null,
    })),
  };
  state.bulks.put(bulk);
  return done(bulk.jobs.map((_, index) => jobDocument(bulk, index)));
}

/**
 * Runs every due job, in the order of creation, and returns their number. It is called before anything reads the state,
 * so jobs need no timer: their timestamps are the times at which they were due.
 */
export function runDueJobs(context: RequestContext): number {
  const { state, nowMs } = context;
  const due = state.bulks.select(
    "document ->> 'endedAt' IS NULL AND document ->> 'dueAtMs' <= ? ORDER BY document ->> 'dueAtMs', id",
    nowMs,
  );
  for (const bulk of due) {
    const endedAt = timestamp(bulk.dueAtMs);
    const then = { ...context, now: endedAt, nowMs: bulk.dueAtMs };
    state.bulks.put({ ...bulk, endedAt, jobs: bulk.jobs.map((job) => endJob(then, job)) });
  }
  return due.reduce((count, { jobs }) => count + jobs.length, 0);
}

function endJob(context: RequestContext, { entryOriginId, task }: StoredJob): StoredJob {
  const result = task && carryOut(context, task);
  return {
    entryOriginId,
    task: null,
    successObjectId: result?.kind === 'created' ? result.record.id : null,
    failureReason: result?.kind === 'created' ? null : (result?.msg ?? null),
  };
}

type TaskResult = Creation<{ readonly id: string }> | { readonly kind: 'bad-entry'; readonly msg: string };

function carryOut(context: RequestContext, task: Task): TaskResult {
  switch (task.kind) {
    case 'create-category':
      return createCategory(context, { ...task, isVisible: true, position: 0, isReviewDisabled: false });
    case 'create-order-item':
      return createOrderItem(context, task, () => orderIdFor(context, task.orderOriginId));
    case 'create-order':
      return createOrder(context, task.order, task.items);
    case 'fail':
      return { kind: 'bad-entry', msg: task.reason };
  }
}
