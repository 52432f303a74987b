import {
  type Creation,
  createCategory,
  createOrder,
  createOrderItem,
  orderIdFor,
} from '../rules/creation.ts';
import { jobDocument } from '../rules/documents.ts';
import type { BadEntry, OperationHandlers } from '../rules/handlers.ts';
import { done, notFound, type RequestOutcome } from '../state/outcome.ts';
import type { StoredJob, Task } from '../state/records.ts';
import { type RequestContext, timestamp } from '../state/request-context.ts';

interface Entry {
  readonly originId: string | null;
  readonly task: Task;
}

/** The opt-in lookup of one job (assumption `getJob`). */
export const jobHandlers: OperationHandlers<'getJob'> = {
  getJob: ({ state }, { parameters: { jobId } }) => {
    const job = state.jobs.get(jobId);
    return job ? done(jobDocument(job)) : notFound('jobId', jobId);
  },
};

/**
 * Queues one PENDING job per entry of a bulk request, in its order (API 4.8, 4.14). Bad entries keep their positions
 * and fail when they are due.
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
  const jobs = all.map(({ originId, task }): StoredJob => {
    const job: StoredJob = {
      id: state.nextId(),
      status: 'PENDING',
      entryOriginId: originId,
      successObjectId: null,
      failureReason: null,
      createdAt: now,
      startedAt: null,
      endedAt: null,
      dueAtMs: nowMs + jobDelayMs,
      task,
    };
    state.jobs.put(job);
    return job;
  });
  return done(jobs.map(jobDocument));
}

/**
 * Carries out every job that is due, in the order of creation. It runs before anything reads the state, so jobs need
 * no timer: their timestamps are the times at which they were due. Returns how many it carried out.
 */
export function runDueJobs(context: RequestContext): number {
  const { state, nowMs } = context;
  const due = state.pendingJobs.takeDue(nowMs);
  for (const job of due) {
    const time = timestamp(job.dueAtMs);
    const result = carryOut({ ...context, now: time, nowMs: job.dueAtMs }, job.task);
    const isCreated = result.kind === 'created';
    state.jobs.put({
      ...job,
      status: isCreated ? 'SUCCESS' : 'FAILURE',
      successObjectId: isCreated ? result.record.id : null,
      failureReason: isCreated ? null : result.msg,
      startedAt: time,
      endedAt: time,
      task: null,
    });
  }
  return due.length;
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
