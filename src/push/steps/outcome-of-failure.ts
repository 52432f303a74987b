import { Failure } from '../../base/failure.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Breaker } from './breaker.ts';
import { outcomeOf, type PushOutcome, type RecordPlace } from './outcome.ts';

/** The end of the error for a product whose categories were refused. */
export const categoriesFirst = 'push the categories first';

/**
 * Converts the failure of a call for one record to the outcome of the record. It is `rejected` if the call was refused,
 * the record was not found or its id does not fit in a path. It is `unknown` if the call may have had its effect;
 * otherwise it `failed`. The breaker counts lost calls when they are sent, so only failed ones are counted here.
 * @throws `error` if the record is not the cause: a credential, an address, a bug, or the error that stopped the push.
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
    // A product is refused for its categories if the service does not have them (yet).
    const isOfCategories = error.issues.some(({ loc }) => loc.includes('categories'));
    return outcomeOf(place, 'rejected', { error: isOfCategories ? `${reason}; ${categoriesFirst}` : reason });
  }
  if (!error.isPassing && !isOutcomeUnknown) throw error;
  if (isOutcomeUnknown) return outcomeOf(place, 'unknown', { error: reason });
  breaker.troubled(error);
  breaker.failed(error);
  return outcomeOf(place, 'failed', { error: reason });
}

/** The result of a failed lookup before a decision. */
export interface Failed {
  /** The outcome of the record, if the lookup failed. */
  readonly failed?: PushOutcome;
}

/** The limits for lookups of single records. */
export interface Asking {
  readonly breaker: Breaker;
  /** Waits for a free request slot. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Resolves with the result of `look` for the record at `place`, or with `record` and its outcome if the lookup failed.
 * @throws as `outcomeOfFailure`, and the error that stopped the push.
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
