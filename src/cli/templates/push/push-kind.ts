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
  /** The way to send the fields that can follow later. */
  readonly hint?: HintText;
  /**
   * Set if no later push can add some of them: the reason, the setting that sends them, and the flag that omits them.
   */
  readonly choice?: { readonly reason: string; readonly setting: string; readonly flag: string };
}

/** The resources of a push with a valid input. */
export interface OpenedPush<S> {
  /** The options of its flow. */
  readonly work: FlowOptions<S>;
  /** All records from the start. */
  readonly reread: () => AsyncIterable<readonly S[]>;
  /** `reread`, if the originIds are made with `{n}`. */
  readonly rereadCounted: (() => AsyncIterable<readonly S[]>) | undefined;
  readonly service: Service;
  /** The records that this profile has sent to this service; a dry run only reads it. */
  readonly journal: PushJournal;
  /** Stores replaced values. */
  readonly undoLog: UndoLog;
  /** Maximum concurrent requests. */
  readonly concurrency: StepOptions['concurrency'];
  /** True if other pushes may send the rest of the input at the same time. */
  readonly isShard: boolean;
  /** Aborted to stop before the next record; requests in progress are completed. */
  readonly stopping: AbortSignal;
}

/** How one kind of record is pushed. `S` is a compiled record. */
export interface SentKind<S extends Placed> {
  readonly records: { readonly name: string };
  /** Further settings that affect what is sent; a plan stores them. */
  readonly settings?: JsonObject;
  /** The singular: `order item`. */
  readonly noun: string;
  /** True if queued records are followed to the end of their jobs. */
  readonly isWaiting?: boolean;
  /**
   * The kind in the journal, if each request is journaled before it is sent: records that a killed run left in progress
   * are recovered as this kind.
   */
  readonly journaled?: JournaledKind;
  /** Days for which replaced values are kept; for kinds that can be undone. */
  readonly undoDays?: number;
  /**
   * The fields among `fields`, those with values in the input, that cannot be sent to this service. If absent, all can.
   */
  warnOfUnsent?(fields: readonly string[], assumptions: Assumptions): UnsentWarning | undefined;
  /**
   * The number of records at the service; undefined if it does not report one. Present for kinds whose records mostly
   * exist, so that new ones count as changes.
   */
  countKnown?(service: Service): Promise<number | undefined>;
  /** Checks the input before anything is sent. */
  checkFirst?(opened: OpenedPush<S>): Promise<void>;
  /** Runs the push; the lock of this kind is held, except in a dry run. */
  push(opened: OpenedPush<S>, settings: JsonObject): AsyncIterable<readonly PushOutcome[]>;
}

/** A kind of record with its input: `T` is a record as read from the input. */
export interface PushKind<T extends Identified, S extends Placed> extends SentKind<S> {
  readonly records: RecordKind<T>;
  /** The schema of the settings, to read them from a plan. */
  readonly settingsSchema?: z.ZodType<JsonObject>;
  /** The key of a record in its outcome. */
  originIdOf(record: S): string;
  /** The failure if an input with values for `fields` must not be sent to this service. */
  refuseFields?(fields: readonly string[], assumptions: Assumptions): Failure | undefined;
  /** Compiles records to the form in which they wait to be sent. */
  readonly compiler: (assumptions: Assumptions) => Compiler<T, S>;
}
