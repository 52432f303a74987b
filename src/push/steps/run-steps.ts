import { mapBatches } from '../../base/lists.ts';
import type { PushOutcome } from './outcome.ts';

/**
 * How many times the steps under way may wait for the outcomes of a slow one before them: a request that is retried
 * for seconds must not stop the others.
 */
const windowWidths = 4;

/** Takes the outcomes of a step as they become certain. */
export type Report<O = PushOutcome> = (outcome: O) => void;

/** The place of a step among those under way. */
export interface StepPlace {
  /**
   * Called once the last request of the step is answered: the next step may begin while what came of this one is put on
   * record, so that the service never waits for this machine.
   */
  readonly answered: () => void;
  /** Called for a step that waits for long: many may go on before it, though their outcomes come after its own. */
  readonly setAside: () => void;
}

/** Carries out a step. */
export type Work<T, O = PushOutcome> = (step: T, report: Report<O>, place: StepPlace) => Promise<void>;

export interface StepOptions {
  /** How many steps may wait for an answer at once; asked before each step where it changes. */
  readonly concurrency: number | (() => number);
  /** Aborted to take no new step; what is under way is finished. */
  readonly stopping: AbortSignal;
}

/**
 * Carries out steps and yields their outcomes in input order, those that are there at the same time together. When a
 * step or the source of steps throws, no new one is taken, those under way are finished and their outcomes yielded, and
 * only then is the error thrown: nothing that happened goes unreported.
 */
export async function* runSteps<T, O = PushOutcome>(
  batches: AsyncIterable<readonly T[]>,
  { concurrency, stopping }: StepOptions,
  work: Work<T, O>,
): AsyncGenerator<readonly O[]> {
  let stop: { readonly error: unknown } | undefined;
  const isStopped = () => stop !== undefined || stopping.aborted;
  // Asked for each step: the stop may come while the source is read, or while the step before is carried out.
  function* untilStopped(steps: readonly T[]): Generator<T> {
    for (const step of steps) {
      if (isStopped()) return;
      yield step;
    }
  }
  async function* source(): AsyncGenerator<Iterable<T>> {
    if (isStopped()) return;
    try {
      for await (const steps of batches) {
        yield untilStopped(steps);
        if (isStopped()) return;
      }
    } catch (error) {
      stop ??= { error };
    }
  }
  const bounds = { width: concurrency, windowWidths, isEager: true };
  const carriedOut = mapBatches(source(), bounds, async (step, { leave, setAside }) => {
    const outcomes: O[] = [];
    try {
      await work(step, (outcome) => outcomes.push(outcome), { answered: leave, setAside });
    } catch (error) {
      stop ??= { error };
    }
    return outcomes;
  });
  for await (const outcomes of carriedOut) {
    const all = outcomes.flat();
    if (all.length > 0) yield all;
  }
  if (stop !== undefined) throw stop.error;
}
