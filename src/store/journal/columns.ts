import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { messageOf } from '../../base/failure.ts';
import { kindCodes, stateCodes } from './codes.ts';
import { damagedJournal } from './journal-failure.ts';
import type { JournalEntry, JournaledKind } from './push-journal.ts';

/*
 * What rows keep of many records: columns of values as JSON, which keeps every id exactly, deflated. A record takes
 * some 20 bytes.
 */

type Optional = string | null | undefined;

/** The entries of a request, by their positions. */
export interface Entries {
  readonly count: number;
  readonly kinds: readonly number[];
  readonly originIds: readonly string[];
  readonly contentHashes: readonly string[];
  readonly products: readonly Optional[];
  readonly orders: readonly Optional[];
}

/** A column; a single value where all are the same. */
type Repeated = number | readonly number[];

/** An order is the number of characters of the originId that it is, or itself. Columns without a value are empty. */
type EntryColumns = readonly [
  kinds: Repeated,
  originIds: readonly string[],
  contentHashes: readonly string[],
  products: readonly Optional[],
  orders: readonly (string | number | null)[],
];

export function packEntries(kind: JournaledKind, entries: readonly JournalEntry[]): Uint8Array {
  const columns: EntryColumns = [
    repeated(entries.map((entry) => kindCodes[entry.kind ?? kind])),
    entries.map(({ originId }) => originId),
    entries.map(contentHashOf),
    withoutNothing(entries.map(({ productOriginId }) => productOriginId)),
    withoutNothing(entries.map(packOrder)),
  ];
  return pack(columns);
}

export function unpackEntries(bytes: Uint8Array): Entries {
  const [kinds, originIds, contentHashes, products, orders] = unpack<EntryColumns>(bytes);
  const count = originIds.length;
  return {
    count,
    kinds: valuesOf(kinds, count),
    originIds,
    contentHashes,
    products,
    orders: orders.map((order, at) => (typeof order === 'number' ? originIds[at]?.slice(0, order) : order)),
  };
}

/** @throws Error for what only a mistake of this program would put on record. */
function contentHashOf({ originId, contentHash }: JournalEntry): string {
  if (typeof contentHash !== 'string')
    throw new TypeError(`the record ${originId} has no hash of its content`);
  return contentHash;
}

function packOrder({ originId, orderOriginId }: JournalEntry): string | number | null {
  if (orderOriginId === undefined) return null;
  return originId.startsWith(orderOriginId) ? orderOriginId.length : orderOriginId;
}

/** What became of the entries of a request, by their positions; the states are of `stateCodes`. */
export interface Fates {
  readonly states: number[];
  readonly jobIds: Optional[];
  readonly objectIds: Optional[];
  readonly failureReasons: Optional[];
}

type FateColumns = readonly [states: Repeated, ...columns: readonly (readonly Optional[])[]];

export function noFates(count: number): Fates {
  return { states: new Array(count).fill(stateCodes.none), jobIds: [], objectIds: [], failureReasons: [] };
}

export function packFates({ states, jobIds, objectIds, failureReasons }: Fates): Uint8Array {
  const columns: FateColumns = [repeated(states), ...[jobIds, objectIds, failureReasons].map(withoutNothing)];
  return pack(columns);
}

export function unpackFates(bytes: Uint8Array, count: number): Fates {
  const [states, jobIds = [], objectIds = [], failureReasons = []] = unpack<FateColumns>(bytes);
  return {
    states: [...valuesOf(states, count)],
    jobIds: [...jobIds],
    objectIds: [...objectIds],
    failureReasons: [...failureReasons],
  };
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
  state: number,
): void {
  states[position] = state;
  for (const column of [jobIds, objectIds, failureReasons]) column[position] = null;
}

/** Which states occur, a bit for each, by which answers are passed over; 0 where nothing is known of any entry. */
export function stateMask(states: readonly number[]): number {
  let mask = 0;
  for (const state of states) mask |= state === stateCodes.none ? 0 : maskOf(state);
  return mask;
}

export function maskOf(state: number): number {
  return 1 << state;
}

/** For a few kilobytes: with the usual sizes, most of the time goes into making buffers. */
const zlibOptions = { level: 1, windowBits: 13, memLevel: 6, chunkSize: 8192 };

/** Deflated JSON. */
export function pack(value: unknown): Uint8Array {
  return deflateRawSync(JSON.stringify(value), zlibOptions);
}

/** @throws Failure('unreadable-path') where the bytes are damaged. */
export function unpack<T>(bytes: Uint8Array): T {
  try {
    return JSON.parse(inflateRawSync(bytes, zlibOptions).toString());
  } catch (error) {
    throw damagedJournal(`what is kept of records cannot be read (${messageOf(error)})`);
  }
}

function repeated(values: readonly number[]): Repeated {
  const [first = 0] = values;
  return values.every((value) => value === first) ? first : values;
}

function valuesOf(column: Repeated, count: number): readonly number[] {
  return typeof column === 'number' ? new Array<number>(count).fill(column) : column;
}

/** A column without a value is empty. */
function withoutNothing<T>(column: readonly (T | null | undefined)[]): readonly (T | null)[] {
  const values = column.map((value) => value ?? null);
  return values.some((value) => value !== null) ? values : [];
}
