import type * as z from 'zod';
import type { Failure } from '../../../base/failure.ts';
import type { HintText } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { Service } from '../../../client/open-service.ts';
import type { Assumptions } from '../../../contract/assumptions.ts';
import type { Identified, RecordKind } from '../../../input/records/record-kinds.ts';
import type { Compiler } from '../../../push/compile/compiler.ts';
import type { Placed } from '../../../push/plan/plan-line.ts';
import type { FlowOptions } from '../../../push/plan/run-flow.ts';
import type { PushOutcome } from '../../../push/steps/outcome.ts';
import type { StepOptions } from '../../../push/steps/run-steps.ts';
import type { JournaledKind, PushJournal } from '../../../store/journal/push-journal.ts';
import type { UndoLog } from '../../../store/runs/undo-log.ts';

/** Fields of the input that this push cannot send. */
export interface UnsentWarning {
  readonly fields: readonly string[];
  readonly message: string;
  /** How to send those that can follow later. */
  readonly hint?: HintText;
  /** If no later push can add some of them: why, the setting that sends them, and the flag that omits them. */
  readonly choice?: { readonly reason: string; readonly setting: string; readonly flag: string };
}

/** What a push works with once its input was found good. */
export interface OpenedPush<S> {
  /** What its flow is to be run with. */
  readonly work: FlowOptions<S>;
  /** All records from the start. */
  readonly reread: () => AsyncIterable<readonly S[]>;
  /** `reread`, only where the originIds are made with `{n}`. */
  readonly rereadCounted: (() => AsyncIterable<readonly S[]>) | undefined;
  readonly service: Service;
  /** What this profile has sent to this service; for a dry run to be read alone. */
  readonly journal: PushJournal;
  /** Keeps what is replaced. */
  readonly undoLog: UndoLog;
  /** How many requests may be under way at once. */
  readonly concurrency: StepOptions['concurrency'];
  /** Whether other pushes may send the rest of the input at the same time. */
  readonly isShard: boolean;
  /** Aborted to take no new record; what is under way is finished. */
  readonly stopping: AbortSignal;
}

/** What is done with records: `S` is one that is ready to be sent. */
export interface SentKind<S extends Placed> {
  readonly records: { readonly name: string };
  /** What else decides on what is sent; a plan keeps it. */
  readonly settings?: JsonObject;
  /** One of them: `order item`. */
  readonly noun: string;
  /** Whether queued records are followed to the end of their jobs. */
  readonly isWaiting?: boolean;
  /** Of kinds with a record in the journal before each request: what of it a killed run leaves in progress. */
  readonly journaled?: JournaledKind;
  /** For how many days what it replaces is kept; of kinds that can be undone. */
  readonly undoDays?: number;
  /** What is in `fields`, those the input has values for, and cannot be sent to this service; without it all can. */
  warnOfUnsent?(fields: readonly string[], assumptions: Assumptions): UnsentWarning | undefined;
  /**
   * The number of records at the service; undefined where it does not report one. Given for kinds of which most records
   * exist, so that new ones are treated as changes.
   */
  countKnown?(service: Service): Promise<number | undefined>;
  /** Looks at the input before anything is sent. */
  checkFirst?(opened: OpenedPush<S>): Promise<void>;
  /** Carries it out; called with the lock of this kind held, but for a dry run. */
  push(opened: OpenedPush<S>, settings: JsonObject): AsyncIterable<readonly PushOutcome[]>;
}

/** `T` is a record as the input gives it. */
export interface PushKind<T extends Identified, S extends Placed> extends SentKind<S> {
  readonly records: RecordKind<T>;
  /** Of the settings, to read them back from a plan. */
  readonly settingsSchema?: z.ZodType<JsonObject>;
  /** The key of a record in its outcome. */
  originIdOf(record: S): string;
  /** Why an input with values for `fields` is not sent to this service. */
  refuseFields?(fields: readonly string[], assumptions: Assumptions): Failure | undefined;
  /** How its records wait to be sent. */
  readonly compiler: (assumptions: Assumptions) => Compiler<T, S>;
}
