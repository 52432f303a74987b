import { Failure } from '../../base/failure.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Breaker } from './breaker.ts';
import { outcomeOf, type PushOutcome, type RecordPlace } from './outcome.ts';

/** How the error of a product ends whose categories were refused. */
export const categoriesFirst = 'push the categories first';

/**
 * What a failed call means for the one record it was made for: refused, not found, or with an id that fits in no path,
 * it is `rejected`; else it `failed`, or is `unknown` where the call may have had its effect.
 * The breaker counts a lost call where it is sent, so only a failed one is counted here.
 * @throws `error` where it is not that record's: a credential, an address, a bug, or what has stopped the push.
 */
export function outcomeOfFailure(place: RecordPlace, error: unknown, breaker: Breaker): PushOutcome {
  if (!(error instanceof Failure) || breaker.isStoppedBy(error)) throw error;
  if (!(error instanceof ServiceFailure)) {
    if (error.kind !== 'usage') throw error;
    return outcomeOf(place, 'rejected', { error: error.message });
  }
  const { kind, reason, isOutcomeUnknown } = error;
  if (kind === 'refused' || kind === 'not-found') {
    breaker.succeeded();
    // A product is refused for its categories where the service does not have them (yet).
    const isOfCategories = error.issues.some(({ loc }) => loc.includes('categories'));
    return outcomeOf(place, 'rejected', { error: isOfCategories ? `${reason}; ${categoriesFirst}` : reason });
  }
  if (!error.isPassing && !isOutcomeUnknown) throw error;
  if (isOutcomeUnknown) return outcomeOf(place, 'unknown', { error: reason });
  breaker.troubled(error);
  breaker.failed(error);
  return outcomeOf(place, 'failed', { error: reason });
}

/** What was found out about a record before anything is decided. */
export interface Failed {
  /** The outcome of the record, where the service could not be asked. */
  readonly failed?: PushOutcome;
}

/** Where single records are asked for. */
export interface Asking {
  readonly breaker: Breaker;
  /** Awaits the turn of a request. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * What `look` finds out about the record at `place`, or `record` with its outcome if the service could not be asked.
 * @throws as `outcomeOfFailure`, and what stopped the push.
 */
export function askInTurn<T extends Failed>(
  { breaker, inTurn }: Asking,
  record: T,
  place: RecordPlace,
  look: () => Promise<T>,
): Promise<T> {
  return inTurn(async () => {
    try {
      return await look();
    } catch (error) {
      const failed = outcomeOfFailure(place, error, breaker);
      breaker.check();
      return { ...record, failed };
    }
  });
}
