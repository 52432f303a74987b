import { isAscii, isUtf8 } from 'node:buffer';
import type { InputOptions } from '../records/options.ts';
import {
  type Charset,
  charsetNamed,
  charsetOfMark,
  longestOfUtf8,
  textLength,
  unmarkedUtf16,
  utf8,
} from './charset.ts';
import type { Bytes } from './input-file.ts';

/** Bytes and their charset. */
export interface EncodedPiece {
  readonly charset: Charset;
  readonly bytes: Buffer;
  /** Whether no other charset is possible. */
  readonly isLastChoice: boolean;
  /** The bytes from here on by which a text was detected as CP949; only on the first piece after the detection. */
  readonly evidence?: Buffer;
}

/**
 * The least bytes that are examined after the first character that is not ASCII; short texts may be valid in both
 * charsets.
 */
const leastEvidence = 2 * 65_536;
/** After this many bytes of valid UTF-8, the text is UTF-8. */
const mostEvidence = 1_048_576;

/**
 * Detects the charset of a text: by its byte-order mark, else `choice`, else as unmistakable UTF-16 without a mark,
 * else as UTF-8 or CP949, whichever is valid longer from the first character that is not ASCII; if neither is valid
 * throughout, the failure is where the damage is. Damaged UTF-8 is never CP949. After a MiB of valid UTF-8 the text
 * must be UTF-8.
 */
export async function* findCharset(
  pieces: AsyncIterable<Bytes>,
  choice: InputOptions['encoding'] = 'auto',
): AsyncGenerator<EncodedPiece | 'broken-gzip'> {
  const unsure: Buffer[] = [];
  let unsureBytes = 0;
  let mayBeUtf8 = true;
  let known: FoundCharset | undefined;
  let isFirst = true;
  for await (const bytes of pieces) {
    if (bytes === 'broken-gzip') {
      yield* decided(unsure, await decide(unsure, { isEnd: false }));
      yield bytes;
      return;
    }
    if (isFirst) known = await charsetAtFirst(bytes, choice);
    isFirst = false;
    if (known !== undefined) yield { ...known, bytes };
    else if (unsure.length === 0 && isAscii(bytes)) yield { charset: utf8, isLastChoice: true, bytes };
    else {
      unsure.push(bytes);
      unsureBytes += bytes.length;
      mayBeUtf8 &&= isPartOfUtf8(bytes);
      if (unsureBytes < (mayBeUtf8 ? mostEvidence : leastEvidence)) continue;
      const found = await decide(unsure, { isEnd: false });
      yield* decided(unsure.splice(0), found);
      const { evidence: _, ...others } = found;
      known = others;
    }
  }
  yield* decided(unsure, await decide(unsure, { isEnd: true }));
}

type FoundCharset = Omit<EncodedPiece, 'bytes'>;

async function charsetAtFirst(
  head: Buffer,
  choice: NonNullable<InputOptions['encoding']>,
): Promise<FoundCharset | undefined> {
  const isLastChoice = choice === 'auto';
  const marked = charsetOfMark(head);
  if (marked !== undefined) return { charset: marked, isLastChoice };
  if (choice !== 'auto') return { charset: await charsetNamed(choice), isLastChoice };
  const charset = unmarkedUtf16(head);
  return charset && { charset, isLastChoice };
}

function* decided(pieces: readonly Buffer[], { evidence, ...found }: FoundCharset): Generator<EncodedPiece> {
  for (const [index, bytes] of pieces.entries()) {
    yield index === 0 && evidence !== undefined ? { ...found, bytes, evidence } : { ...found, bytes };
  }
}

/** Whether bytes are UTF-8, apart from characters that are cut at either end. */
function isPartOfUtf8(bytes: Buffer): boolean {
  const start = bytes.findIndex((byte) => byte < 0x80 || byte > 0xbf);
  return start < longestOfUtf8 && isUtf8(bytes.subarray(start, utf8.wholeLength(bytes)));
}

async function decide(pieces: readonly Buffer[], place: { readonly isEnd: boolean }): Promise<FoundCharset> {
  const bytes = Buffer.concat(pieces);
  const asUtf8 = reachOf(bytes, utf8, place);
  if (asUtf8 === Number.POSITIVE_INFINITY || isDamagedUtf8(bytes))
    return { charset: utf8, isLastChoice: false };
  const cp949 = await charsetNamed('cp949');
  return reachOf(bytes, cp949, place) > asUtf8
    ? { charset: cp949, isLastChoice: true, evidence: bytes }
    : { charset: utf8, isLastChoice: true };
}

/**
 * Whether valid sequences of three bytes, as UTF-8 writes Hangul, outnumber the invalid bytes. Words in CP949 have
 * valid sequences of two bytes (`커피`), hardly ever of three.
 */
function isDamagedUtf8(bytes: Buffer): boolean {
  let balance = 0;
  for (const [sequence] of bytes.toString('latin1').matchAll(sequencesOfUtf8)) {
    if (sequence.length === 3) balance += 1;
    else if (sequence.length === 1) balance -= 1;
  }
  return balance > 0;
}

/** Sequences of UTF-8 in bytes as Latin-1, and single invalid bytes. */
const sequencesOfUtf8 =
  /[\u00e0-\u00ef][\u0080-\u00bf]{2}|[\u00c2-\u00df][\u0080-\u00bf]|[\u00f0-\u00f4][\u0080-\u00bf]{3}|[\u0080-\u00ff]/g;

/** The position of the first bytes that are invalid in `charset`; infinity if all are valid. */
function reachOf(bytes: Buffer, charset: Charset, { isEnd }: { readonly isEnd: boolean }): number {
  const whole = bytes.subarray(0, charset.wholeLength(bytes));
  if (charset.decode(whole) === undefined) return textLength(whole, charset);
  return isEnd && whole.length < bytes.length ? whole.length : Number.POSITIVE_INFINITY;
}
