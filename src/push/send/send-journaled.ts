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
import type { JournaledRecord } from '../compile/sendable-record.ts';
import type { Breaker } from '../steps/breaker.ts';
import { outcomeOf } from '../steps/outcome.ts';
import type { Refusals } from '../steps/refusals.ts';
import type { Report } from '../steps/run-steps.ts';

export interface SendContext {
  readonly api: Api;
  readonly journal: PushJournal;
  readonly kind: JournaledKind;
  readonly breaker: Breaker;
  readonly refusals: Refusals;
}

/** What came of a request. An answered one is still open in the journal; the caller ends it with what was accepted. */
export type Sent<T> =
  | { readonly kind: 'answered'; readonly value: T; readonly request: RequestId }
  | { readonly kind: 'refused'; readonly refusal: ServiceFailure }
  | { readonly kind: 'lost' };

/** What one request carries. */
export interface Sending {
  /** The records of the input. */
  readonly records: readonly JournaledRecord[];
  /** What is journaled: the records, and what is made together with them; the records alone where it is left out. */
  readonly entries?: readonly JournalEntry[];
}

/**
 * Sends the one request that carries `records`, its `entries` journaled before and after. When its answer is lost it is not repeated:
 * the records are reported unknown here.
 * @throws ServiceFailure for what no single record is to blame for: a credential, an address, a service that is gone; as `endRequest`.
 */
export async function sendJournaled<T>(
  context: Omit<SendContext, 'api'>,
  { records, entries = records }: Sending,
  report: Report,
  send: () => Promise<T>,
): Promise<Sent<T>> {
  const { journal, kind, breaker, refusals } = context;
  const request = await journal.begin(kind, entries);
  try {
    const value = await send();
    breaker.succeeded();
    refusals.taken();
    return { kind: 'answered', value, request };
  } catch (error) {
    if (error instanceof ServiceFailure && error.isOutcomeUnknown) {
      reportUnknown(records, error.reason, report);
      await journal.end(kind, request, { unknown: entries });
      breaker.troubled(error);
      breaker.check();
      return { kind: 'lost' };
    }
    // Whatever else was thrown proves nothing: the request stays open, and the next run counts its records unknown.
    if (error instanceof Failure) {
      await endRequest(context, request, {}, (why) => reportUnknown(records, why, report));
    }
    if (error instanceof ServiceFailure && error.kind === 'refused') {
      breaker.succeeded();
      return { kind: 'refused', refusal: error };
    }
    throw error;
  }
}

/**
 * Puts on record what came of a request that was answered. Where the journal fails, the request stays open in it, so that the next run
 * counts its records as unknown; `tellUnknown` is to report them as that.
 * @throws Failure('unreadable-path') where the journal fails, after they were reported.
 */
export async function endRequest(
  { journal, kind }: Pick<SendContext, 'journal' | 'kind'>,
  request: RequestId,
  end: RequestEnd,
  tellUnknown: (error: string) => void,
): Promise<void> {
  try {
    await journal.end(kind, request, end);
  } catch (error) {
    tellUnknown('sent and answered, but the journal could not be written, so the answer is not on record');
    throw error;
  }
}

export function reportUnknown(records: readonly JournaledRecord[], error: string, report: Report): void {
  for (const record of records) report(outcomeOf(record, 'unknown', { error }));
}
