import { readFilters } from './array-filters.ts';
import { type Assumptions, assumptionsSchema } from './assumptions.ts';
import type { OperationName } from './operations.ts';
import { hasUnfamiliarStatus, type JobSigns } from './states.ts';

/** An assumption that can be switched, or one that every command rests on. */
export type AssumptionName = keyof Assumptions | 'recordIds';

/** What a reply of the service says of an assumption. */
export interface Evidence {
  readonly assumption: AssumptionName;
  readonly verdict: 'confirmed' | 'refuted';
  /** What was seen, and what follows from it; the same text for the same finding. */
  readonly finding: string;
  /** How to tell the client otherwise. */
  readonly remedy?: string;
}

/** A reply that was read, with the operation it answers and what that asked for. */
export interface Observed {
  readonly operation: OperationName;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly value: unknown;
  /** Records of a page that were left out because they cannot be read. */
  readonly unreadable?: number;
}

/** Holds a reply against the assumptions it can confirm or refute. */
export function evidenceIn(
  { operation, query, value, unreadable = 0 }: Observed,
  assumptions: Assumptions,
): readonly Evidence[] {
  return [
    ...(unreadable > 0 ? [recordsWithoutId(operation)] : []),
    ...(query === undefined ? [] : filtersOf(operation, query, value, assumptions)),
    ...(jobOperations.has(operation) ? statusesOf(value, assumptions) : []),
  ];
}

function filtersOf(
  operation: OperationName,
  query: NonNullable<Observed['query']>,
  value: unknown,
  assumptions: Assumptions,
): readonly Evidence[] {
  const { data } = value as { readonly data?: readonly unknown[] };
  return readFilters(operation, query, data ?? []).flatMap(({ parameter, shown, unasked }) => {
    if (unasked !== undefined) return misreadArrays(notAskedFor(operation, parameter), assumptions);
    // One value is written alike in two styles.
    return shown > 1 ? { assumption: 'arrayQuery', verdict: 'confirmed', finding: bothShown } : [];
  });
}

const bothShown = 'a list that was narrowed to several values shows records of more than one of them';

function notAskedFor(operation: OperationName, parameter: string): string {
  return `${operation}: the service sends records that the parameter ${parameter} did not ask for`;
}

/** What shows that the service does not read array parameters as they are written. */
export function misreadArrays(finding: string, { arrayQuery }: Pick<Assumptions, 'arrayQuery'>): Evidence {
  return {
    assumption: 'arrayQuery',
    verdict: 'refuted',
    finding,
    remedy: `it may read array parameters otherwise: try ${otherStyles(arrayQuery)}; to find out by asking: reviewctl doctor --assumptions`,
  };
}

/** The flags for the styles of array parameters that are not in use. */
function otherStyles(style: Assumptions['arrayQuery']): string {
  return arrayStyles
    .filter((other) => other !== style)
    .map((other) => `--assume arrayQuery=${other}`)
    .join(' or ');
}

/** The ways to write array parameters, as far as they are known. */
export const arrayStyles = assumptionsSchema.shape.arrayQuery.unwrap().options;

function recordsWithoutId(operation: OperationName): Evidence {
  return {
    assumption: 'recordIds',
    verdict: 'refuted',
    finding: `${operation}: the service sends records without an id; they are left out`,
    remedy: 'nothing can be asked of them or written to them; report it to the operator of the service',
  };
}

function statusesOf(value: unknown, assumptions: Assumptions): readonly Evidence[] {
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
