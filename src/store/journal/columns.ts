import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { messageOf } from '../../base/failure.ts';
import { kindCodes, stateCodes } from './codes.ts';
import { damagedJournal } from './journal-failure.ts';
import type { JournalEntry, JournaledKind } from './push-journal.ts';

/*
 * What rows keep of many records: columns of values as JSON, which keeps every id exactly, deflated, and hashes of
 * contents as bytes, which nothing makes shorter. A record takes some 25 bytes.
 */

type Optional = string | null | undefined;

/** The entries of a request, by their positions. */
export interface Entries {
  readonly kinds: readonly number[];
  readonly originIds: readonly string[];
  readonly contentHashes: readonly string[];
  readonly products: readonly Optional[];
  readonly orders: readonly Optional[];
}

/** A column; a single value where all are the same. */
type Repeated<T> = T | null | readonly T[];

/** An order is the number of characters of the originId that it is, or itself. */
type EntryColumns = readonly [
  kinds: Repeated<number>,
  originIds: readonly string[],
  hashLengths: Repeated<number>,
  products: Repeated<Optional>,
  orders: Repeated<Optional | number>,
];

export function entriesOf(kind: JournaledKind, entries: readonly JournalEntry[]): Entries {
  return {
    kinds: entries.map((entry) => kindCodes[entry.kind ?? kind]),
    originIds: entries.map(({ originId }) => originId),
    contentHashes: entries.map(contentHashOf),
    products: entries.map(({ productOriginId }) => productOriginId),
    orders: entries.map(({ orderOriginId }) => orderOriginId),
  };
}

/** Bytes before the hashes: the number of bytes that those take. */
const headBytes = 4;

export function packEntries({ kinds, originIds, contentHashes, products, orders }: Entries): Uint8Array {
  const count = originIds.length;
  const columns: EntryColumns = [
    repeated(kinds, count),
    originIds,
    repeated(
      contentHashes.map(({ length }) => length),
      count,
    ),
    repeated(products, count),
    repeated(
      orders.map((order, at) => packOrder(order, originIds[at] ?? '')),
      count,
    ),
  ];
  const text = contentHashes.join('');
  const hashes = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4, 'A'), 'base64url');
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32LE(hashes.length);
  return Buffer.concat([head, hashes, pack(columns)]);
}

/** @throws as `unpack`. */
export function unpackEntries({ buffer, byteOffset, byteLength }: Uint8Array): Entries {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const end = headBytes + (byteLength < headBytes ? 0 : bytes.readUInt32LE());
  const [kinds, originIds, hashLengths, products, orders] = unpack<EntryColumns>(bytes.subarray(end));
  const count = originIds.length;
  return {
    kinds: valuesOf(kinds, count),
    originIds,
    contentHashes: partsOf(bytes.toString('base64url', headBytes, end), valuesOf(hashLengths, count)),
    products: valuesOf(products, count),
    orders: valuesOf(orders, count).map((order, at) =>
      typeof order === 'number' ? originIds[at]?.slice(0, order) : order,
    ),
  };
}

function partsOf(text: string, lengths: readonly number[]): readonly string[] {
  let end = 0;
  return lengths.map((length) => {
    end += length;
    return text.slice(end - length, end);
  });
}

/** @throws Error for what only a mistake of this program would put on record. */
function contentHashOf({ originId, contentHash }: JournalEntry): string {
  if (typeof contentHash !== 'string' || !/^[\w-]*$/.test(contentHash))
    throw new TypeError(`the record ${originId} has no hash of its content`);
  return contentHash;
}

function packOrder(order: Optional, originId: string): Optional | number {
  return typeof order === 'string' && originId.startsWith(order) ? order.length : order;
}

/** What became of the entries of a request, by their positions; the states are of `stateCodes`. */
export interface Fates {
  readonly states: number[];
  readonly jobIds: Optional[];
  readonly objectIds: Optional[];
  readonly failureReasons: Optional[];
}

type FateColumns = readonly [states: Repeated<number>, ...columns: readonly Repeated<Optional>[]];

export function noFates(count: number): Fates {
  return { states: new Array(count).fill(stateCodes.none), jobIds: [], objectIds: [], failureReasons: [] };
}

export function packFates({ states, jobIds, objectIds, failureReasons }: Fates): Uint8Array {
  const count = states.length;
  const columns: FateColumns = [
    repeated(states, count),
    repeated(jobIds, count),
    repeated(objectIds, count),
    repeated(failureReasons, count),
  ];
  return pack(columns);
}

export function unpackFates(bytes: Uint8Array, count: number): Fates {
  const [states, jobIds = null, objectIds = null, failureReasons = null] = unpack<FateColumns>(bytes);
  return {
    states: valuesOf(states, count),
    jobIds: valuesOf(jobIds, count),
    objectIds: valuesOf(objectIds, count),
    failureReasons: valuesOf(failureReasons, count),
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
const zlibOptions = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 4096 };

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

/** A column may be shorter than its count, or have holes. */
function repeated<T>(column: readonly (T | undefined)[], count: number): Repeated<T> {
  const first = column[0] ?? null;
  for (let at = 1; at < count; at += 1) if ((column[at] ?? null) !== first) return column as readonly T[];
  return first;
}

/** A column without a value is empty. */
function valuesOf<T>(column: Repeated<T>, count: number): T[] {
  if (Array.isArray(column)) return column;
  return column === null ? [] : new Array<T>(count).fill(column as T);
}
