import {
  type Creation,
  createCategory,
  createOrder,
  createOrderItem,
  orderIdFor,
} from '../rules/creation.ts';
import { jobDocument } from '../rules/documents.ts';
import type { BadEntry, OperationHandlers } from '../rules/handlers.ts';
import { done, notFound, type Outcome } from '../state/outcome.ts';
import type { JobRecord, Task } from '../state/records.ts';
import { timestamp, type Visit } from '../state/request-context.ts';

interface Entry {
  readonly originId: string | null;
  readonly task: Task;
}

/** The opt-in lookup of one job (assumption `getJob`). */
export const jobHandlers: OperationHandlers<'getJob'> = {
  getJob: ({ world }, { parameters: { jobId } }) => {
    const job = world.jobs.get(jobId);
    return job ? done(jobDocument(job)) : notFound('jobId', jobId);
  },
};

/**
 * One PENDING job per entry of a bulk request, in its order (API 4.8, 4.14); bad entries are put back in their places
 * and fail when their turn comes.
 */
export function enqueueJobs(
  { world, now, nowMs, jobDelayMs }: Visit,
  entries: readonly Entry[],
  badEntries: readonly BadEntry[],
): Outcome {
  const all = [...entries];
  for (const { index, originId, reason } of badEntries) {
    all.splice(index, 0, { originId, task: { kind: 'fail', reason } });
  }
  const jobs = all.map(({ originId, task }): JobRecord => {
    const job: JobRecord = {
      id: world.nextId(),
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
    world.jobs.put(job);
    return job;
  });
  return done(jobs.map(jobDocument));
}

/**
 * Carries out every job that is due, in the order of creation. Called before anything looks at the world, so jobs need
 * no timer of their own: nobody can tell when they ran but by the times on them, and those say when they were due.
 */
export function runDueJobs(visit: Visit): void {
  const { world, nowMs } = visit;
  for (const job of world.pendingJobs.takeDue(nowMs)) {
    const time = timestamp(job.dueAtMs);
    const result = carryOut({ ...visit, now: time, nowMs: job.dueAtMs }, job.task);
    const isCreated = result.kind === 'created';
    world.jobs.put({
      ...job,
      status: isCreated ? 'SUCCESS' : 'FAILURE',
      successObjectId: isCreated ? result.record.id : null,
      failureReason: isCreated ? null : result.msg,
      startedAt: time,
      endedAt: time,
      task: null,
    });
  }
}

type TaskResult = Creation<{ readonly id: string }> | { readonly kind: 'bad-entry'; readonly msg: string };

function carryOut(visit: Visit, task: Task): TaskResult {
  switch (task.kind) {
    case 'create-category':
      return createCategory(visit, { ...task, isVisible: true, position: 0, isReviewDisabled: false });
    case 'create-order-item':
      return createOrderItem(visit, task, () => orderIdFor(visit, task.orderOriginId));
    case 'create-order':
      return createOrder(visit, task.order, task.items);
    case 'fail':
      return { kind: 'bad-entry', msg: task.reason };
  }
}
