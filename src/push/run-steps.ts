import { mapConcurrently } from '../base/lists.ts';
import type { Outcome } from './outcome.ts';

/**
 * So many times the steps under way may wait for the outcomes of a slow one before them: a request that is tried again for
 * seconds must not stop the others.
 */
const windowWidths = 4;

/** Takes the outcomes of a step as they become certain. */
export type Report = (outcome: Outcome) => void;

export interface StepOptions {
  /** How many steps may be under way at once; asked before each step where it changes. */
  readonly concurrency: number | (() => number);
  /** Aborted to take no new step; what is under way is finished. */
  readonly stopping: AbortSignal;
  /** Tells what would come of each record, and writes nothing. */
  readonly isDryRun?: boolean;
}

/**
 * Carries out `steps` and yields their outcomes in input order. When a step or the source of steps throws, no new one is
 * taken, those under way are finished and their outcomes yielded, and only then is the error thrown: nothing that
 * happened goes unreported.
 */
export async function* runSteps<T>(
  steps: AsyncIterable<T>,
  { concurrency, stopping }: StepOptions,
  work: (step: T, report: Report) => Promise<void>,
): AsyncGenerator<readonly Outcome[]> {
  let stop: { readonly error: unknown } | undefined;
  const mayGoOn = () => stop === undefined && !stopping.aborted;
  async function* untilStopped(): AsyncGenerator<T> {
    if (!mayGoOn()) return;
    try {
      for await (const step of steps) {
        // Asked on both sides: the stop may come while the source is read, or while the step before is carried out.
        if (!mayGoOn()) return;
        yield step;
        if (!mayGoOn()) return;
      }
    } catch (error) {
      stop ??= { error };
    }
  }
  const results = mapConcurrently(untilStopped(), { width: concurrency, windowWidths }, async (step) => {
    const outcomes: Outcome[] = [];
    try {
      await work(step, (outcome) => outcomes.push(outcome));
    } catch (error) {
      stop ??= { error };
    }
    return outcomes;
  });
  for await (const outcomes of results) {
    if (outcomes.length > 0) yield outcomes;
  }
  if (stop !== undefined) throw stop.error;
}
