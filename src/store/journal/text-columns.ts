import { damagedJournal } from './journal-failure.ts';

/*
 * Columns of texts as bytes. Neighbours in a column begin alike as a rule (`order-0041-1`, `order-0041-2`), so each
 * text is written as the number of bytes that it shares with the one before it, and the rest. That costs a fraction of
 * what deflating them costs.
 */

/** A text; a row of a column may have none. */
export type Optional = string | null | undefined;

/** A column to join: texts, or numbers, which come back as their digits. */
type Column = readonly (Optional | number)[];

/** The separators of ASCII: between the texts of a column, and between columns. */
const betweenTexts = 0x1f;
const betweenColumns = 0x1e;
const textSeparator = String.fromCharCode(betweenTexts);
/** Characters that would be taken for a separator, and half a character, which UTF-8 cannot say. */
const special = /[\\\x1e\x1f]|\p{Surrogate}/gu;
const maybeSpecial = /[\\\x1e\x1f\ud800-\udfff]/;
/** Stands for a text that is missing. An escaped text is never this. */
const missing = '\\';
/** The number of shared bytes is written as one byte, from a space on. */
const digitOfNone = 0x20;
const mostShared = 0x7e - digitOfNone;
/** More texts than any request has; a greater number is damage, and no room is made for it. */
const mostTexts = 2 ** 24;

/** Columns of `count` texts; they may be shorter, or have holes, if texts are missing. */
export function joinColumns(count: number, columns: readonly Column[]): Uint8Array {
  const texts = columns.map((column) => Buffer.from(textOf(column, areEqual(column, count) ? 1 : count)));
  const head = Buffer.from(`${count}`);
  // Each text takes one byte more, and each column one more than these.
  const room = texts.reduce((sum, { length }) => sum + length + Math.max(count, 1) + 1, head.length);
  const joined = Buffer.allocUnsafe(room);
  let end = head.copy(joined);
  for (const text of texts) {
    joined[end] = betweenColumns;
    end = shorten(text, joined, end + 1);
  }
  return joined.subarray(0, end);
}

/**
 * Reads the columns of `joinColumns`; one without any text is empty.
 * @throws Failure('unreadable-path') if the bytes are damaged, or are not so many columns.
 */
export function splitColumns({ buffer, byteOffset, byteLength }: Uint8Array, width: number): Optional[][] {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const ends: number[] = [];
  for (let end = bytes.indexOf(betweenColumns); end !== -1; end = bytes.indexOf(betweenColumns, end + 1))
    ends.push(end);
  const count = Number(bytes.toString('latin1', 0, ends[0] ?? 0));
  if (ends.length !== width || !isCount(count)) throw damaged();
  return ends.map((end, column) => {
    const texts = splitTexts(bytes.subarray(end + 1, ends[column + 1]), count);
    return texts.length === 1 ? repeated(texts[0], count) : texts;
  });
}

function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= 0 && count <= mostTexts;
}

function areEqual(column: Column, count: number): boolean {
  const first = column[0] ?? null;
  for (let at = 1; at < count; at += 1) if ((column[at] ?? null) !== first) return false;
  return count > 0;
}

function repeated(text: Optional, count: number): Optional[] {
  return text === null ? [] : new Array<Optional>(count).fill(text);
}

/** The texts of a column, with what is between them. */
function textOf(column: Column, count: number): string {
  const isPlain = !maybeSpecial.test(column.join(''));
  const texts = new Array<string>(count);
  for (let at = 0; at < count; at += 1) {
    const value = column[at] ?? undefined;
    texts[at] = value === undefined ? missing : isPlain ? `${value}` : escapedText(`${value}`);
  }
  return texts.join(textSeparator);
}

function splitTexts(bytes: Buffer, count: number): (string | null)[] {
  if (count === 0) return [];
  const text = lengthen(bytes);
  const texts = text.split(textSeparator);
  if (texts.length !== count && texts.length !== 1) throw damaged();
  return text.includes(missing) ? texts.map((one) => (one === missing ? null : unescapedText(one))) : texts;
}

/** Writes the texts of a column shortened, from `end` on; returns where they end. */
function shorten(texts: Buffer, into: Buffer, end: number): number {
  let at = end;
  let before = 0;
  let beforeEnd = 0;
  for (let start = 0; start <= texts.length; ) {
    const next = texts.indexOf(betweenTexts, start);
    const textEnd = next === -1 ? texts.length : next;
    const most = Math.min(textEnd - start, beforeEnd - before, mostShared);
    let shared = 0;
    while (shared < most && texts[start + shared] === texts[before + shared]) shared += 1;
    if (start > 0) into[at++] = betweenTexts;
    into[at++] = digitOfNone + shared;
    for (let from = start + shared; from < textEnd; from += 1) into[at++] = texts[from] ?? 0;
    before = start;
    beforeEnd = textEnd;
    start = textEnd + 1;
  }
  return at;
}

/** Grows as columns need it. */
let scratch = Buffer.allocUnsafeSlow(2 ** 14);

/** The texts of a column as they were before `shorten`. */
function lengthen(bytes: Buffer): string {
  let end = 0;
  let before = 0;
  let beforeEnd = 0;
  for (let start = 0; start <= bytes.length; ) {
    const shared = (bytes[start] ?? 0) - digitOfNone;
    if (shared < 0 || shared > beforeEnd - before) throw damaged();
    const most = end + 1 + shared + bytes.length - start;
    if (most > scratch.length) scratch = Buffer.concat([scratch], 2 * most);
    if (start > 0) scratch[end++] = betweenTexts;
    const first = end;
    for (let at = 0; at < shared; at += 1) scratch[end++] = scratch[before + at] ?? 0;
    for (start += 1; start < bytes.length && bytes[start] !== betweenTexts; start += 1)
      scratch[end++] = bytes[start] ?? 0;
    before = first;
    beforeEnd = end;
    start += 1;
  }
  return scratch.toString('utf8', 0, end);
}

function escapedText(text: string): string {
  return text.replace(special, (character) => `\\${character.charCodeAt(0).toString(16)};`);
}

function unescapedText(text: string): string {
  return text.replace(/\\([\da-f]+);/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function damaged(): Error {
  return damagedJournal('what is kept of records cannot be read');
}
