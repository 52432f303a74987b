import type { PushOutcome } from './outcome.ts';

/** An entry of a plan: what is to be done with one record of the input. */
export interface PlanEntry {
  /** The outcome of the record; of a write, provided that the service accepts it. */
  readonly outcome: PushOutcome;
  /** The write, as plain data that distinguishes it from any other; undefined if nothing is to be written. */
  readonly write?: object;
}

/**
 * A push in its two halves: a plan is decided on, and sent. A dry run is a plan that is not sent. `R` is a record of
 * the input; a `Request` carries the entries of the plan that go out as one, or entries that need no request.
 */
export interface PushFlow<R, Request> {
  /** Compares records with the service and the journal, in input order; sends and writes nothing. */
  decide(batches: AsyncIterable<readonly R[]>): AsyncIterable<readonly Request[]>;
  /** The originId in the outcome of a record. */
  originIdOf(record: R): string;
  /** The entries of a request, one for each record. */
  entriesOf(request: Request): readonly PlanEntry[];
  /**
   * The request without the records that are not wanted; undefined if none is left. Records that are sent as one are
   * passed together.
   */
  part(request: Request, isWanted: (records: readonly PlanEntry[]) => boolean): Request | undefined;
  /**
   * The group of a record in a plan: records of one group are decided on together; each alone where it is left out.
   */
  readonly groupOf?: ((record: R) => string) | undefined;
  /** A request that sends nothing and reports this outcome. */
  settled(outcome: PushOutcome): Request;
  /**
   * Carries out what was decided; outcomes come in the order of the requests.
   * @throws what `requests` throws, and ServiceFailure for what no single record is to blame for, after the outcomes of
   *   all that was under way.
   */
  send(requests: AsyncIterable<readonly Request[]>): AsyncIterable<readonly PushOutcome[]>;
}

/** The part of a flow whose requests are of one record each. */
export const singleRequests = {
  entriesOf: <P extends PlanEntry>(request: P): readonly P[] => [request],
  part: <P extends PlanEntry>(request: P, isWanted: (records: readonly P[]) => boolean): P | undefined =>
    isWanted([request]) ? request : undefined,
};
