import type { Api } from '../../client/caller.ts';
import type { JournaledKind, KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import type { OrderItemBody } from '../compile/order-item-entry.ts';
import type { SendableRecord } from '../compile/sendable-record.ts';
import { decide, type PushDecision, type Resend, toSend } from '../decide/decide.ts';
import type { LookupEvent } from '../lookup/find-unknown-items.ts';
import { createBreaker } from '../steps/breaker.ts';
import { createFirstAlone, type FirstAlone } from '../steps/first-alone.ts';
import { outcomeOf, type PushOutcome, type RecordPlace } from '../steps/outcome.ts';
import { createRefusals } from '../steps/refusals.ts';
import type { Report, StepOptions } from '../steps/run-steps.ts';
import { type BulkEntry, type BulkName, sendBulk } from './bulk.ts';
import type { SendContext } from './send-journaled.ts';
import { type OrderItemUpdate, updateAccepted } from './update-accepted.ts';

export interface BulkPush<S> extends StepOptions {
  readonly api: Api;
  /** Recovered, and the run lock of its kind held. */
  readonly journal: PushJournal;
  /** Entries of one bulk request, 1 to 100. */
  readonly batchSize: number;
  readonly resend: Resend | undefined;
  /** Whether nothing is to be sent or journaled. */
  readonly isDryRun?: boolean;
  /** Called after a lookup of records whose answer was lost. */
  readonly onLookup?: (event: LookupEvent) => void;
  /** Gives the records from the start once more; given where their originIds are made with `{n}`. */
  readonly rereadCounted?: (() => AsyncIterable<readonly S[]>) | undefined;
}

/** A record of the input with the decision on it. */
export interface DecidedRecord<S> {
  readonly record: S;
  readonly decision: PushDecision;
}

/**
 * A step of a plan: records that need no request, the update of a record that was created before, or a bulk request.
 */
export type BulkStep =
  | ({ readonly kind: 'update' } & OrderItemUpdate)
  | { readonly kind: 'decided'; readonly outcomes: readonly PushOutcome[] }
  | { readonly kind: 'send'; readonly operation: BulkName; readonly entries: readonly BulkEntry[] };

/** What the steps of one push share. */
export interface StepContext extends SendContext {
  /** For writes of single records. */
  readonly firstAlone: FirstAlone;
}

export function stepContext(
  { api, journal }: Pick<BulkPush<unknown>, 'api' | 'journal'>,
  kind: JournaledKind,
): StepContext {
  const firstAlone = createFirstAlone();
  return { api, journal, kind, firstAlone, breaker: createBreaker(), refusals: createRefusals() };
}

/** Carries out one step of a plan. @throws as `sendBulk`. */
export async function takeStep(
  context: StepContext,
  step: BulkStep,
  report: Report,
  answered: () => void,
): Promise<void> {
  switch (step.kind) {
    case 'decided':
      for (const outcome of step.outcomes) report(outcome);
      return;
    case 'update':
      report(await updateAccepted(context, step));
      context.breaker.check();
      return;
    case 'send':
      return sendBulk(context, step.operation, step.entries, report, answered);
  }
}

/** How one record changes what it made before. */
export type UpdateOf<S> = (record: S) => OrderItemBody;

/** Groups the records to send, each of which is one entry, into requests of `batchSize`, in input order. */
export async function* planRequests<S extends SendableRecord>(
  batches: AsyncIterable<readonly DecidedRecord<S>[]>,
  operation: BulkName,
  batchSize: number,
  updateOf?: UpdateOf<S>,
): AsyncGenerator<readonly BulkStep[]> {
  let entries: S[] = [];
  for await (const batch of batches) {
    const steps: BulkStep[] = [];
    let outcomes: PushOutcome[] = [];
    const flushOutcomes = () => {
      if (outcomes.length > 0) steps.push({ kind: 'decided', outcomes });
      outcomes = [];
    };
    for (const { record, decision } of batch) {
      if (decision.kind === 'send') entries.push(record);
      else if (decision.kind !== 'update') outcomes.push(outcomeOfDecision(record, decision));
      else if (updateOf !== undefined) {
        flushOutcomes();
        steps.push({ kind: 'update', record, objectId: decision.objectId, body: updateOf(record) });
      }
      if (entries.length < batchSize) continue;
      flushOutcomes();
      steps.push({ kind: 'send', operation, entries });
      entries = [];
    }
    flushOutcomes();
    yield steps;
  }
  if (entries.length > 0) yield [{ kind: 'send', operation, entries }];
}

/** How the records of one kind are decided on. */
export interface Deciding<S> {
  readonly journal: PushJournal;
  readonly kind: JournaledKind;
  readonly resend: Resend | undefined;
  /** The hash of a record as an older version would have made it. */
  readonly olderHash: (record: S) => string;
  /** Looks for unknown records at the service. */
  readonly lookUpUnknown?: (
    known: ReadonlyMap<string, KnownRecord>,
  ) => Promise<ReadonlyMap<string, KnownRecord>>;
  /** Why a record cannot go out whatever the journal knows. */
  readonly refusalOf?: (record: S) => string | undefined;
}

/** Decides on every record of the input by what the journal and the service know of it. */
export async function* decideAll<S extends SendableRecord>(
  batches: AsyncIterable<readonly S[]>,
  { journal, kind, resend, olderHash, lookUpUnknown = async (known) => known, refusalOf }: Deciding<S>,
): AsyncGenerator<readonly DecidedRecord<S>[]> {
  for await (const records of batches) {
    const originIds = records.map(({ originId }) => originId);
    const known = await lookUpUnknown(await journal.known(kind, originIds));
    const decideOn = (record: S): PushDecision => {
      const reason = refusalOf?.(record);
      if (reason !== undefined) return { kind: 'reject', reason };
      const before = known.get(record.originId);
      return before === undefined ? toSend : decide(before, record, resend, () => olderHash(record));
    };
    yield records.map((record) => ({ record, decision: decideOn(record) }));
  }
}

/** The outcome of a record that is not sent. */
export function outcomeOfDecision(
  place: RecordPlace,
  decision: Exclude<PushDecision, { kind: 'send' | 'update' }>,
): PushOutcome {
  switch (decision.kind) {
    case 'skip':
      return outcomeOf(place, 'skipped', jobOf(decision));
    case 'reject':
      return outcomeOf(place, 'rejected', { error: decision.reason });
    case 'unknown':
      return outcomeOf(place, 'unknown', { ...jobOf(decision), error: decision.reason });
  }
}

function jobOf({ jobId }: { readonly jobId: string | undefined }): { readonly jobId?: string } {
  return jobId === undefined ? {} : { jobId };
}
