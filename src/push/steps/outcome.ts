import type { ExitCode } from '../../base/failure.ts';
import { Hint, type HintText } from '../../base/hint.ts';
import type { Json } from '../../base/json.ts';
import type { Entry } from '../../input/records/record-kinds.ts';

/**
 * What became of one input record. `queued`: the service took it and works on it; `skipped`: taken in an earlier run;
 * `rejected`: refused, by a rule of ours or by the service; `failed`: attempted without success, may be tried again;
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

/** A record with an id of ours or of the service. */
export type Named = { readonly [name in 'originId' | 'id']?: string | undefined };

/** The place of a record; one without an originId is named by its id. */
export function placeOf({ file, line, record }: Entry<Named>): RecordPlace {
  return { file, line, originId: record.originId ?? record.id ?? '' };
}

/** What an update changes: field by field, from what the service had to what it was sent. */
export type FieldChanges = Readonly<Record<string, { readonly from: Json; readonly to: Json }>>;

/** One line of a push's output. */
export interface PushOutcome extends RecordPlace {
  readonly outcome: OutcomeWord;
  readonly id?: string;
  readonly jobId?: string;
  readonly changes?: FieldChanges;
  /** `journal` where what the service shows could not be asked for: it may show something else than was sent. */
  readonly comparedWith?: 'journal';
  /** Why, and what to do next. */
  readonly error?: HintText;
}

/** An outcome as it is printed and put on record: the commands in its error are complete. */
export interface ShownOutcome extends PushOutcome {
  readonly error?: string;
}

export function shownOutcome(outcome: PushOutcome, complete: (hint: HintText) => string): ShownOutcome {
  const { error } = outcome;
  return (error instanceof Hint ? { ...outcome, error: complete(error) } : outcome) as ShownOutcome;
}

/** An entry of a plan: what is to be done with one record of the input. */
export interface PlanEntry {
  /** The outcome of the record; of a write, provided that the service accepts it. */
  readonly outcome: PushOutcome;
  /** The write, as plain data that distinguishes it from any other; undefined if nothing is to be written. */
  readonly write?: object;
}

type OutcomeDetails = {
  readonly [Name in Exclude<keyof PushOutcome, keyof RecordPlace | 'outcome'>]?:
    | PushOutcome[Name]
    | undefined;
};

/** The outcome of the record at `place`; its fields are in the promised order. */
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

/** The outcome of a record that the service took and works on; nearly all outcomes of a bulk push are like it. */
export function queuedOutcome({ file, line, originId }: RecordPlace, jobId: string): PushOutcome {
  return { file, line, originId, outcome: 'queued', jobId };
}

/** How many records came to each outcome. */
export type Tally = Readonly<Record<OutcomeWord, number>>;

export function emptyTally(): Record<OutcomeWord, number> {
  return { created: 0, updated: 0, unchanged: 0, queued: 0, skipped: 0, rejected: 0, failed: 0, unknown: 0 };
}

/** The exit codes that apply to a push; `isWaiting` when it was to follow its jobs to their end. */
export function exitCodesOf(tally: Tally, isWaiting: boolean): ExitCode[] {
  const codes: ExitCode[] = [];
  if (tally.unknown > 0) codes.push(11);
  if (tally.rejected > 0 || tally.failed > 0) codes.push(6);
  if (isWaiting && tally.queued > 0) codes.push(8);
  return codes;
}
