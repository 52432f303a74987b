import type { JournaledKind, KnownRecord } from '../push-journal.ts';
import { PackedEntries } from './entry-codec.ts';
import { kindOf, stateCodes } from './enum-codes.ts';
import { PackedFates } from './fate-codec.ts';

/** A request that has ended, with what is known of its entries since. */
export interface Answer {
  /** In the order in which requests ended. */
  readonly id: number;
  readonly kind: JournaledKind;
  /** The run that sent it; none outside of a run. */
  readonly run: string | null;
  readonly entries: PackedEntries;
  readonly fates: PackedFates;
}

/** An answer as stores keep it. */
export interface AnswerRow {
  readonly id: number;
  readonly kind: number;
  readonly run: string | null;
  readonly entries: Uint8Array;
  readonly fates: Uint8Array;
}

export function answerOf({ id, kind, run, entries: blob, fates }: AnswerRow): Answer {
  const entries = new PackedEntries(blob);
  return { id, kind: kindOf(kind), run, entries, fates: new PackedFates(fates, entries.count) };
}

/** The entry at one position of an answer. */
export interface FoundRecord {
  readonly answer: Answer;
  readonly position: number;
}

/** What is known of a record that has a fate. */
export function knownRecord({ answer: { entries, fates }, position }: FoundRecord): KnownRecord {
  const state = fates.stateAt(position);
  const known: KnownRecord = {
    fate: state === stateCodes.unknown ? 'unknown' : 'accepted',
    contentHash: entries.contentHashAt(position),
    jobId: fates.jobIdAt(position),
    objectId: fates.objectIdAt(position),
    productOriginId: entries.productAt(position),
    orderOriginId: entries.orderAt(position),
  };
  if (state === stateCodes.succeeded) return { ...known, jobState: 'succeeded' };
  return state === stateCodes.failed ? { ...known, jobState: 'failed' } : known;
}

/** Where the entry lies that decides what is known of a record; -1 where the answer has none. */
export function positionIn(answer: Answer, code: number, originId: string): number {
  for (let position = 0; position < answer.entries.count; position += 1) {
    if (isRecordAt(answer, position, code, originId)) return position;
  }
  return -1;
}

export function isRecordAt(
  { entries, fates }: Answer,
  position: number,
  code: number,
  originId: string,
): boolean {
  return entries.isAt(position, code, originId) && fates.stateAt(position) !== stateCodes.none;
}
