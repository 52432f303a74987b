import { isUtf8 } from 'node:buffer';
import { bytesOf, firstBytes } from './bytes.ts';
import type { InputFile } from './open.ts';
import type { Encoding, InputOptions } from './place.ts';

/** How bytes become text, strictly: what is not text of this charset is never replaced or passed over. */
export interface Charset {
  readonly encoding: Encoding;
  /** What marks the beginning of a text; CP949 has none. */
  readonly mark: Buffer;
  /** How many of `bytes` are whole characters: all, but for the beginning of one at their end. */
  wholeLength(bytes: Buffer): number;
  /** The text, or undefined where `bytes` are none. */
  decode(bytes: Buffer): string | undefined;
  /** The bytes of a text that this charset has all characters of. */
  encode(text: string): Uint8Array;
}

/**
 * How to read the text of a file. A byte-order mark decides; then `choice`; then UTF-16 that is unmistakable without its
 * mark; then UTF-8 and CP949, whichever the whole file is. A file that is neither gets the one that fails later in it, so
 * that the place of the failure is that of the damage. What was found is remembered for as long as the file is open.
 * Throws the reason of the file's `stopping`.
 */
export async function charsetOf(
  file: InputFile,
  choice: InputOptions['encoding'] = 'auto',
): Promise<Charset> {
  const head = await firstBytes(file, sampleBytes);
  const marked = marksOf(head);
  if (marked) return charsetNamed(marked);
  if (choice !== 'auto') return charsetNamed(choice);
  const known = found.get(file) ?? findEncoding(file, head);
  found.set(file, known);
  return charsetNamed(await known);
}

/** The charset of this name; CP949 loads its table on first use. */
export async function charsetNamed(encoding: Encoding): Promise<Charset> {
  switch (encoding) {
    case 'utf-8':
      return utf8;
    case 'utf-16le':
      return utf16le;
    case 'utf-16be':
      return utf16be;
    case 'cp949':
      return loadCp949();
  }
}

const found = new WeakMap<InputFile, Promise<Encoding>>();

/** How much of a file is looked at for a mark and for UTF-16 without one. */
const sampleBytes = 4096;

const utf8: Charset = {
  encoding: 'utf-8',
  mark: Buffer.from([0xef, 0xbb, 0xbf]),
  wholeLength: wholeLengthOfUtf8,
  decode: (bytes) => (isUtf8(bytes) ? bytes.toString('utf8') : undefined),
  encode: (text) => Buffer.from(text),
};

const utf16le: Charset = {
  encoding: 'utf-16le',
  mark: Buffer.from([0xff, 0xfe]),
  wholeLength: (bytes) => wholeLengthOfUtf16(bytes, 1),
  decode: (bytes) => wellFormed(bytes.toString('utf16le')),
  encode: (text) => Buffer.from(text, 'utf16le'),
};

const utf16be: Charset = {
  encoding: 'utf-16be',
  mark: Buffer.from([0xfe, 0xff]),
  wholeLength: (bytes) => wholeLengthOfUtf16(bytes, 0),
  decode: (bytes) => wellFormed(Buffer.from(bytes).swap16().toString('utf16le')),
  encode: (text) => Buffer.from(text, 'utf16le').swap16(),
};

async function loadCp949(): Promise<Charset> {
  const { createMultibyteDecoder, createMultibyteEncoder } = await import('@exodus/bytes/multi-byte.js');
  const decode = createMultibyteDecoder('euc-kr');
  return {
    encoding: 'cp949',
    mark: Buffer.alloc(0),
    wholeLength: wholeLengthOfCp949,
    decode: (bytes) => {
      try {
        return decode(bytes);
      } catch {
        return undefined;
      }
    },
    encode: createMultibyteEncoder('euc-kr'),
  };
}

function marksOf(head: Buffer): Encoding | undefined {
  const isMarked = ({ mark }: Charset) => head.subarray(0, mark.length).equals(mark);
  return [utf8, utf16le, utf16be].find(isMarked)?.encoding;
}

async function findEncoding(file: InputFile, head: Buffer): Promise<Encoding> {
  const unmarked = unmarkedUtf16(head);
  if (unmarked) return unmarked;
  const asUtf8 = await reachOf(file, utf8);
  if (asUtf8 === Number.POSITIVE_INFINITY) return 'utf-8';
  const asCp949 = await reachOf(file, await loadCp949());
  return asCp949 > asUtf8 ? 'cp949' : 'utf-8';
}

/** Where in a file the first bytes stand that are no text of `charset`; infinity for nowhere. */
async function reachOf(file: InputFile, charset: Charset): Promise<number> {
  let reach = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of bytesOf(file)) {
    file.stopping.throwIfAborted();
    // Damage of the packing is told when the file is read; it says nothing about the charset.
    if (bytes === 'broken-gzip') return Number.POSITIVE_INFINITY;
    const joined = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const whole = joined.subarray(0, charset.wholeLength(joined));
    if (charset.decode(whole) === undefined) return reach + textLength(whole, charset);
    reach += whole.length;
    rest = joined.subarray(whole.length);
  }
  return rest.length === 0 ? Number.POSITIVE_INFINITY : reach;
}

/** How many bytes at the beginning of `bytes` are text. */
export function textLength(bytes: Buffer, charset: Charset): number {
  let [least, most] = [0, bytes.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    const whole = bytes.subarray(0, middle);
    if (charset.decode(whole.subarray(0, charset.wholeLength(whole))) === undefined) most = middle - 1;
    else least = middle;
  }
  return charset.wholeLength(bytes.subarray(0, least));
}

/** Of this many characters of UTF-16 at least one is plain, and of this many plain ones at most one looks so by accident. */
const plainShare = 4;
const accidentShare = 4;

/** UTF-16 without its mark: text with plain characters (ASCII) in one order of the bytes, and hardly any in the other. */
function unmarkedUtf16(head: Buffer): Encoding | undefined {
  if (!head.includes(0)) return undefined;
  const sample = head.subarray(0, head.length - (head.length % 2));
  const [asLittle, asBig] = [plainCharacters(sample, utf16le), plainCharacters(sample, utf16be)];
  const [more, less] = [Math.max(asLittle, asBig), Math.min(asLittle, asBig)];
  if (more * plainShare * 2 < sample.length || more <= less * accidentShare) return undefined;
  return asLittle > asBig ? 'utf-16le' : 'utf-16be';
}

/** How many characters of a text are ASCII; none where it is no text. */
function plainCharacters(sample: Buffer, charset: Charset): number {
  const text = charset.decode(sample.subarray(0, charset.wholeLength(sample)));
  if (text === undefined || /[\0-\u0008\u000e-\u001f\ufffe\uffff]/.test(text)) return 0;
  return text.match(/[\t\n\r -~]/g)?.length ?? 0;
}

const longestOfUtf8 = 4;

function wholeLengthOfUtf8(bytes: Buffer): number {
  for (let back = 1; back < longestOfUtf8; back += 1) {
    const byte = bytes.at(-back) ?? 0;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (isContinuation) continue;
    return lengthInUtf8(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function lengthInUtf8(leadingByte: number): number {
  if (leadingByte >= 0xf0) return longestOfUtf8;
  if (leadingByte >= 0xe0) return 3;
  return leadingByte >= 0xc0 ? 2 : 1;
}

/** `high` is where in a unit its high byte stands. The first half of a pair of surrogates is no whole character. */
function wholeLengthOfUtf16(bytes: Buffer, high: 0 | 1): number {
  const length = bytes.length - (bytes.length % 2);
  const last = bytes[length - 2 + high] ?? 0;
  return last >= 0xd8 && last < 0xdc ? length - 2 : length;
}

function wellFormed(text: string): string | undefined {
  return /\p{Surrogate}/u.test(text) ? undefined : text;
}

/** Below are the bytes that are a character of their own and never the second of a pair. */
const firstTrail = 0x41;

function wholeLengthOfCp949(bytes: Buffer): number {
  let at = bytes.length;
  while (at > 0 && (bytes[at - 1] ?? 0) >= firstTrail) at -= 1;
  while (at < bytes.length) at += (bytes[at] ?? 0) > 0x80 ? 2 : 1;
  return at > bytes.length ? bytes.length - 1 : bytes.length;
}
