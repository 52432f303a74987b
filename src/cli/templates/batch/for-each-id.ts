import { Failure } from '../../../base/failure.ts';
import { mapConcurrently, streamOf } from '../../../base/lists.ts';
import { ServiceFailure } from '../../../client/service-failure.ts';
import { type Breaker, createBreaker } from '../../../push/steps/breaker.ts';
import { createFirstAlone } from '../../../push/steps/first-alone.ts';

/** What a call for one id came to: a value, or a failure that is about this id. */
export type IdOutcome<T> =
  | { readonly kind: 'done'; readonly id: string; readonly value: T }
  | { readonly kind: 'rejected' | 'failed'; readonly id: string; readonly failure: Failure };

interface ForEachIdOptions {
  /** How many calls may be under way at once; asked before each where it changes. */
  readonly concurrency: number | (() => number);
  /** Aborted to begin no new call; those under way are finished. */
  readonly stopping: AbortSignal;
  /** Whether `work` writes: what the service makes of that is seen at the first id, before there is a second. */
  readonly isWrite: boolean;
}

/** So many times the calls under way may wait for a slow one before them. */
const windowWidths = 4;

/**
 * Calls `work` for each id, several at once, and yields what came of it in the order of `ids`.
 * @throws what is about no single id (a credential, an address, a service that stopped answering), once the outcomes of all that
 *   was begun have been yielded.
 */
export async function* forEachId<T>(
  ids: readonly string[],
  { concurrency, stopping, isWrite }: ForEachIdOptions,
  work: (id: string) => Promise<T>,
): AsyncGenerator<IdOutcome<T>> {
  const breaker = createBreaker();
  let stop: { readonly error: unknown } | undefined;
  function* untilStopped(): Generator<string> {
    for (const id of ids) {
      if (stop !== undefined || stopping.aborted) return;
      yield id;
    }
  }
  const attempt = async (id: string): Promise<IdOutcome<T> | undefined> => {
    if (stop !== undefined) return undefined;
    try {
      const value = await work(id);
      breaker.succeeded();
      return { kind: 'done', id, value };
    } catch (error) {
      const failed = failureOfId(id, error, breaker);
      if (failed === undefined || isContradiction(error)) stop ??= { error };
      return failed;
    }
  };
  const firstAlone = createFirstAlone();
  const begin = (id: string) =>
    firstAlone(
      () => attempt(id),
      (outcome) => outcome?.kind === 'done',
    );
  const bounds = { width: concurrency, windowWidths };
  for await (const outcome of mapConcurrently(streamOf(untilStopped()), bounds, isWrite ? begin : attempt)) {
    if (outcome !== undefined) yield outcome;
    stop ??= failureOfService(breaker);
  }
  if (stop !== undefined) throw stop.error;
}

/** What one reply shows of the service is so for all ids still to come. */
function isContradiction(error: unknown): error is Failure {
  return error instanceof Failure && error.kind === 'contradictory-reply';
}

/** A failure that is about this id alone; undefined for any other. */
function failureOfId(id: string, error: unknown, breaker: Breaker): IdOutcome<never> | undefined {
  if (error instanceof ServiceFailure && error.isPassing) {
    breaker.troubled(error);
    return { kind: 'failed', id, failure: error };
  }
  if (isContradiction(error)) return { kind: 'failed', id, failure: error };
  if (!(error instanceof Failure) || (error.kind !== 'refused' && error.kind !== 'not-found'))
    return undefined;
  breaker.succeeded();
  return { kind: 'rejected', id, failure: error };
}

function failureOfService(breaker: Breaker): { readonly error: unknown } | undefined {
  try {
    breaker.check();
    return undefined;
  } catch (error) {
    return { error };
  }
}
