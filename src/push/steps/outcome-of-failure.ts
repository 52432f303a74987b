import { ServiceFailure } from '../../client/service-failure.ts';
import type { Breaker } from './breaker.ts';
import { outcomeOf, type PushOutcome, type RecordPlace } from './outcome.ts';

/**
 * What a failed call means for the one record it was made for: refused or not found, it is `rejected`; else it
 * `failed`, or is `unknown` where the call may have had its effect.
 * @throws `error` where it is not that record's: a credential, an address, a bug.
 */
export function outcomeOfFailure(place: RecordPlace, error: unknown, breaker: Breaker): PushOutcome {
  if (!(error instanceof ServiceFailure)) throw error;
  const { kind, reason, isOutcomeUnknown } = error;
  if (kind === 'refused' || kind === 'not-found') {
    breaker.succeeded();
    return outcomeOf(place, 'rejected', { error: reason });
  }
  if (!error.isPassing) throw error;
  breaker.troubled(error);
  return outcomeOf(place, isOutcomeUnknown ? 'unknown' : 'failed', { error: reason });
}
