import { damagedJournal } from './journal-failure.ts';

/*
 * Columns of texts as bytes. Neighbours in a column begin alike as a rule (`order-0041-1`, `order-0041-2`), so each text
 * is written as the number of characters that it shares with the one before it, and the rest. That costs a fraction of
 * what deflating them costs, and leaves about as many bytes.
 */

/** A text; a row of a column may have none. */
export type Optional = string | null | undefined;

/** What is joined: texts, or numbers, which come back as their digits. */
type Column = readonly (Optional | number)[];

/** What ASCII has for this purpose: between the texts of a column, and between columns. */
const betweenTexts = '\x1f';
const betweenColumns = '\x1e';
/** What would be taken for one of them, and half a character, which UTF-8 cannot say. */
const special = /[\\\x1e\x1f]|\p{Surrogate}/gu;
const maybeSpecial = /[\\\x1e\x1f\ud800-\udfff]/;
/** Stands for a text that is missing. An escaped text is never this. */
const missing = '\\';
/** The number of shared characters is written as one character, from a space on. */
const digitOfNone = 0x20;
const mostShared = 0x7e - digitOfNone;
const endOfAscii = 0x80;

/** Columns of `count` texts; they may be shorter, or have holes, where texts are missing. */
export function joinColumns(count: number, columns: readonly Column[]): Uint8Array {
  const texts = columns.map((column) => joinTexts(column, areEqual(column, count) ? 1 : count));
  return Buffer.from([`${count}`, ...texts].join(betweenColumns));
}

/**
 * The columns of `joinColumns`; those without any text are empty.
 * @throws Failure('unreadable-path') where the bytes are damaged.
 */
export function splitColumns({ buffer, byteOffset, byteLength }: Uint8Array, width: number): Optional[][] {
  const [digits, ...columns] = Buffer.from(buffer, byteOffset, byteLength).toString().split(betweenColumns);
  const count = Number(digits);
  if (columns.length !== width || !Number.isSafeInteger(count)) throw damaged();
  return columns.map((column) => {
    const texts = splitTexts(column);
    if (texts.length === count) return count === 1 && texts[0] === null ? [] : texts;
    const [text] = texts;
    if (texts.length !== 1 || text === undefined) throw damaged();
    return text === null ? [] : new Array<string>(count).fill(text);
  });
}

function areEqual(column: Column, count: number): boolean {
  const first = column[0] ?? null;
  for (let at = 1; at < count; at += 1) if ((column[at] ?? null) !== first) return false;
  return count > 0;
}

function joinTexts(column: Column, count: number): string {
  const isPlain = !maybeSpecial.test(column.join(''));
  const parts = new Array<string>(count);
  let before = '';
  for (let at = 0; at < count; at += 1) {
    const value = column[at] ?? undefined;
    const text = value === undefined ? missing : isPlain ? `${value}` : escapedText(`${value}`);
    const shared = sharedLength(before, text);
    parts[at] = String.fromCharCode(digitOfNone + shared) + text.slice(shared);
    before = text;
  }
  return parts.join(betweenTexts);
}

function splitTexts(column: string): (string | null)[] {
  if (column === '') return [];
  let before = '';
  return column.split(betweenTexts).map((part) => {
    const shared = part.charCodeAt(0) - digitOfNone;
    if (!(shared >= 0 && shared <= before.length)) throw damaged();
    before = before.slice(0, shared) + part.slice(1);
    return before === missing ? null : unescaped(before);
  });
}

/** Of ASCII alone, so that no character is split. */
function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length, mostShared);
  let at = 0;
  for (; at < most; at += 1) {
    const code = one.charCodeAt(at);
    if (code !== other.charCodeAt(at) || code >= endOfAscii) break;
  }
  return at;
}

function escapedText(text: string): string {
  return text.replace(special, (character) => `\\${character.charCodeAt(0).toString(16)};`);
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\([\da-f]+);/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function damaged(): Error {
  return damagedJournal('what is kept of records cannot be read');
}
