import { damagedJournal } from './journal-failure.ts';
import { pack, unpack } from './packed-json.ts';
import type { JournalEntry, JournaledKind } from './push-journal.ts';
import { journaledKinds, type RecordState, recordStates } from './record-state.ts';

/** A text; a row of a column may have none. */
type Optional = string | null | undefined;

/** The entries of a request, by their positions. */
export interface Entries {
  readonly kinds: readonly JournaledKind[];
  readonly originIds: readonly string[];
  readonly contentHashes: readonly string[];
  readonly products: readonly Optional[];
  readonly orders: readonly Optional[];
}

export function entriesOf(kind: JournaledKind, entries: readonly JournalEntry[]): Entries {
  return {
    kinds: entries.map((entry) => entry.kind ?? kind),
    originIds: entries.map(({ originId }) => originId),
    contentHashes: entries.map(contentHashOf),
    products: entries.map(({ productOriginId }) => productOriginId),
    orders: entries.map(({ orderOriginId }) => orderOriginId),
  };
}

export function packEntries({ kinds, originIds, contentHashes, products, orders }: Entries): Uint8Array {
  return pack([kinds, originIds, contentHashes, products, orders]);
}

/** @throws Failure('unreadable-path') if the bytes are damaged. */
export function unpackEntries(bytes: Uint8Array): Entries {
  type Columns = readonly [JournaledKind[], string[], string[], Optional[], Optional[]];
  const [kinds, originIds, contentHashes, products, orders] = unpack<Columns>(bytes);
  checkNames(kinds, journaledKinds, originIds.length);
  return { kinds, originIds, contentHashes, products, orders };
}

function checkNames(column: readonly string[], names: readonly string[], count: number): void {
  const wrong = column.find((name) => !names.includes(name));
  if (wrong !== undefined) throw damagedJournal(`there is no ${wrong} in it`);
  if (column.length !== count) throw damagedJournal('entries and their outcomes differ in number');
}

/** @throws Error for what only a mistake of this program would put on record. */
function contentHashOf({ originId, contentHash }: JournalEntry): string {
  if (typeof contentHash !== 'string')
    throw new TypeError(`the record ${originId} has no hash of its content`);
  return contentHash;
}

/** The outcomes of the entries of a request, by their positions. */
export interface Fates {
  readonly states: RecordState[];
  readonly jobIds: Optional[];
  readonly objectIds: Optional[];
  readonly failureReasons: Optional[];
}

/** The fates of so many entries in one state. */
export function fatesOf(count: number, state: RecordState): Fates {
  return { states: new Array(count).fill(state), jobIds: [], objectIds: [], failureReasons: [] };
}

export function packFates({ states, jobIds, objectIds, failureReasons }: Fates): Uint8Array {
  return pack([states, jobIds, objectIds, failureReasons]);
}

/** @throws Failure('unreadable-path') if the bytes are damaged, or are not those of as many entries. */
export function unpackFates(bytes: Uint8Array, count: number): Fates {
  type Columns = readonly [RecordState[], Optional[], Optional[], Optional[]];
  const [states, jobIds, objectIds, failureReasons] = unpack<Columns>(bytes);
  checkNames(states, recordStates, count);
  return { states, jobIds, objectIds, failureReasons };
}

export function copyFates({ states, jobIds, objectIds, failureReasons }: Fates): Fates {
  return {
    states: [...states],
    jobIds: [...jobIds],
    objectIds: [...objectIds],
    failureReasons: [...failureReasons],
  };
}

/** Takes away all that is known of the entry at `position`, and leaves a state. */
export function clearFate(
  { states, jobIds, objectIds, failureReasons }: Fates,
  position: number,
  state: RecordState,
): void {
  states[position] = state;
  for (const column of [jobIds, objectIds, failureReasons]) column[position] = null;
}

/** The states that occur, a bit for each, by which answers are passed over; 0 if nothing is known of any entry. */
export function stateMask(states: readonly RecordState[]): number {
  let mask = 0;
  for (const state of states) mask |= state === 'none' ? 0 : 1 << recordStates.indexOf(state);
  return mask;
}
