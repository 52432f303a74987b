import type { HintText } from '../base/hint.ts';
import { kebabCase } from '../base/name-case.ts';
import { readFilters } from './array-filters.ts';
import { type Assumptions, assumptionTable } from './assumptions.ts';
import type { OperationName } from './operations.ts';
import { hasUnfamiliarStatus, type JobSigns, type JobStatusWords, statusMeaning } from './states.ts';

/** Evidence in a reply against an assumption, and what to do about it. Equal findings have equal texts. */
export interface Refutation {
  readonly finding: string;
  readonly remedy: HintText;
}

/** The parts of a request and its reply to check. */
export interface Exchange {
  readonly operation: OperationName;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** The requested body. */
  readonly body?: unknown;
  readonly status: number;
  /** The body of a successful reply, as decoded by the contract. */
  readonly value?: unknown;
  /** Number of unreadable records omitted from a page. */
  readonly unreadable?: number | undefined;
}

/** Finds evidence in a reply against the assumptions. */
export function refutationsIn(exchange: Exchange, assumptions: Assumptions): readonly Refutation[] {
  return [
    ...unrequestedRecords(exchange, assumptions),
    ...recordsWithoutId(exchange),
    ...jobKinds(exchange).flatMap((job) => contradictoryJob(job, assumptions)),
    ...bulkTooLarge(exchange),
  ];
}

/** Assumption `arrayQuery`: the records of a list match the array parameters that filtered it. */
function unrequestedRecords(
  { operation, query, value }: Exchange,
  assumptions: Assumptions,
): readonly Refutation[] {
  if (query === undefined || value === undefined) return [];
  const { data } = value as { readonly data?: readonly unknown[] };
  return readFilters(operation, query, data ?? [])
    .filter(({ unrequested }) => unrequested !== undefined)
    .map(({ parameter }) =>
      misreadArrays(
        `${operation}: the service sends records that do not match the parameter ${parameter}`,
        assumptions,
      ),
    );
}

/** The refutation if the service does not read array parameters in the style in which they are written. */
export function misreadArrays(finding: string, { arrayQuery }: Pick<Assumptions, 'arrayQuery'>): Refutation {
  const styles = assumptionTable.arrayQuery.words;
  const others = styles.filter((style) => style !== arrayQuery);
  const flags = others.map((style) => `-c array-query=${style}`).join(' or ');
  return { finding, remedy: `it may read array parameters in another style: try ${flags}` };
}

function recordsWithoutId({ operation, unreadable = 0 }: Exchange): readonly Refutation[] {
  if (unreadable === 0) return [];
  return [
    {
      finding: `${operation}: the service sends records without an id; they are omitted`,
      remedy: 'they can be neither requested nor updated; report them to the operator of the service',
    },
  ];
}

const bulkOperations: ReadonlySet<OperationName> = new Set([
  'bulkCreateCategories',
  'bulkCreateOrderItems',
  'createOrders',
]);

/** Drops jobs like the one before: most of a hundred jobs differ only in their ids. */
function jobKinds({ operation, value }: Exchange): readonly JobSigns[] {
  if ((operation !== 'getJob' && !bulkOperations.has(operation)) || value === undefined) return [];
  const jobs = (Array.isArray(value) ? value : [value]) as readonly JobSigns[];
  return jobs.filter((job, index) => !isOfOneKind(job, jobs[index - 1]));
}

function isOfOneKind(one: JobSigns, other: JobSigns | undefined): boolean {
  return (
    other !== undefined &&
    one.status === other.status &&
    Boolean(one.successObjectId) === Boolean(other.successObjectId) &&
    Boolean(one.failureReason) === Boolean(other.failureReason)
  );
}

/** Assumptions of job statuses: each status is known, and the other fields of the job agree with it. */
function contradictoryJob(job: JobSigns, words: JobStatusWords): readonly Refutation[] {
  const status = String(job.status);
  if (hasUnfamiliarStatus(job, words)) return [unfamiliarStatus(status, words)];
  const meaning = statusMeaning(job, words);
  if (meaning !== 'succeeded' && meaning !== 'failed') return [];
  // The object overrides everything else that a job shows (`jobState`).
  if (job.successObjectId && job.failureReason) {
    return [
      {
        finding:
          `a job with the status ${status} carries a failureReason beside its successObjectId, ` +
          'which decides its outcome',
        remedy: 'report it to the operator of the service, whose documents show one or the other',
      },
    ];
  }
  const isSuccess = meaning === 'succeeded';
  const contradicting = isSuccess ? 'failureReason' : 'successObjectId';
  if (!job[contradicting]) return [];
  const name = isSuccess ? 'succeededJobStatuses' : 'failedJobStatuses';
  const rest = words[name].filter((word) => word.toUpperCase() !== status.toUpperCase());
  return [
    {
      finding: `a job with the status ${status} carries a ${contradicting}, which decides its outcome`,
      remedy: `to change the meaning of the status: -c ${kebabCase(name)}=${rest.join(',')}`,
    },
  ];
}

function unfamiliarStatus(status: string, words: JobStatusWords): Refutation {
  const flag = (name: keyof JobStatusWords) => `-c ${kebabCase(name)}=${[...words[name], status].join(',')}`;
  return {
    finding:
      `the service reports jobs with the unfamiliar status ${status}; ` +
      'they are treated as queued until they end, and as unknown afterwards',
    remedy:
      `if it means not ended: ${flag('pendingJobStatuses')}; created: ${flag('succeededJobStatuses')}; ` +
      `not created: ${flag('failedJobStatuses')}`,
  };
}

/** Assumption `categoryBulkMaximum`. */
function bulkTooLarge({ operation, status, body }: Exchange): readonly Refutation[] {
  if (operation !== 'bulkCreateCategories' || status !== 413) return [];
  const count = Array.isArray(body) ? body.length : 1;
  if (count < 2) return [];
  return [
    {
      finding: `the service refuses ${count} categories in one request`,
      remedy: `send fewer at once: -c category-bulk-maximum=${Math.ceil(count / 2)}`,
    },
  ];
}
