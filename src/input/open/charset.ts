import { isUtf8 } from 'node:buffer';
import type { Encoding } from '../records/options.ts';

/** A strict charset: invalid bytes are never replaced or skipped. */
export interface Charset {
  readonly encoding: Encoding;
  /** Empty for those of Windows. */
  readonly byteOrderMark: Buffer;
  /** The length of `bytes` without an incomplete character at the end. */
  wholeLength(bytes: Buffer): number;
  /** The text, or undefined if `bytes` are invalid. */
  decode(bytes: Buffer): string | undefined;
  /** The bytes of a text, all of whose characters must be in this charset. */
  encode(text: string): Uint8Array;
}

/** The charset with this name; those of Windows load their tables on first use. */
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
    case 'windows-1252':
      return loadWindows1252();
  }
}

export const utf8: Charset = {
  encoding: 'utf-8',
  byteOrderMark: Buffer.from([0xef, 0xbb, 0xbf]),
  wholeLength: wholeLengthOfUtf8,
  decode: (bytes) => (isUtf8(bytes) ? bytes.toString('utf8') : undefined),
  encode: (text) => Buffer.from(text),
};

const utf16le: Charset = {
  encoding: 'utf-16le',
  byteOrderMark: Buffer.from([0xff, 0xfe]),
  wholeLength: (bytes) => wholeLengthOfUtf16(bytes, 1),
  decode: (bytes) => wellFormed(bytes.toString('utf16le')),
  encode: (text) => Buffer.from(text, 'utf16le'),
};

const utf16be: Charset = {
  encoding: 'utf-16be',
  byteOrderMark: Buffer.from([0xfe, 0xff]),
  wholeLength: (bytes) => wholeLengthOfUtf16(bytes, 0),
  decode: (bytes) => wellFormed(Buffer.from(bytes).swap16().toString('utf16le')),
  encode: (text) => Buffer.from(text, 'utf16le').swap16(),
};

async function loadCp949(): Promise<Charset> {
  const { createMultibyteDecoder, createMultibyteEncoder } = await import('@exodus/bytes/multi-byte.js');
  const decode = createMultibyteDecoder('euc-kr');
  return {
    encoding: 'cp949',
    byteOrderMark: Buffer.alloc(0),
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

/** Western European: of every text it makes another one, so only a person can name it. */
async function loadWindows1252(): Promise<Charset> {
  const { windows1252fromString, windows1252toString } = await import('@exodus/bytes/single-byte.js');
  return {
    encoding: 'windows-1252',
    byteOrderMark: Buffer.alloc(0),
    wholeLength: ({ length }) => length,
    decode: (bytes) => {
      const text = windows1252toString(bytes);
      // What its five unused bytes are decoded to.
      return /[\u0080-\u009f]/.test(text) ? undefined : text;
    },
    encode: windows1252fromString,
  };
}

/** A text with `?` for each character that the charset lacks. */
export function encodable(text: string, charset: Charset): string {
  const canEncode = (part: string) => {
    try {
      charset.encode(part);
      return true;
    } catch {
      return false;
    }
  };
  const composed = text.normalize('NFC');
  return canEncode(composed)
    ? composed
    : Array.from(composed, (one) => (canEncode(one) ? one : '?')).join('');
}

/** The charset of the byte-order mark at the beginning of a text. */
export function charsetOfMark(head: Buffer): Charset | undefined {
  return [utf8, utf16le, utf16be].find((charset) => isMarked(head, charset));
}

/** Whether a text begins with the byte-order mark of this charset. */
function isMarked(head: Buffer, { byteOrderMark }: Charset): boolean {
  return byteOrderMark.length > 0 && head.subarray(0, byteOrderMark.length).equals(byteOrderMark);
}

/** The length of the longest prefix of `bytes` that is valid text. */
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

/** The size of the sample for the detection of UTF-16 without a byte-order mark. */
const sampleBytes = 4096;

/**
 * At least one of `plainShare` characters of UTF-16 is ASCII, and at most one of `accidentShare` of them by accident.
 */
const plainShare = 4;
const accidentShare = 4;

/**
 * Detects UTF-16 without a byte-order mark: text with ASCII characters in one byte order and hardly any in the other.
 */
export function unmarkedUtf16(bytes: Buffer): Charset | undefined {
  const head = bytes.subarray(0, sampleBytes);
  if (!head.includes(0)) return undefined;
  const sample = head.subarray(0, head.length - (head.length % 2));
  const [asLittle, asBig] = [plainCharacters(sample, utf16le), plainCharacters(sample, utf16be)];
  const [more, less] = [Math.max(asLittle, asBig), Math.min(asLittle, asBig)];
  if (more * plainShare * 2 < sample.length || more <= less * accidentShare) return undefined;
  return asLittle > asBig ? utf16le : utf16be;
}

/** The number of ASCII characters; 0 for invalid text. */
function plainCharacters(sample: Buffer, charset: Charset): number {
  const text = charset.decode(sample.subarray(0, charset.wholeLength(sample)));
  if (text === undefined || /[\0-\u0008\u000e-\u001f\ufffe\uffff]/.test(text)) return 0;
  return text.match(/[\t\n\r -~]/g)?.length ?? 0;
}

/** The most bytes of a character in UTF-8. */
export const longestOfUtf8 = 4;

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

/** `high` is the index of the high byte in a unit. The first half of a surrogate pair is an incomplete character. */
function wholeLengthOfUtf16(bytes: Buffer, high: 0 | 1): number {
  const length = bytes.length - (bytes.length % 2);
  const last = bytes[length - 2 + high] ?? 0;
  return last >= 0xd8 && last < 0xdc ? length - 2 : length;
}

function wellFormed(text: string): string | undefined {
  return /\p{Surrogate}/u.test(text) ? undefined : text;
}

/** Smaller bytes are always single characters, never the second byte of a pair. */
const firstTrail = 0x41;

function wholeLengthOfCp949(bytes: Buffer): number {
  let at = bytes.length;
  while (at > 0 && (bytes[at - 1] ?? 0) >= firstTrail) at -= 1;
  while (at < bytes.length) at += (bytes[at] ?? 0) > 0x80 ? 2 : 1;
  return at > bytes.length ? bytes.length - 1 : bytes.length;
}
