import type { JournalEntry } from '../../store/journal/push-journal.ts';
import type { SendableRecord } from '../compile/sendable-record.ts';
import type { Breaker } from '../steps/breaker.ts';
import { outcomeOf, type PlanEntry, type PushOutcome } from '../steps/outcome.ts';
import { runSteps, type StepOptions, type Work } from '../steps/run-steps.ts';

/** The operations that accept an array and answer one job per entry, in request order (API 4.8, 4.14). */
export type BulkName = 'bulkCreateCategories' | 'bulkCreateOrderItems' | 'createOrders';

/** One entry of a bulk request: a record, or an order with its items. */
export type BulkEntry = SendableRecord | OrderEntry;

/** All items of a whole order, and the order, which is created and journaled with them. */
interface OrderEntry {
  /** The key of the entry, returned as `entryOriginId` of its job. */
  readonly originId: string;
  /** The entry as JSON. */
  readonly text: string;
  readonly records: readonly SendableRecord[];
  readonly owner: JournalEntry;
}

/** Records that are sent as one request. */
export interface BulkRequest {
  readonly operation: BulkName;
  readonly entries: readonly BulkEntry[];
}

/** Records that need no request. */
export interface Settled {
  readonly outcomes: readonly PushOutcome[];
}

/** A request of a plan: one record, or many. */
export type PlanRequest = PlanEntry | BulkRequest | Settled;

/**
 * The two halves of a push: deciding on a plan, and sending it. A dry run is a plan that is not sent. `R` is an input
 * record, `Q` a request that sends something.
 */
export interface PushFlow<R, Q extends PlanRequest> {
  /** Compares records with the service and the journal, in input order. Sends and writes nothing. */
  decide(batches: AsyncIterable<readonly R[]>): AsyncIterable<readonly (Q | Settled)[]>;
  /** The originId in the outcome of a record. */
  originIdOf(record: R): string;
  /**
   * The group of a record in a plan. Records of one group are decided on together. Without it, each record is its own
   * group.
   */
  readonly groupOf?: ((record: R) => string) | undefined;
  /**
   * Sends the decided requests. Outcomes come in the order of the requests.
   * @throws what `requests` throws, and ServiceFailure if no single record is the cause, after the outcomes of all
   *   requests under way.
   */
  send(requests: AsyncIterable<readonly (Q | Settled)[]>): AsyncIterable<readonly PushOutcome[]>;
}

/** The input records in entries of a bulk request. Most entries are records. */
export function recordsOf(entries: readonly BulkEntry[]): readonly SendableRecord[] {
  const isRecord = (entry: BulkEntry): entry is SendableRecord => !('records' in entry);
  if (entries.every(isRecord)) return entries;
  return entries.flatMap((entry) => ('records' in entry ? entry.records : entry));
}

/** The plan entries of a request, one for each record. */
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

/** The request without unwanted records; undefined if none remain. Records of one entry are passed together. */
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
 * Carries out requests with `work`, and reports settled records.
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
