import { Failure } from '../../base/failure.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { Breaker } from './breaker.ts';
import { outcomeOf, type PushOutcome, type RecordPlace } from './outcome.ts';

/**
 * What a failed call means for the one record it was made for: refused, not found, or with an id that fits in no path,
 * it is `rejected`; else it `failed`, or is `unknown` where the call may have had its effect.
 * `isLossCounted`: the breaker has counted a lost call already.
 * @throws `error` where it is not that record's: a credential, an address, a bug, or what has stopped the push.
 */
export function outcomeOfFailure(
  place: RecordPlace,
  error: unknown,
  breaker: Breaker,
  isLossCounted = false,
): PushOutcome {
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
  if (!isOutcomeUnknown || !isLossCounted) breaker.troubled(error);
  if (!isOutcomeUnknown) breaker.failed(error);
  return outcomeOf(place, isOutcomeUnknown ? 'unknown' : 'failed', { error: reason });
}
