import { Failure } from '../../base/failure.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Breaker } from './breaker.ts';
import { outcomeOf, type PushOutcome, type RecordPlace } from './outcome.ts';

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
    return outcomeOf(place, 'rejected', { error: reason });
  }
  if (!error.isPassing && !isOutcomeUnknown) throw error;
  if (isOutcomeUnknown) return outcomeOf(place, 'unknown', { error: reason });
  breaker.troubled(error);
  breaker.failed(error);
  return outcomeOf(place, 'failed', { error: reason });
}
