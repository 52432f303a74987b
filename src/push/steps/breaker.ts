import type { Failure } from '../../base/failure.ts';

/** After this many requests in a row without a usable answer, the service is taken for unavailable. */
const troublesInRow = 5;

/**
 * Ends a push whose service stopped answering: without it a dead service would turn every record still to come into
 * a failed or an unknown one.
 */
export interface Breaker {
  /** A request was answered. */
  succeeded(): void;
  /** A request was lost, or failed after all retries. */
  troubled(failure: Failure): void;
  /** Ends the push although its request succeeded: the journal could not record it. */
  readonly stop: (error: unknown) => void;
  /**
   * @throws what it was stopped by, or the last failure when there were too many in a row; called once what happened
   * has been reported.
   */
  check(): void;
}

export function createBreaker(): Breaker {
  let inRow = 0;
  let last: Failure | undefined;
  let stopped: { readonly error: unknown } | undefined;
  return {
    succeeded: () => {
      inRow = 0;
    },
    troubled: (failure) => {
      inRow += 1;
      last = failure;
    },
    stop: (error) => {
      stopped ??= { error };
    },
    check: () => {
      if (stopped !== undefined) throw stopped.error;
      if (inRow >= troublesInRow && last !== undefined) throw last;
    },
  };
}
