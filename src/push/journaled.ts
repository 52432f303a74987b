import type { Api } from '../client/caller.ts';
import type { Entry } from '../input/place.ts';
import type { JournalEntry, JournaledKind, KnownRecord, PushJournal } from '../store/push-journal.ts';
import { createBreaker } from './breaker.ts';
import { type BulkName, type BulkUnit, sendUnits } from './bulk.ts';
import { type Decision, decide, type Resend } from './decide.ts';
import type { LookupEvent } from './find-lost-items.ts';
import { createFirstAlone, type FirstAlone } from './first-alone.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { createRefusals } from './refusals.ts';
import type { Report, StepOptions } from './run-steps.ts';
import type { JournaledRecord, SendContext } from './send-journaled.ts';
import { type OrderItemBody, type OrderItemUpdate, updateAccepted } from './update-accepted.ts';

export interface BulkPush<T> extends StepOptions {
  readonly batches: AsyncIterable<readonly Entry<T>[]>;
  readonly api: Api;
  /** Recovered, and the run lock of its kind held. */
  readonly journal: PushJournal;
  /** Entries of one bulk request, 1 to 100. */
  readonly batchSize: number;
  readonly resend: Resend | undefined;
  /** Told when records whose answer was lost were looked for at the service. */
  readonly onLookup?: (event: LookupEvent) => void;
  /** Reads the input from its start once more; given where its originIds are made with `{n}`. */
  readonly rereadCounted?: (() => AsyncIterable<readonly Entry<T>[]>) | undefined;
}

/** A record of the input with what is to be done with it. */
export interface Decided<T> {
  readonly entry: Entry<T>;
  readonly record: JournaledRecord;
  readonly decision: Decision;
}

/** What comes of a plan, in input order: records that need no request, requests, and changes of what was made before. */
export type BulkStep =
  | ({ readonly kind: 'update' } & OrderItemUpdate)
  | { readonly kind: 'decided'; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'send'; readonly operation: BulkName; readonly units: readonly BulkUnit[] };

/** What the steps of one push share. */
export interface StepContext extends SendContext {
  readonly isDryRun: boolean;
  /** For writes of single records. */
  readonly firstAlone: FirstAlone;
}

export function stepContext(
  { api, journal, isDryRun = false }: Pick<BulkPush<unknown>, 'api' | 'journal' | 'isDryRun'>,
  kind: JournaledKind,
): StepContext {
  const firstAlone = createFirstAlone();
  return { api, journal, kind, isDryRun, firstAlone, breaker: createBreaker(), refusals: createRefusals() };
}

/** Carries out one step of a plan, or tells what would come of it. @throws as `sendUnits`. */
export async function takeStep(context: StepContext, step: BulkStep, report: Report): Promise<void> {
  switch (step.kind) {
    case 'decided':
      for (const outcome of step.outcomes) report(outcome);
      return;
    case 'update':
      report(
        context.isDryRun
          ? outcomeOf(step.record, 'updated', { id: step.objectId })
          : await updateAccepted(context, step),
      );
      context.breaker.check();
      return;
    case 'send':
      if (!context.isDryRun) return sendUnits(context, step.operation, step.units, report);
      for (const { records } of step.units) for (const record of records) report(outcomeOf(record, 'queued'));
  }
}

/** How one record goes out: as an entry of the bulk request, or as a change of what it made before. */
export interface PlanOptions<T> {
  readonly unitOf: (decided: Decided<T>) => BulkUnit;
  readonly updateOf?: (record: T) => OrderItemBody;
}

/** Groups what is to be sent one record an entry into requests of `batchSize`, in input order. */
export async function* planUnits<T>(
  batches: AsyncIterable<readonly Decided<T>[]>,
  operation: BulkName,
  batchSize: number,
  { unitOf, updateOf }: PlanOptions<T>,
): AsyncGenerator<BulkStep> {
  let units: BulkUnit[] = [];
  for await (const batch of batches) {
    const outcomes: Outcome[] = [];
    for (const decided of batch) {
      const { decision, record, entry } = decided;
      if (decision.kind === 'send') units.push(unitOf(decided));
      else if (decision.kind !== 'update') outcomes.push(outcomeOfDecision(record, decision));
      else if (updateOf !== undefined) {
        yield { kind: 'update', record, objectId: decision.objectId, body: updateOf(entry.record) };
      }
      if (units.length < batchSize) continue;
      yield { kind: 'send', operation, units };
      units = [];
    }
    if (outcomes.length > 0) yield { kind: 'decided', outcomes };
  }
  if (units.length > 0) yield { kind: 'send', operation, units };
}

/**
 * Decides on every record of the input by what the journal knows of it, and what is found of it since; `entryOf` is what the journal keeps of it,
 * `refusalOf` why it cannot go out whatever the journal knows.
 */
export async function* decideAll<T extends { readonly originId: string }>(
  batches: AsyncIterable<readonly Entry<T>[]>,
  entryOf: (record: T) => Pick<JournalEntry, 'contentHash' | 'productOriginId' | 'orderOriginId'>,
  {
    journal,
    kind,
    resend,
    lookUpLost = async (known) => known,
    refusalOf = () => undefined,
  }: {
    readonly journal: PushJournal;
    readonly kind: JournaledKind;
    readonly resend: Resend | undefined;
    /** Looks for what is unknown, as far as the service can tell. */
    readonly lookUpLost?: (
      known: ReadonlyMap<string, KnownRecord>,
    ) => Promise<ReadonlyMap<string, KnownRecord>>;
    readonly refusalOf?: (record: T) => string | undefined;
  },
): AsyncGenerator<readonly Decided<T>[]> {
  for await (const entries of batches) {
    const originIds = entries.map(({ record }) => record.originId);
    const known = await lookUpLost(await journal.known(kind, originIds));
    yield entries.map((entry) => {
      const { file, line } = entry;
      const { originId } = entry.record;
      const journaled = entryOf(entry.record);
      const reason = refusalOf(entry.record);
      return {
        entry,
        record: { file, line, originId, ...journaled },
        decision:
          reason === undefined ? decide(known.get(originId), journaled, resend) : { kind: 'reject', reason },
      };
    });
  }
}

/** The outcome of a record that is not sent. */
export function outcomeOfDecision(
  record: JournaledRecord,
  decision: Exclude<Decision, { kind: 'send' | 'update' }>,
): Outcome {
  switch (decision.kind) {
    case 'skip':
      return outcomeOf(record, 'skipped', jobOf(decision));
    case 'reject':
      return outcomeOf(record, 'rejected', { error: decision.reason });
    case 'unknown':
      return outcomeOf(record, 'unknown', { ...jobOf(decision), error: decision.reason });
  }
}

function jobOf({ jobId }: { readonly jobId: string | undefined }): { readonly jobId?: string } {
  return jobId === undefined ? {} : { jobId };
}
