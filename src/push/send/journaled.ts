import type { Api } from '../../client/caller.ts';
import type { JournaledKind, KnownRecord, PushJournal } from '../../store/journal/push-journal.ts';
import type { OrderItemBody } from '../compile/order-item-entry.ts';
import type { JournaledRecord, SendableRecord } from '../compile/sendable-record.ts';
import { decide, type PushDecision, type Resend, toSend } from '../decide/decide.ts';
import type { LookupEvent } from '../lookup/find-lost-items.ts';
import { createBreaker } from '../steps/breaker.ts';
import { createFirstAlone, type FirstAlone } from '../steps/first-alone.ts';
import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import { createRefusals } from '../steps/refusals.ts';
import type { Report, StepOptions } from '../steps/run-steps.ts';
import { type BulkName, type BulkUnit, sendUnits } from './bulk.ts';
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
  /** Told when records whose answer was lost were looked for at the service. */
  readonly onLookup?: (event: LookupEvent) => void;
  /** Gives the records from the start once more; given where their originIds are made with `{n}`. */
  readonly rereadCounted?: (() => AsyncIterable<readonly S[]>) | undefined;
}

/** Records of the input, and what is to be done with each of them. */
export interface Decided<S> {
  readonly records: readonly S[];
  readonly decisions: readonly PushDecision[];
}

/** What comes of a plan, in input order: records that need no request, requests, and changes of what was made before. */
export type BulkStep =
  | ({ readonly kind: 'update' } & OrderItemUpdate)
  | { readonly kind: 'decided'; readonly outcomes: readonly PushOutcome[] }
  | { readonly kind: 'send'; readonly operation: BulkName; readonly units: readonly BulkUnit[] };

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

/** Carries out one step of a plan. @throws as `sendUnits`. */
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
      return sendUnits(context, step.operation, step.units, { report, answered });
  }
}

/** How one record changes what it made before. */
export type UpdateOf<S> = (record: S) => OrderItemBody;

/** Groups what is to be sent one record an entry into requests of `batchSize`, in input order. */
export async function* planUnits<S extends SendableRecord>(
  batches: AsyncIterable<Decided<S>>,
  operation: BulkName,
  batchSize: number,
  updateOf?: UpdateOf<S>,
): AsyncGenerator<readonly BulkStep[]> {
  let units: S[] = [];
  for await (const { records, decisions } of batches) {
    const steps: BulkStep[] = [];
    let outcomes: PushOutcome[] = [];
    const tellDecided = () => {
      if (outcomes.length > 0) steps.push({ kind: 'decided', outcomes });
      outcomes = [];
    };
    for (let index = 0; index < records.length; index += 1) {
      const [record, decision] = [records[index], decisions[index]];
      if (record === undefined || decision === undefined) continue;
      if (decision.kind === 'send') units.push(record);
      else if (decision.kind !== 'update') outcomes.push(outcomeOfDecision(record, decision));
      else if (updateOf !== undefined) {
        tellDecided();
        steps.push({ kind: 'update', record, objectId: decision.objectId, body: updateOf(record) });
      }
      if (units.length < batchSize) continue;
      tellDecided();
      steps.push({ kind: 'send', operation, units });
      units = [];
    }
    tellDecided();
    yield steps;
  }
  if (units.length > 0) yield [{ kind: 'send', operation, units }];
}

/** How the records of one kind are decided on. */
export interface Deciding<S> {
  readonly journal: PushJournal;
  readonly kind: JournaledKind;
  readonly resend: Resend | undefined;
  /** The hash of a record as an older version would have made it. */
  readonly olderHash: (record: S) => string;
  /** Looks for what is unknown, as far as the service can tell. */
  readonly lookUpLost?: (
    known: ReadonlyMap<string, KnownRecord>,
  ) => Promise<ReadonlyMap<string, KnownRecord>>;
  /** Why a record cannot go out whatever the journal knows. */
  readonly refusalOf?: (record: S) => string | undefined;
}

/** Decides on every record of the input by what the journal knows of it, and what is found of it since. */
export async function* decideAll<S extends SendableRecord>(
  batches: AsyncIterable<readonly S[]>,
  { journal, kind, resend, olderHash, lookUpLost = async (known) => known, refusalOf }: Deciding<S>,
): AsyncGenerator<Decided<S>> {
  for await (const records of batches) {
    const originIds = records.map(({ originId }) => originId);
    const known = await lookUpLost(await journal.known(kind, originIds));
    const decideOn = (record: S): PushDecision => {
      const reason = refusalOf?.(record);
      if (reason !== undefined) return { kind: 'reject', reason };
      const before = known.get(record.originId);
      return before === undefined ? toSend : decide(before, record, resend, () => olderHash(record));
    };
    yield { records, decisions: records.map(decideOn) };
  }
}

/** The outcome of a record that is not sent. */
export function outcomeOfDecision(
  record: JournaledRecord,
  decision: Exclude<PushDecision, { kind: 'send' | 'update' }>,
): PushOutcome {
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
