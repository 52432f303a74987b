import { Failure } from '../../base/failure.ts';
import type { Api } from '../../client/caller.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type {
  JournalEntry,
  JournaledKind,
  PushJournal,
  RequestEnd,
  RequestId,
} from '../../store/journal/push-journal.ts';
import { type Breaker, createBreaker } from '../steps/breaker.ts';
import { type Canary, createCanary } from '../steps/canary.ts';
import { createRefusals, type Refusals } from '../steps/refusals.ts';
import type { StepOptions } from '../steps/run-steps.ts';

/** The state shared by the requests of one push. */
export interface SendContext extends StepOptions {
  readonly api: Api;
  readonly journal: PushJournal;
  readonly kind: JournaledKind;
  readonly breaker: Breaker;
  readonly refusals: Refusals;
  /** The canary of single writes. */
  readonly canary: Canary;
  /** The canary of bulk requests. */
  readonly bulkCanary: Canary;
  /** Looks for the records of a lost bulk request at the service. Resolves with the ids of those found, by originId. */
  readonly findLost?: (originIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Consecutive failures that end a push in bulk, where each may cost a hundred records. */
const bulkTroublesInRow = 3;

export function createSendContext(
  push: StepOptions & Pick<SendContext, 'api' | 'journal'>,
  kind: JournaledKind,
): SendContext {
  return {
    ...push,
    kind,
    breaker: createBreaker(bulkTroublesInRow),
    refusals: createRefusals(),
    canary: createCanary(),
    bulkCanary: createCanary(),
  };
}

/**
 * The result of a request. An answered request is still open in the journal; the caller ends it with the accepted
 * records.
 */
export type Sent<T> =
  | { readonly kind: 'answered'; readonly value: T; readonly request: RequestId }
  | { readonly kind: 'refused'; readonly refusal: ServiceFailure }
  /** With `failure`, the answer was lost. Without it, the answer came but could not be journaled. */
  | { readonly kind: 'unknown'; readonly error: string; readonly failure?: ServiceFailure };

/**
 * Sends one request, its `entries` journaled before and after. If the answer is lost, the request is not repeated. If
 * that ends the push, the breaker is stopped; check it once the records are reported as unknown.
 * @throws ServiceFailure if no single record is the cause: a credential, an address, an unavailable service.
 */
export async function sendJournaled<T>(
  context: Omit<SendContext, 'api'>,
  entries: readonly JournalEntry[],
  send: () => Promise<T>,
): Promise<Sent<T>> {
  const { journal, kind, breaker, refusals } = context;
  const request = await journal.begin(kind, entries);
  const attempt = breaker.begin();
  try {
    const value = await send();
    breaker.succeeded();
    refusals.accepted();
    return { kind: 'answered', value, request };
  } catch (error) {
    if (error instanceof ServiceFailure && error.isOutcomeUnknown) {
      await journal.end(request, { unknown: entries }).catch(breaker.stop);
      breaker.troubled(error, attempt);
      // The answer is not from the service, and the next request would get the same.
      const isForeign = error.kind === 'unreadable-reply' && !breaker.hasSucceeded();
      if (isForeign || !error.isPassing) breaker.stop(error);
      return { kind: 'unknown', error: error.reason, failure: error };
    }
    // Any other error proves nothing: the request stays open, and the next run treats its records as unknown.
    const unrecorded = error instanceof Failure ? await endRequest(context, request, {}) : undefined;
    if (unrecorded !== undefined) return { kind: 'unknown', error: unrecorded };
    if (error instanceof ServiceFailure && error.kind === 'refused') {
      breaker.succeeded();
      return { kind: 'refused', refusal: error };
    }
    breaker.stop(error);
    throw error;
  }
}

/**
 * Records the end of an answered request in the journal. If the journal fails, the push ends, and the request stays
 * open, so that the next run treats its records as unknown. Returns the reason for reporting them as unknown now.
 */
export async function endRequest(
  { journal, breaker }: Pick<SendContext, 'journal' | 'breaker'>,
  request: RequestId,
  end: RequestEnd,
): Promise<string | undefined> {
  try {
    await journal.end(request, end);
    return undefined;
  } catch (error) {
    breaker.stop(error);
    return 'sent and answered, but the journal could not be written, so the answer is not recorded';
  }
}
