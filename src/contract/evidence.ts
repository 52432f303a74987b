import type { Assumptions } from './assumptions.ts';
import type { OperationName } from './operations.ts';
import { hasUnfamiliarStatus, type JobSigns } from './states.ts';

/** What a reply of the service says of an assumption. */
export interface Evidence {
  readonly assumption: keyof Assumptions;
  readonly verdict: 'confirmed' | 'refuted';
  /** What was seen, and what follows from it; the same text for the same finding. */
  readonly finding: string;
  /** How to tell the client otherwise. */
  readonly remedy?: string;
}

/** A reply that was read, with the operation it answers. */
export interface Observed {
  readonly operation: OperationName;
  readonly value: unknown;
}

/** Holds a reply against the assumptions it can confirm or refute. */
export function evidenceIn({ operation, value }: Observed, assumptions: Assumptions): readonly Evidence[] {
  if (!jobOperations.has(operation)) return [];
  const jobs = (Array.isArray(value) ? value : [value]) as readonly JobSigns[];
  const unfamiliar = jobs.filter((job) => hasUnfamiliarStatus(job, assumptions));
  return [...new Set(unfamiliar.map(({ status }) => String(status)))].map((status) =>
    unfamiliarStatus(status, assumptions),
  );
}

const jobOperations: ReadonlySet<OperationName> = new Set([
  'bulkCreateCategories',
  'bulkCreateOrderItems',
  'createOrders',
  'getJob',
]);

function unfamiliarStatus(
  status: string,
  { pendingJobStatuses, succeededJobStatuses, failedJobStatuses }: Assumptions,
): Evidence {
  const taught = (name: string, words: readonly string[]) =>
    `--assume ${name}=${[...words, status].join(',')}`;
  return {
    assumption: 'pendingJobStatuses',
    verdict: 'refuted',
    finding: `the service gives jobs the unfamiliar status ${status}; they count as queued until they end, and as unknown after`,
    remedy: `if it means not ended: ${taught('pendingJobStatuses', pendingJobStatuses)}; made: ${taught('succeededJobStatuses', succeededJobStatuses)}; not made: ${taught('failedJobStatuses', failedJobStatuses)}`,
  };
}
