import type { PushOutcome } from '../steps/outcome.ts';
import { confirmPlan } from './confirm-plan.ts';
import { notePlan, type PlanNote } from './note-plan.ts';
import type { Placed, PlanLine } from './plan-line.ts';
import { type PlanRequest, type PushFlow, partOf, planEntriesOf, type Settled } from './request.ts';

/** Records of an input, or of a plan made from one. */
export type FlowSource<R> =
  | { readonly kind: 'input'; readonly batches: AsyncIterable<readonly R[]> }
  | { readonly kind: 'plan'; readonly lines: () => AsyncIterable<readonly PlanLine<R>[]> };

/** Reviews a whole plan before any of it is sent. */
export interface PlanReview<R> {
  /** Called with each record and its decision. */
  readonly add: PlanNote<R>;
  /** Called after the last record. @throws if nothing may be sent. */
  judge(): Promise<void>;
  /** The reviewed lines, in order. */
  lines(): AsyncIterable<readonly PlanLine<R>[]>;
}

export interface FlowOptions<R> {
  readonly source: FlowSource<R>;
  /** Yields the outcome that each record would have, and sends nothing. */
  readonly isDryRun: boolean;
  /** The maximum number of records to write. */
  readonly limit?: number | undefined;
  /** Called for each record of an input once it is decided on. */
  readonly note?: PlanNote<R> | undefined;
  readonly review?: PlanReview<R> | undefined;
  /** Aborted to accept no new record. */
  readonly stopping: AbortSignal;
}

/** Decides on every record, and sends the decided requests unless it is a dry run. */
export function runFlow<R extends Placed, Q extends PlanRequest>(
  flow: PushFlow<R, Q>,
  options: FlowOptions<R>,
): AsyncIterable<readonly PushOutcome[]> {
  const { isDryRun, limit, review } = options;
  const decided = review === undefined || isDryRun ? decide(flow, options) : reviewed(flow, options, review);
  const requests = limit === undefined ? decided : limitRequests(decided, limit);
  return isDryRun ? dryRun(requests, options) : flow.send(requests);
}

function decide<R extends Placed, Q extends PlanRequest>(
  flow: PushFlow<R, Q>,
  { source, note, review }: FlowOptions<R>,
): AsyncIterable<readonly (Q | Settled)[]> {
  if (source.kind === 'plan') return confirmPlan(flow, source.lines());
  if (note === undefined && review === undefined) return flow.decide(source.batches);
  return notePlan(flow, source.batches, (line) => {
    note?.(line);
    review?.add(line);
  });
}

/**
 * Decides on everything and has it reviewed before the first request. Then decides again and confirms each decision.
 */
async function* reviewed<R extends Placed, Q extends PlanRequest>(
  flow: PushFlow<R, Q>,
  options: FlowOptions<R>,
  review: PlanReview<R>,
): AsyncGenerator<readonly (Q | Settled)[]> {
  const { source, stopping } = options;
  // Changes already made by a run of this plan no longer count.
  const records = source.kind === 'plan' ? recordsOfPlan(source.lines()) : source.batches;
  for await (const _ of notePlan(flow, records, review.add)) if (stopping.aborted) return;
  await review.judge();
  yield* confirmPlan(flow, source.kind === 'plan' ? source.lines() : review.lines());
}

async function* recordsOfPlan<R>(
  batches: AsyncIterable<readonly PlanLine<R>[]>,
): AsyncGenerator<readonly R[]> {
  for await (const lines of batches) yield lines.map(({ record }) => record);
}

/** Yields the outcomes that a push would have, until it is stopped. @throws as `PlanReview.judge`, at the end. */
async function* dryRun<R>(
  batches: AsyncIterable<readonly PlanRequest[]>,
  { stopping, review }: FlowOptions<R>,
): AsyncGenerator<readonly PushOutcome[]> {
  for await (const requests of batches) {
    if (stopping.aborted) return;
    yield requests.flatMap((request) => planEntriesOf(request).map(({ outcome }) => outcome));
  }
  await review?.judge();
}

/**
 * The requests up to the first write beyond the limit. Records of one request entry stay together, so there may be
 * slightly more than `most`.
 */
async function* limitRequests<Q extends PlanRequest>(
  requests: AsyncIterable<readonly Q[]>,
  most: number,
): AsyncGenerator<readonly Q[]> {
  let left = most;
  for await (const batch of requests) {
    for (const request of batch) {
      const isWriting = planEntriesOf(request).some(({ write }) => write !== undefined);
      if (!isWriting) {
        yield [request];
        continue;
      }
      let isCut = false;
      const part = partOf(request, (records) => {
        isCut ||= left <= 0;
        if (!isCut) left -= records.length;
        return !isCut;
      });
      if (part !== undefined) yield [part];
      if (isCut) return;
    }
  }
}
