import { confirmPlan } from './confirm-plan.ts';
import { limitSteps } from './limit-steps.ts';
import { notePlan, type PlanNote } from './note-plan.ts';
import type { Outcome } from './outcome.ts';
import type { Placed, PlanLine } from './plan-line.ts';
import type { PushFlow } from './planned.ts';

/** Records of an input, or of a plan that was made of one. */
export type FlowSource<R> =
  | { readonly kind: 'input'; readonly batches: AsyncIterable<readonly R[]> }
  | { readonly kind: 'plan'; readonly lines: AsyncIterable<readonly PlanLine<R>[]> };

export interface FlowOptions<R> {
  readonly source: FlowSource<R>;
  /** Tells what would come of each record, and sends nothing. */
  readonly isDryRun: boolean;
  /** How many records are written at most. */
  readonly limit?: number | undefined;
  /** Told of each record of an input once it is decided on. */
  readonly note?: PlanNote<R> | undefined;
  /** Aborted to take no new record. */
  readonly stopping: AbortSignal;
}

/** Decides on every record, and sends what was decided unless it is a dry run. */
export function runFlow<R extends Placed, Step>(
  flow: PushFlow<R, Step>,
  { source, isDryRun, limit, note, stopping }: FlowOptions<R>,
): AsyncIterable<readonly Outcome[]> {
  const decided = decide(flow, source, note);
  const steps = limit === undefined ? decided : limitSteps(flow, decided, limit);
  return isDryRun ? foretell(flow, steps, stopping) : flow.send(steps);
}

function decide<R extends Placed, Step>(
  flow: PushFlow<R, Step>,
  source: FlowSource<R>,
  note: PlanNote<R> | undefined,
): AsyncIterable<readonly Step[]> {
  if (source.kind === 'plan') return confirmPlan(flow, source.lines);
  return note === undefined ? flow.decide(source.batches) : notePlan(flow, source.batches, note);
}

/** The outcomes as they would be, up to where it is stopped. */
async function* foretell<R, Step>(
  flow: PushFlow<R, Step>,
  batches: AsyncIterable<readonly Step[]>,
  stopping: AbortSignal,
): AsyncGenerator<readonly Outcome[]> {
  for await (const steps of batches) {
    if (stopping.aborted) return;
    yield steps.flatMap((step) => flow.plannedOf(step).map(({ outcome }) => outcome));
  }
}
