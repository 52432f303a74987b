import type { Api } from '../client/caller.ts';
import type { Entry } from '../input/place.ts';
import type { JournaledKind, PushJournal } from '../store/push-journal.ts';
import { type BulkName, type BulkUnit, contentHash, sendUnits } from './bulk.ts';
import { type Decision, decide, type Resend } from './decide.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Report, StepOptions } from './run-steps.ts';
import type { JournaledRecord, SendContext } from './send-journaled.ts';

export interface BulkPush<T> extends StepOptions {
  readonly batches: AsyncIterable<readonly Entry<T>[]>;
  readonly api: Api;
  /** Recovered, and the run lock of its kind held. */
  readonly journal: PushJournal;
  /** Entries of one bulk request, 1 to 100. */
  readonly batchSize: number;
  readonly resend: Resend | undefined;
}

/** A record of the input with what is to be done with it. */
export interface Decided<T> {
  readonly entry: Entry<T>;
  readonly record: JournaledRecord;
  readonly decision: Decision;
}

/** What comes of a plan, in input order: records that need no request, and requests. */
export type BulkStep =
  | { readonly kind: 'decided'; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'send'; readonly operation: BulkName; readonly units: readonly BulkUnit[] };

/** Carries out one step of a plan, or tells what would come of it. @throws as `sendUnits`. */
export async function takeStep(
  { isDryRun, ...context }: SendContext & Pick<StepOptions, 'isDryRun'>,
  step: BulkStep,
  report: Report,
): Promise<void> {
  if (step.kind === 'decided') {
    for (const outcome of step.outcomes) report(outcome);
  } else if (isDryRun) {
    for (const { records } of step.units) for (const record of records) report(outcomeOf(record, 'queued'));
  } else {
    await sendUnits(context, step.operation, step.units, report);
  }
}

/** Groups what is to be sent one record an entry into requests of `batchSize`, in input order. */
export async function* planUnits<T>(
  batches: AsyncIterable<readonly Decided<T>[]>,
  operation: BulkName,
  batchSize: number,
  unitOf: (decided: Decided<T>) => BulkUnit,
): AsyncGenerator<BulkStep> {
  let units: BulkUnit[] = [];
  for await (const batch of batches) {
    const outcomes: Outcome[] = [];
    for (const decided of batch) {
      if (decided.decision.kind === 'send') units.push(unitOf(decided));
      else outcomes.push(outcomeOfDecision(decided.record, decided.decision));
      if (units.length < batchSize) continue;
      yield { kind: 'send', operation, units };
      units = [];
    }
    if (outcomes.length > 0) yield { kind: 'decided', outcomes };
  }
  if (units.length > 0) yield { kind: 'send', operation, units };
}

/** Decides on every record of the input by what the journal knows of it; `contentOf` is what would be sent of it. */
export async function* decideAll<T extends { readonly originId: string }>(
  batches: AsyncIterable<readonly Entry<T>[]>,
  contentOf: (record: T) => object,
  {
    journal,
    kind,
    resend,
  }: { readonly journal: PushJournal; readonly kind: JournaledKind; readonly resend: Resend | undefined },
): AsyncGenerator<readonly Decided<T>[]> {
  for await (const entries of batches) {
    const known = journal.known(
      kind,
      entries.map(({ record }) => record.originId),
    );
    yield entries.map((entry) => {
      const { file, line } = entry;
      const { originId } = entry.record;
      const hash = contentHash(contentOf(entry.record));
      return {
        entry,
        record: { file, line, originId, contentHash: hash },
        decision: decide(known.get(originId), hash, resend),
      };
    });
  }
}

/** The outcome of a record that is not sent. */
export function outcomeOfDecision(
  record: JournaledRecord,
  decision: Exclude<Decision, { kind: 'send' }>,
): Outcome {
  switch (decision.kind) {
    case 'skip':
      return outcomeOf(record, 'skipped', decision.jobId === undefined ? {} : { jobId: decision.jobId });
    case 'reject':
      return outcomeOf(record, 'rejected', { error: decision.reason });
    case 'unknown':
      return outcomeOf(record, 'unknown', { error: decision.reason });
  }
}
