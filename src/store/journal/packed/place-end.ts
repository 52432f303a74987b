import type { Acceptance, JournalEntry, RequestEnd } from '../push-journal.ts';
import { stateCodes } from './enum-codes.ts';
import { clearFate, type Fates, noFates, takenFates } from './fate-codec.ts';

/** The end of a request by the positions of its entries. */
export interface PlacedEnd {
  readonly entries: readonly JournalEntry[];
  readonly fates: Fates;
}

/**
 * Finds the positions of what `end` names among the entries that were begun, which as a rule are the same objects in
 * the same order; where it names others, those take the place of the entries that were begun.
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

function accept(fates: Fates, position: number, { jobId, objectId }: Acceptance): void {
  fates.states[position] = stateCodes.accepted;
  fates.jobIds[position] = jobId;
  fates.objectIds[position] = objectId;
}

/** Undefined where one was not begun as it is named, or is named twice. */
function positionsOf(named: readonly JournalEntry[], begun: readonly JournalEntry[]): number[] | undefined {
  const positions: number[] = [];
  let byKey: ReadonlyMap<string, number> | undefined;
  let next = 0;
  for (const entry of named) {
    if (begun[next] !== entry) {
      byKey ??= new Map(begun.map((one, position) => [keyOf(one), position]));
      const position = byKey.get(keyOf(entry));
      if (position === undefined || position < next || !isSame(begun[position], entry)) return undefined;
      next = position;
    }
    positions.push(next);
    next += 1;
  }
  return positions;
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

/** Of a record that one request names several times, its last entry decides. */
export function clearRepeated(entries: readonly JournalEntry[], fates: Fates, last: number): void {
  for (let position = 0; position < last; position += 1) {
    const [one, other] = [entries[position], entries[last]];
    if (one?.originId === other?.originId && one?.kind === other?.kind) clearFate(fates, position);
  }
}
