import { mapBatches } from '../../base/lists.ts';
import type { PushOutcome } from './outcome.ts';

/**
 * Outcomes that may wait for a slow step, as a multiple of the steps under way: a request that is retried for seconds
 * must not stop the others.
 */
const windowWidths = 4;

/** Reports an outcome of a step once it is certain. */
export type Report<O = PushOutcome> = (outcome: O) => void;

/** The slot of a step among those under way. */
export interface StepPlace {
  /**
   * Call once the last request of the step is answered. The next step may begin while this result is recorded, so that
   * the service never waits for the local disk.
   */
  readonly answered: () => void;
  /**
   * Call for a step that waits for long. Many later steps may overtake it, though their outcomes still come after its
   * own.
   */
  readonly setAside: () => void;
}

/** Carries out a step. */
export type Work<T, O = PushOutcome> = (step: T, report: Report<O>, place: StepPlace) => Promise<void>;

export interface StepOptions {
  /** The maximum number of steps that wait for an answer. A function is called before each step. */
  readonly concurrency: number | (() => number);
  /** Aborted to begin no new step; steps under way are finished. */
  readonly stopping: AbortSignal;
}

/**
 * Carries out steps and yields their outcomes in input order, in one batch if available at the same time. If a step or
 * the source of steps throws, no new step begins. The steps under way are finished and their outcomes yielded before
 * the error is thrown, so that everything that happened is reported.
 */
export async function* runSteps<T, O = PushOutcome>(
  batches: AsyncIterable<readonly T[]>,
  { concurrency, stopping }: StepOptions,
  work: Work<T, O>,
): AsyncGenerator<readonly O[]> {
  let stop: { readonly error: unknown } | undefined;
  const isStopped = () => stop !== undefined || stopping.aborted;
  // Checked before each step: the stop may come while the source is read, or during the previous step.
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
