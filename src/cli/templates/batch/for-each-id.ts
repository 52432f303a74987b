import { Failure } from '../../../base/failure.ts';
import { streamOf } from '../../../base/lists.ts';
import { ServiceFailure } from '../../../client/service-failure.ts';
import { type Breaker, createBreaker } from '../../../push/steps/breaker.ts';
import { createFirstAlone } from '../../../push/steps/first-alone.ts';
import { runSteps, type StepOptions } from '../../../push/steps/run-steps.ts';

/** The result of a call for one id: a value, or a failure that concerns this id. */
export type IdResult<T> =
  | { readonly kind: 'done'; readonly id: string; readonly value: T }
  | { readonly kind: 'rejected' | 'failed'; readonly id: string; readonly failure: Failure };

interface ForEachIdOptions extends StepOptions {
  /** Whether `work` writes: then the first id goes alone, because its reply shows how the service treats the others. */
  readonly isWrite: boolean;
}

/**
 * Calls `work` for each id, several at once, and yields the results in the order of `ids`.
 * @throws failures that concern all ids (a credential, an address, an outage), after the results of all calls that were
 * started.
 */
export function forEachId<T>(
  ids: readonly string[],
  options: ForEachIdOptions,
  work: (id: string) => Promise<T>,
): AsyncIterable<readonly IdResult<T>[]> {
  const breaker = createBreaker();
  const firstAlone = createFirstAlone();
  const call = async (id: string): Promise<IdResult<T>> => {
    breaker.check();
    try {
      const value = await work(id);
      breaker.succeeded();
      return { kind: 'done', id, value };
    } catch (error) {
      return failedResult(id, error, breaker);
    }
  };
  const callAsStep = (id: string) =>
    options.isWrite
      ? firstAlone(
          () => call(id),
          ({ kind }) => (kind === 'done' ? 'proof' : 'nothing'),
        )
      : call(id);
  return runSteps<string, IdResult<T>>(streamOf([ids]), options, async (id, report) => {
    report(await callAsStep(id));
    breaker.check();
  });
}

/** The result of a failed call. @throws `error` where it concerns no single id. */
function failedResult(id: string, error: unknown, breaker: Breaker): IdResult<never> {
  if (error instanceof ServiceFailure && error.isPassing) {
    breaker.troubled(error);
    return { kind: 'failed', id, failure: error };
  }
  if (error instanceof Failure && error.kind === 'contradictory-reply') {
    // The next reply would show the same.
    breaker.stop(error);
    return { kind: 'failed', id, failure: error };
  }
  if (error instanceof Failure && (error.kind === 'refused' || error.kind === 'not-found')) {
    breaker.succeeded();
    return { kind: 'rejected', id, failure: error };
  }
  breaker.stop(error);
  throw error;
}
