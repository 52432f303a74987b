import { isUtf8 } from 'node:buffer';
import type { Encoding } from '../records/options.ts';

/** A strict charset: invalid bytes are never replaced or skipped. */
export interface Charset {
  readonly encoding: Encoding;
  /** Empty for the Windows charsets. */
  readonly byteOrderMark: Buffer;
  /** Maximum number of bytes per character. */
  readonly characterBytes: number;
  /** Returns the text; undefined if `bytes` are invalid or end within a character. */
  decode(bytes: Buffer): string | undefined;
  /** Returns the bytes of a text. All of its characters must be in this charset. */
  encode(text: string): Uint8Array;
}

/** Returns the charset with this name. The Windows charsets load their tables on first use. */
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
  characterBytes: 4,
  decode: (bytes) => (isUtf8(bytes) ? bytes.toString('utf8') : undefined),
  encode: (text) => Buffer.from(text),
};

const utf16le: Charset = {
  encoding: 'utf-16le',
  byteOrderMark: Buffer.from([0xff, 0xfe]),
  characterBytes: 4,
  decode: decodeUtf16,
  encode: (text) => Buffer.from(text, 'utf16le'),
};

const utf16be: Charset = {
  encoding: 'utf-16be',
  byteOrderMark: Buffer.from([0xfe, 0xff]),
  characterBytes: 4,
  decode: (bytes) => (bytes.length % 2 === 0 ? decodeUtf16(Buffer.from(bytes).swap16()) : undefined),
  encode: (text) => Buffer.from(text, 'utf16le').swap16(),
};

async function loadCp949(): Promise<Charset> {
  const { createMultibyteDecoder, createMultibyteEncoder } = await import('@exodus/bytes/multi-byte.js');
  const decode = createMultibyteDecoder('euc-kr');
  return {
    encoding: 'cp949',
    byteOrderMark: Buffer.alloc(0),
    characterBytes: 2,
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

/** Western European. It accepts nearly all bytes, so it cannot be detected; only a person can name it. */
async function loadWindows1252(): Promise<Charset> {
  const { windows1252fromString, windows1252toString } = await import('@exodus/bytes/single-byte.js');
  return {
    encoding: 'windows-1252',
    byteOrderMark: Buffer.alloc(0),
    characterBytes: 1,
    decode: (bytes) => {
      const text = windows1252toString(bytes);
      // Its five unused bytes decode to control characters.
      return /[\u0080-\u009f]/.test(text) ? undefined : text;
    },
    encode: windows1252fromString,
  };
}

/** Replaces each character that the charset lacks by `?`. */
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

/** The charset of the byte-order mark at the beginning of a text, if it has one. */
export function charsetOfMark(head: Buffer): Charset | undefined {
  return [utf8, utf16le, utf16be].find((charset) => isMarked(head, charset));
}

/** True if a text begins with the byte-order mark of this charset. */
export function isMarked(head: Buffer, { byteOrderMark }: Charset): boolean {
  return byteOrderMark.length > 0 && head.subarray(0, byteOrderMark.length).equals(byteOrderMark);
}

/** Decodes bytes and returns an incomplete character at their end as `rest`; undefined if they are invalid. */
export function decodeStart(bytes: Buffer, charset: Charset) {
  for (let cut = 0; cut < charset.characterBytes; cut += 1) {
    const end = Math.max(0, bytes.length - cut);
    const text = charset.decode(bytes.subarray(0, end));
    if (text !== undefined) return { text, rest: bytes.subarray(end) };
  }
  return undefined;
}

/** The length of the longest prefix of `bytes` that is valid text. */
export function textLength(bytes: Buffer, charset: Charset): number {
  let [least, most] = [0, bytes.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (decodeStart(bytes.subarray(0, middle), charset) === undefined) most = middle - 1;
    else least = middle;
  }
  return least - (decodeStart(bytes.subarray(0, least), charset)?.rest.length ?? 0);
}

/** Size of the sample for detecting UTF-16 without a byte-order mark. */
const sampleBytes = 4096;

/**
 * Detects UTF-16 without a byte-order mark by its ASCII characters, which must be at least a quarter of the sample. One
 * byte of each is NUL: the second one if the low byte comes first. Hardly any other character has a NUL byte (`가`).
 */
export function unmarkedUtf16(bytes: Buffer): Charset | undefined {
  const sample = bytes.subarray(0, sampleBytes);
  const nuls = { even: 0, odd: 0 };
  for (const [at, byte] of sample.entries()) if (byte === 0) nuls[at % 2 === 0 ? 'even' : 'odd'] += 1;
  const { even, odd } = nuls;
  if (Math.max(even, odd) * 8 < sample.length || Math.max(even, odd) <= 4 * Math.min(even, odd))
    return undefined;
  return odd > even ? utf16le : utf16be;
}

function decodeUtf16(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf16le');
  return bytes.length % 2 === 1 || /\p{Surrogate}/u.test(text) ? undefined : text;
}
