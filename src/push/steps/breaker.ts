import type { Failure } from '../../base/failure.ts';

/** After this many troubles in a row without a usable answer, the service is taken for unavailable. */
const troublesInRow = 5;

/**
 * Ends a push whose service stopped answering: without it a dead service would turn every record still to come into
 * a failed or an unknown one.
 */
export interface Breaker {
  /** A request is about to leave; the result is for `troubled`. */
  begin(): Attempt;
  /** A request was answered. */
  succeeded(): void;
  hasSucceeded(): boolean;
  /**
   * A request was lost, or failed after all retries. Requests of which an `attempt` is given and that were under way at
   * the same time count once: one outage loses them all.
   */
  troubled(failure: Failure, attempt?: Attempt): void;
  /** A record failed because of that. */
  failed(failure: Failure): void;
  /** Ends the push, even after a request that succeeded: what came of it could not be recorded, or is not as sent. */
  readonly stop: (error: unknown) => void;
  /**
   * @throws what it was stopped by, or the last failure when there were too many in a row; called once what happened
   * has been reported.
   */
  check(): void;
  /** Whether `check` throws this: then a record that met it was not sent. */
  isStoppedBy(error: unknown): boolean;
  /** @throws the first failure because of which a record failed; called once all outcomes have been reported. */
  finish(): void;
}

/** How many troubles there had been when a request left. */
export type Attempt = number;

export function createBreaker(maximum: number = troublesInRow): Breaker {
  let inRow = 0;
  let troubles = 0;
  let hasSucceeded = false;
  let firstFailure: Failure | undefined;
  let stopped: { readonly error: unknown } | undefined;
  const stop = (error: unknown) => {
    stopped ??= { error };
  };
  return {
    succeeded: () => {
      inRow = 0;
      hasSucceeded = true;
    },
    hasSucceeded: () => hasSucceeded,
    begin: () => troubles,
    troubled: (failure, attempt = troubles) => {
      if (attempt < troubles) return;
      troubles += 1;
      inRow += 1;
      if (inRow >= maximum) stop(failure);
    },
    failed: (failure) => {
      firstFailure ??= failure;
    },
    stop,
    check: () => {
      if (stopped !== undefined) throw stopped.error;
    },
    isStoppedBy: (error) => stopped?.error === error,
    finish: () => {
      if (firstFailure !== undefined) throw firstFailure;
    },
  };
}
