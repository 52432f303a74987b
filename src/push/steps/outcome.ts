import type { ExitCode } from '../../base/failure.ts';
import { Hint, type HintText } from '../../base/hint.ts';
import type { Json } from '../../base/json.ts';
import type { Entry } from '../../input/records/record-kinds.ts';

/**
 * The outcome of one input record. `queued`: accepted by the service and in progress; `skipped`: accepted in an earlier
 * run; `rejected`: refused, by our rules or by the service; `failed`: attempted without success, safe to try again;
 * `unknown`: sent, and the answer was lost.
 */
export const outcomeWords = [
  'created',
  'updated',
  'unchanged',
  'queued',
  'skipped',
  'rejected',
  'failed',
  'unknown',
] as const;
export type OutcomeWord = (typeof outcomeWords)[number];

/** The place of a record in the input, and its key. */
export interface RecordPlace {
  readonly file: string;
  readonly line: number;
  readonly originId: string;
}

/** A record identified by the shop's id or the service's id. */
export type Named = { readonly [name in 'originId' | 'id']?: string | undefined };

/** The place of a record. Without an originId, its id is used. */
export function placeOf({ file, line, record }: Entry<Named>): RecordPlace {
  return { file, line, originId: record.originId ?? record.id ?? '' };
}

/** The changes of an update by field, from the service's value to the sent one. */
export type FieldChanges = Readonly<Record<string, { readonly from: Json; readonly to: Json }>>;

/** One line of a push's output. */
export interface PushOutcome extends RecordPlace {
  readonly outcome: OutcomeWord;
  readonly id?: string;
  readonly jobId?: string;
  readonly changes?: FieldChanges;
  /** `journal` if the service's state could not be read: it may differ from what was sent. */
  readonly comparedWith?: 'journal';
  /** The reason, and the next step. */
  readonly error?: HintText;
}

/** An outcome in its printed and recorded form: the commands in its error are complete. */
export interface ShownOutcome extends PushOutcome {
  readonly error?: string;
}

export function shownOutcome(outcome: PushOutcome, complete: (hint: HintText) => string): ShownOutcome {
  const { error } = outcome;
  return (error instanceof Hint ? { ...outcome, error: complete(error) } : outcome) as ShownOutcome;
}

/** An entry of a plan: the intended action for one input record. */
export interface PlanEntry {
  /** The outcome of the record; for a write, provided that the service accepts it. */
  readonly outcome: PushOutcome;
  /** The write, as plain data that distinguishes it from any other; undefined if nothing is written. */
  readonly write?: object;
}

type OutcomeDetails = {
  readonly [Name in Exclude<keyof PushOutcome, keyof RecordPlace | 'outcome'>]?:
    | PushOutcome[Name]
    | undefined;
};

/** The outcome of the record at `place`, with its fields in the promised order. */
export function outcomeOf(
  { file, line, originId }: RecordPlace,
  outcome: OutcomeWord,
  details: OutcomeDetails = {},
): PushOutcome {
  const { id, jobId, changes, comparedWith, error } = details;
  return {
    file,
    line,
    originId,
    outcome,
    ...(id === undefined ? {} : { id }),
    ...(jobId === undefined ? {} : { jobId }),
    ...(changes === undefined ? {} : { changes }),
    ...(comparedWith === undefined ? {} : { comparedWith }),
    ...(error === undefined ? {} : { error }),
  };
}

/** The outcome of an accepted record in progress. Nearly all outcomes of a bulk push are like this. */
export function queuedOutcome({ file, line, originId }: RecordPlace, jobId: string): PushOutcome {
  return { file, line, originId, outcome: 'queued', jobId };
}

/** The number of records per outcome. */
export type Tally = Readonly<Record<OutcomeWord, number>>;

export function emptyTally(): Record<OutcomeWord, number> {
  return { created: 0, updated: 0, unchanged: 0, queued: 0, skipped: 0, rejected: 0, failed: 0, unknown: 0 };
}

/** The exit codes that apply to a push; `isWaiting` if it had to follow its jobs to their end. */
export function exitCodesOf(tally: Tally, isWaiting: boolean): ExitCode[] {
  const codes: ExitCode[] = [];
  if (tally.unknown > 0) codes.push(11);
  if (tally.rejected > 0 || tally.failed > 0) codes.push(6);
  if (isWaiting && tally.queued > 0) codes.push(8);
  return codes;
}
