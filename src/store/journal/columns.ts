import type { Failure } from '../../base/failure.ts';
import { damagedJournal } from './journal-failure.ts';
import { pack, unpack } from './packed-json.ts';
import type { JournalEntry, JournaledKind } from './push-journal.ts';
import { journaledKinds, type RecordState, recordStates } from './record-state.ts';

/** A text that may be missing. */
type Optional = string | null | undefined;

/**
 * A packed column: the rows as lines of one text, which parses twice as fast as a list; a single row for all; or a list
 * of rows.
 */
type PackedColumn = string | readonly Optional[];

/** Packs columns of `count` rows each. */
function packColumns(count: number, columns: readonly (readonly Optional[])[]): Uint8Array {
  return pack([count, ...columns.map(packColumn)]);
}

function packColumn(rows: readonly Optional[]): PackedColumn {
  const [first] = rows;
  if (rows.length > 1 && rows.every((row) => row === first)) return [first];
  const areLines = rows.length > 0 && rows.every((row) => typeof row === 'string' && !row.includes('\n'));
  return areLines ? rows.join('\n') : rows;
}

/** @throws Failure('unreadable-path') if the bytes are damaged. */
function unpackColumns<Columns>(bytes: Uint8Array): { readonly count: number; readonly columns: Columns } {
  const [count, ...packed] = unpack<[number, ...PackedColumn[]]>(bytes);
  const columns = packed.map((column) => {
    if (typeof column === 'string') return column.split('\n');
    return column.length === 1 && count > 1 ? new Array<Optional>(count).fill(column[0]) : column;
  });
  if (columns.some(({ length }) => length !== count)) throw differInNumber();
  return { count, columns: columns as Columns };
}

/** The entries of a request, by position. */
export interface Entries {
  readonly kinds: readonly JournaledKind[];
  readonly originIds: readonly string[];
  readonly contentHashes: readonly string[];
  readonly products: readonly Optional[];
  readonly orders: readonly Optional[];
}

function differInNumber(): Failure {
  return damagedJournal('entries and their outcomes differ in number');
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
  return packColumns(originIds.length, [kinds, originIds, contentHashes, products, orders]);
}

/** @throws Failure('unreadable-path') if the bytes are damaged. */
export function unpackEntries(bytes: Uint8Array): Entries {
  type Columns = readonly [JournaledKind[], string[], string[], Optional[], Optional[]];
  const [kinds, originIds, contentHashes, products, orders] = unpackColumns<Columns>(bytes).columns;
  checkNames(kinds, journaledKinds);
  return { kinds, originIds, contentHashes, products, orders };
}

function checkNames(column: readonly string[], names: readonly string[]): void {
  const wrong = column.find((name) => !names.includes(name));
  if (wrong !== undefined) throw damagedJournal(`it has an unknown value ${wrong}`);
}

/** @throws Error for an entry that only a bug would record. */
function contentHashOf({ originId, contentHash }: JournalEntry): string {
  if (typeof contentHash !== 'string')
    throw new TypeError(`the record ${originId} has no hash of its content`);
  return contentHash;
}

/** The outcomes of the entries of a request, by position. */
export interface Outcomes {
  readonly states: RecordState[];
  readonly jobIds: Optional[];
  readonly objectIds: Optional[];
  readonly failureReasons: Optional[];
}

/** The outcomes of `count` entries in one state. */
export function outcomesOf(count: number, state: RecordState): Outcomes {
  const nothing = () => new Array<Optional>(count).fill(undefined);
  const states = new Array<RecordState>(count).fill(state);
  return { states, jobIds: nothing(), objectIds: nothing(), failureReasons: nothing() };
}

export function packOutcomes({ states, jobIds, objectIds, failureReasons }: Outcomes): Uint8Array {
  return packColumns(states.length, [states, jobIds, objectIds, failureReasons]);
}

/** @throws Failure('unreadable-path') if the bytes are damaged, or have another number of entries. */
export function unpackOutcomes(bytes: Uint8Array, count: number): Outcomes {
  type Columns = readonly [RecordState[], Optional[], Optional[], Optional[]];
  const unpacked = unpackColumns<Columns>(bytes);
  if (unpacked.count !== count) throw differInNumber();
  const [states, jobIds, objectIds, failureReasons] = unpacked.columns;
  checkNames(states, recordStates);
  return { states, jobIds, objectIds, failureReasons };
}

export function copyOutcomes({ states, jobIds, objectIds, failureReasons }: Outcomes): Outcomes {
  return {
    states: [...states],
    jobIds: [...jobIds],
    objectIds: [...objectIds],
    failureReasons: [...failureReasons],
  };
}

/** Clears the known facts of the entry at `position` and sets its state. */
export function clearOutcome(
  { states, jobIds, objectIds, failureReasons }: Outcomes,
  position: number,
  state: RecordState,
): void {
  states[position] = state;
  for (const column of [jobIds, objectIds, failureReasons]) column[position] = null;
}

/** A bit for each state that occurs, for skipping answers; 0 if no entry has an outcome. */
export function stateMask(states: readonly RecordState[]): number {
  let mask = 0;
  for (const state of states) mask |= state === 'none' ? 0 : 1 << recordStates.indexOf(state);
  return mask;
}
