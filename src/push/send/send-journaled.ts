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
import { createFirstAlone, type FirstAlone } from '../steps/first-alone.ts';
import { createRefusals, type Refusals } from '../steps/refusals.ts';
import type { StepOptions } from '../steps/run-steps.ts';

/** What the requests of one push share. */
export interface SendContext extends StepOptions {
  readonly api: Api;
  readonly journal: PushJournal;
  readonly kind: JournaledKind;
  readonly breaker: Breaker;
  readonly refusals: Refusals;
  /** For writes of single records. */
  readonly firstAlone: FirstAlone;
  /** For bulk requests. */
  readonly firstBulkAlone: FirstAlone;
  /** Looks for records of a lost bulk request at the service: the ids of those found, by originId. */
  readonly findLost?: (originIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Troubles in a row that end a push in bulk, where each may cost a hundred records. */
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
    firstAlone: createFirstAlone(),
    firstBulkAlone: createFirstAlone(),
  };
}

/** The result of a request. An answered one is still open in the journal; the caller ends it with what was accepted. */
export type Sent<T> =
  | { readonly kind: 'answered'; readonly value: T; readonly request: RequestId }
  | { readonly kind: 'refused'; readonly refusal: ServiceFailure }
  /** `failure` lost the answer; without it the answer came and is not on record. */
  | { readonly kind: 'unknown'; readonly error: string; readonly failure?: ServiceFailure };

/**
 * Sends one request, its `entries` journaled before and after. When the answer is lost the request is not repeated.
 * What ends the push then has stopped the breaker, which is to be checked once the records are reported as unknown.
 * @throws ServiceFailure for what no single record is to blame for: a credential, an address, a service that is gone.
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
    refusals.taken();
    return { kind: 'answered', value, request };
  } catch (error) {
    if (error instanceof ServiceFailure && error.isOutcomeUnknown) {
      await journal.end(request, { unknown: entries }).catch(breaker.stop);
      breaker.troubled(error, attempt);
      // An answer that is not the service's: the next request would be answered alike.
      const isForeign = error.kind === 'unreadable-reply' && !breaker.hasSucceeded();
      if (isForeign || !error.isPassing) breaker.stop(error);
      return { kind: 'unknown', error: error.reason, failure: error };
    }
    // Any other error proves nothing: the request stays open, and the next run takes its records for unknown.
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
 * Records the end of an answered request in the journal. If the journal fails, the request stays open in it, so that
 * the next run takes its records for unknown, and the push ends: returns why they are to be reported as unknown now.
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
    return 'sent and answered, but the journal could not be written, so the answer is not on record';
  }
}
