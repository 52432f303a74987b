import { stateCodes } from './codes.ts';
import { type Fates, noFates } from './columns.ts';
import type { Acceptance, JournalEntry, RequestEnd } from './push-journal.ts';

/** The end of a request by the positions of its entries. */
export interface PlacedEnd {
  readonly entries: readonly JournalEntry[];
  readonly fates: Fates;
}

/**
 * Finds the positions of what `end` names among the entries that were begun; if it names others, those take the
 * place of the entries that were begun.
 */
export function placeEnd(begun: readonly JournalEntry[], end: RequestEnd): PlacedEnd {
  if ('jobIds' in end) return { entries: begun, fates: takenFates(end.jobIds, begun.length) };
  const { accepted = [], unknown = [] } = end;
  const named = [...accepted.map(({ entry }) => entry), ...unknown];
  const positions = positionsOf(named, begun);
  const entries = positions === undefined ? named : begun;
  const fates = noFates(entries.length);
  for (const [index, acceptance] of accepted.entries())
    accept(fates, positions?.[index] ?? index, acceptance);
  for (let index = accepted.length; index < named.length; index += 1) {
    fates.states[positions?.[index] ?? index] = stateCodes.unknown;
  }
  return { entries, fates };
}

/** All were taken, each with its job. */
function takenFates(jobIds: readonly string[], count: number): Fates {
  if (jobIds.length !== count) throw new Error(`${jobIds.length} jobs cannot be those of ${count} entries`);
  const states = new Array<number>(count).fill(stateCodes.accepted);
  return { states, jobIds: [...jobIds], objectIds: [], failureReasons: [] };
}

function accept(fates: Fates, position: number, { jobId, objectId }: Acceptance): void {
  fates.states[position] = stateCodes.accepted;
  fates.jobIds[position] = jobId;
  fates.objectIds[position] = objectId;
}

/** Undefined where one was not begun as it is named, or is named twice. */
function positionsOf(
  named: readonly JournalEntry[],
  begun: readonly JournalEntry[],
): readonly number[] | undefined {
  const places = new Map(begun.map((entry, position) => [keyOf(entry), position]));
  const positions = named.map((entry) => places.get(keyOf(entry)) ?? -1);
  const areBegun = named.every((entry, at) => isSame(begun[positions[at] ?? -1], entry));
  return areBegun && new Set(positions).size === positions.length ? positions : undefined;
}

function keyOf({ kind, originId }: JournalEntry): string {
  return `${kind} ${originId}`;
}

function isSame(one: JournalEntry | undefined, other: JournalEntry): boolean {
  return (
    one?.contentHash === other.contentHash &&
    one.productOriginId === other.productOriginId &&
    one.orderOriginId === other.orderOriginId
  );
}
