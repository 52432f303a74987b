import type { JournalEntry } from '../../store/journal/push-journal.ts';
import type { SendableRecord } from '../compile/sendable-record.ts';
import type { Breaker } from '../steps/breaker.ts';
import { outcomeOf, type PlanEntry, type PushOutcome } from '../steps/outcome.ts';
import { runSteps, type StepOptions, type Work } from '../steps/run-steps.ts';

/** The operations that take an array and answer one job an entry, in request order (API 4.8, 4.14). */
export type BulkName = 'bulkCreateCategories' | 'bulkCreateOrderItems' | 'createOrders';

/** One entry of a bulk request: a record, or an order with its items. */
export type BulkEntry = SendableRecord | OrderEntry;

/** All items of a whole order, and their order, which is created with them and journaled beside them. */
interface OrderEntry {
  /** The key of the entry, which its job names as `entryOriginId`. */
  readonly originId: string;
  /** The entry as JSON. */
  readonly text: string;
  readonly records: readonly SendableRecord[];
  readonly owner: JournalEntry;
}

/** Records that go out as one request. */
export interface BulkRequest {
  readonly operation: BulkName;
  readonly entries: readonly BulkEntry[];
}

/** Records of which nothing is sent. */
export interface Settled {
  readonly outcomes: readonly PushOutcome[];
}

/** A request of a plan: one record, or many. */
export type PlanRequest = PlanEntry | BulkRequest | Settled;

/**
 * A push in its two halves: a plan is decided on, and sent. A dry run is a plan that is not sent. `R` is a record of
 * the input, `Q` a request that sends something or is settled.
 */
export interface PushFlow<R, Q extends PlanRequest> {
  /** Compares records with the service and the journal, in input order; sends and writes nothing. */
  decide(batches: AsyncIterable<readonly R[]>): AsyncIterable<readonly (Q | Settled)[]>;
  /** The originId in the outcome of a record. */
  originIdOf(record: R): string;
  /**
   * The group of a record in a plan: records of one group are decided on together; each alone if it is left out.
   */
  readonly groupOf?: ((record: R) => string) | undefined;
  /**
   * Carries out what was decided; outcomes come in the order of the requests.
   * @throws what `requests` throws, and ServiceFailure for what no single record is to blame for, after the outcomes of
   *   all that was under way.
   */
  send(requests: AsyncIterable<readonly (Q | Settled)[]>): AsyncIterable<readonly PushOutcome[]>;
}

/** The input records in entries of a bulk request; most entries are records. */
export function recordsOf(entries: readonly BulkEntry[]): readonly SendableRecord[] {
  const isRecord = (entry: BulkEntry): entry is SendableRecord => !('records' in entry);
  if (entries.every(isRecord)) return entries;
  return entries.flatMap((entry) => ('records' in entry ? entry.records : entry));
}

/** What is to be done with each record of a request. */
export function planEntriesOf(request: PlanRequest): readonly PlanEntry[] {
  if ('outcome' in request) return [request];
  if ('outcomes' in request) return request.outcomes.map((outcome) => ({ outcome }));
  return request.entries.flatMap((entry) => planEntriesOfBulk(entry, request));
}

function planEntriesOfBulk(entry: BulkEntry, { operation }: BulkRequest): readonly PlanEntry[] {
  return recordsOf([entry]).map((record) => ({
    outcome: outcomeOf(record, 'queued'),
    write: { create: operation },
  }));
}

/**
 * The request without the records that are not wanted; undefined if none is left. Records that are sent as one are
 * passed together.
 */
export function partOf<Q extends PlanRequest>(
  request: Q,
  isWanted: (records: readonly PlanEntry[]) => boolean,
): Q | undefined {
  if ('outcome' in request) return isWanted([request]) ? request : undefined;
  if ('outcomes' in request) {
    const outcomes = request.outcomes.filter((outcome) => isWanted([{ outcome }]));
    return outcomes.length === 0 ? undefined : { ...request, outcomes };
  }
  const entries = request.entries.filter((entry) => isWanted(planEntriesOfBulk(entry, request)));
  return entries.length === 0 ? undefined : { ...request, entries };
}

/**
 * Carries out requests with `work`, and reports what is settled.
 * @throws as `Breaker.finish`, after the last outcome.
 */
export async function* carryOut<Q extends PlanRequest>(
  requests: AsyncIterable<readonly (Q | Settled)[]>,
  options: StepOptions & { readonly breaker: Breaker },
  work: Work<Q>,
): AsyncGenerator<readonly PushOutcome[]> {
  yield* runSteps(requests, options, async (request, report, place) => {
    if ('outcomes' in request) for (const outcome of request.outcomes) report(outcome);
    else await work(request, report, place);
  });
  options.breaker.finish();
}
