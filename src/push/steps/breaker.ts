import type { Failure } from '../../base/failure.ts';

/** Consecutive failures without a usable answer after which the service counts as unavailable. */
const troublesInRow = 5;

/**
 * Ends a push whose service stopped answering. Otherwise, a dead service would turn every remaining record into a
 * failed or unknown one.
 */
export interface Breaker {
  /** Call before a request leaves; pass the result to `troubled`. */
  begin(): Attempt;
  /** Call when a request was answered. */
  succeeded(): void;
  hasSucceeded(): boolean;
  /**
   * Call when a request was lost, or failed after all retries. Requests with an `attempt` that were under way at the
   * same time count once: one outage loses them all.
   */
  troubled(failure: Failure, attempt?: Attempt): void;
  /** Call when a record failed for this reason. */
  failed(failure: Failure): void;
  /** Ends the push, even after a successful request: its result could not be recorded, or was not as sent. */
  readonly stop: (error: unknown) => void;
  /**
   * Call once everything that happened has been reported.
   * @throws the error that stopped the push, or the last failure if there were too many in a row.
   */
  check(): void;
  /** True if `check` throws this error: a record that caught it was not sent. */
  isStoppedBy(error: unknown): boolean;
  /** Call once all outcomes have been reported. @throws the first failure that made a record fail. */
  finish(): void;
}

/** The number of failures before a request left. */
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
