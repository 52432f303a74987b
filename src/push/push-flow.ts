import type { Entry } from '../input/place.ts';
import type { Outcome } from './outcome.ts';

/** A record of the input with what is to be done with it. */
export interface Planned<T, W> {
  readonly entry: Entry<T>;
  /** What becomes of it; where something is written, provided that the service takes it. */
  readonly outcome: Outcome;
  /** What is sent, as plain data; none where nothing is to be done. */
  readonly write?: W;
}

/** A push in its two halves: what is decided can be shown instead of sent. */
export interface PushFlow<T, S extends Planned<T, unknown>> {
  /** Compares records with the service and the journal, in input order, and writes to neither. */
  decide(batches: AsyncIterable<readonly Entry<T>[]>): AsyncIterable<readonly S[]>;
  /**
   * Carries out what was decided; the outcomes come in input order.
   * @throws what `steps` throws, and ServiceFailure for what no single record is to blame for, after the outcomes of all that was
   *   under way.
   */
  send(steps: AsyncIterable<readonly S[]>): AsyncIterable<readonly Outcome[]>;
}

/** What a dry run tells: the outcomes as they would be, up to where it is stopped. */
async function* foretell<T>(
  steps: AsyncIterable<readonly Planned<T, unknown>[]>,
  stopping: AbortSignal,
): AsyncGenerator<readonly Outcome[]> {
  for await (const batch of steps) {
    if (stopping.aborted) return;
    yield batch.map(({ outcome }) => outcome);
  }
}

/** Decides on every record of `batches`, and carries it out unless it is a dry run. */
export function runFlow<T, S extends Planned<T, unknown>>(
  flow: PushFlow<T, S>,
  batches: AsyncIterable<readonly Entry<T>[]>,
  { isDryRun, stopping }: { readonly isDryRun: boolean; readonly stopping: AbortSignal },
): AsyncIterable<readonly Outcome[]> {
  const steps = flow.decide(batches);
  return isDryRun ? foretell(steps, stopping) : flow.send(steps);
}
