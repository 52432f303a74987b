import type { Assumptions } from './assumptions.ts';
import { type AssumptionFinding, confirmed, type Examine, refuted } from './evidence.ts';
import { askedEntries, type Exchange } from './exchange.ts';
import type { OperationName } from './operations.ts';
import { hasUnfamiliarStatus, isJobStatus, type JobSigns, type JobStatusWords } from './states.ts';

const bulkOperations: ReadonlySet<OperationName> = new Set([
  'bulkCreateCategories',
  'bulkCreateOrderItems',
  'createOrders',
]);

type ShownJob = JobSigns & { readonly entryOriginId?: string | null };

function jobsIn({ operation, value }: Exchange): readonly ShownJob[] {
  const hasJobs = operation === 'getJob' || bulkOperations.has(operation);
  if (!hasJobs || value === undefined) return [];
  return (Array.isArray(value) ? value : [value]) as readonly ShownJob[];
}

/** One job of each kind in a reply: most of a hundred jobs differ only in their ids. */
function kindsOfJobs(exchange: Exchange): readonly ShownJob[] {
  const jobs = jobsIn(exchange);
  return jobs.filter((job, index) => !isOfOneKind(job, jobs[index - 1]));
}

function isOfOneKind(one: ShownJob, other: ShownJob | undefined): boolean {
  return (
    other !== undefined &&
    one.status === other.status &&
    Boolean(one.successObjectId) === Boolean(other.successObjectId) &&
    Boolean(one.failureReason) === Boolean(other.failureReason) &&
    Boolean(one.endedAt) === Boolean(other.endedAt)
  );
}

/** Assumption `pendingJobStatuses`: each status has to be named by some assumption. */
export const examinePendingStatuses: Examine = (exchange, assumptions) =>
  kindsOfJobs(exchange).flatMap((job) => {
    if (hasUnfamiliarStatus(job, assumptions)) return unfamiliarStatus(String(job.status), assumptions);
    const isPending = isJobStatus(assumptions.pendingJobStatuses, job) && !job.endedAt;
    return isPending ? confirmed('jobs that have not ended carry one of these statuses') : [];
  });

function unfamiliarStatus(status: string, words: JobStatusWords): AssumptionFinding {
  const flag = (name: keyof JobStatusWords) => `--assume ${name}=${[...words[name], status].join(',')}`;
  return refuted(
    `the service gives jobs the unfamiliar status ${status}; ` +
      `they are treated as queued until they end, and as unknown after`,
    `if it means not ended: ${flag('pendingJobStatuses')}; made: ${flag('succeededJobStatuses')}; ` +
      `not made: ${flag('failedJobStatuses')}`,
  );
}

/**
 * Assumptions `succeededJobStatuses` and `failedJobStatuses`: the other fields of a job with such a status
 * have to agree with it.
 */
export function examineEnds(name: 'succeededJobStatuses' | 'failedJobStatuses'): Examine {
  const [agreeing, contradicting] =
    name === 'succeededJobStatuses'
      ? (['successObjectId', 'failureReason'] as const)
      : (['failureReason', 'successObjectId'] as const);
  return (exchange, assumptions) =>
    kindsOfJobs(exchange)
      .filter((job) => isJobStatus(assumptions[name], job))
      .flatMap((job) => {
        if (job.successObjectId && job.failureReason) return made(String(job.status));
        if (job[contradicting])
          return contradictedStatus(name, String(job.status), contradicting, assumptions);
        return job[agreeing] ? confirmed(`jobs with one of these statuses carry a ${agreeing}`) : [];
      });
}

/** The object precedes everything else that a job shows (`jobState`). */
function made(status: string): AssumptionFinding {
  return refuted(
    `a job with the status ${status} carries a failureReason beside its successObjectId, which decides its outcome`,
    'report it to the operator of the service, whose documents show one or the other',
  );
}

function contradictedStatus(
  name: keyof JobStatusWords,
  status: string,
  shown: string,
  words: JobStatusWords,
): AssumptionFinding {
  const rest = words[name].filter((word) => word.toUpperCase() !== status.toUpperCase());
  return refuted(
    `a job with the status ${status} carries a ${shown}, which decides its outcome`,
    `to change the meaning of the status: --assume ${name}=${rest.join(',')}`,
  );
}

/** Assumption `jobOrder`; where it does not hold, jobs are matched by the entry they name. */
export const examineJobOrder: Examine = (exchange) => {
  if (!bulkOperations.has(exchange.operation) || exchange.value === undefined) return [];
  const [jobs, asked] = [jobsIn(exchange), askedEntries(exchange)];
  if (jobs.length < 2 || jobs.some(({ entryOriginId }) => !entryOriginId)) return [];
  const isInOrder =
    jobs.length === asked.length &&
    jobs.every(({ entryOriginId }, index) => entryOriginId === asked[index]?.['originId']);
  return [isInOrder ? inOrder : outOfOrder];
};

const inOrder = confirmed('the jobs of a bulk creation name its entries in their order');
const outOfOrder = refuted(
  'the jobs of a bulk creation name its entries in another order; each is matched by its name',
);

/** Assumption `categoryBulkMaximum`. */
export const examineBulkMaximum: Examine = (exchange, { categoryBulkMaximum }: Assumptions) => {
  const { operation, status, value } = exchange;
  if (operation !== 'bulkCreateCategories') return [];
  const count = askedEntries(exchange).length;
  if (status === 413 && count > 1) {
    const smaller = Math.ceil(count / 2);
    return [
      refuted(
        `the service refuses ${count} categories in one request`,
        `send fewer at once: --assume categoryBulkMaximum=${smaller}`,
      ),
    ];
  }
  return value !== undefined && count === categoryBulkMaximum
    ? [confirmed('that many categories were accepted in one request')]
    : [];
};
