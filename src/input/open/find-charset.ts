import { isAscii } from 'node:buffer';
import type { InputOptions } from '../records/options.ts';
import {
  type Charset,
  charsetNamed,
  charsetOfMark,
  decodeStart,
  textLength,
  unmarkedUtf16,
  utf8,
} from './charset.ts';
import type { Bytes } from './input-file.ts';

/** A piece of bytes with its charset. */
export interface EncodedPiece {
  readonly charset: Charset;
  readonly bytes: Buffer;
  /** True if no other charset is possible. */
  readonly isLastChoice: boolean;
}

/** Bytes to examine, from the piece with the first character that is not ASCII. */
const evidenceBytes = 1_048_576;

/**
 * Detects the charset of a text: the one of its byte-order mark, else `choice`, else UTF-16 without a mark if it is
 * unmistakable, else UTF-8 or CP949. Of these two, the one that stays valid longer wins, so that a failure points to
 * the damage. Damaged UTF-8 and Western European text are not mistaken for CP949.
 */
export async function* findCharset(
  pieces: AsyncIterable<Bytes>,
  choice: InputOptions['encoding'] = 'auto',
): AsyncGenerator<EncodedPiece | 'broken-gzip'> {
  const unsure: Buffer[] = [];
  let unsureBytes = 0;
  let known: FoundCharset | undefined;
  let isFirst = true;
  for await (const bytes of pieces) {
    if (bytes === 'broken-gzip') {
      yield* inCharset(await decide(unsure, { isEnd: false }), unsure);
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
      if (unsureBytes < evidenceBytes) continue;
      known = await decide(unsure, { isEnd: false });
      yield* inCharset(known, unsure.splice(0));
    }
  }
  yield* inCharset(await decide(unsure, { isEnd: true }), unsure);
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

function* inCharset(found: FoundCharset, pieces: readonly Buffer[]): Generator<EncodedPiece> {
  for (const bytes of pieces) yield { ...found, bytes };
}

async function decide(pieces: readonly Buffer[], place: { readonly isEnd: boolean }): Promise<FoundCharset> {
  const bytes = Buffer.concat(pieces);
  const asUtf8 = reachOf(bytes, utf8, place);
  if (asUtf8 === Number.POSITIVE_INFINITY || isDamagedUtf8(bytes))
    return { charset: utf8, isLastChoice: false };
  const cp949 = await charsetNamed('cp949');
  const isCp949 = reachOf(bytes, cp949, place) > asUtf8 && !isWestern(bytes, cp949);
  return { charset: isCp949 ? cp949 : utf8, isLastChoice: true };
}

/**
 * True if a Hanja is inside a Latin word, and no two Hangul follow each other: Western text such as `Größe` reads as
 * `Gr秤e` in CP949.
 */
function isWestern(bytes: Buffer, cp949: Charset): boolean {
  const { text = '' } = decodeStart(bytes, cp949) ?? {};
  return /[a-z]\p{Script=Han}[a-z]/iu.test(text) && !/[가-힣]{2}/.test(text);
}

/**
 * True if characters of three bytes, as UTF-8 writes Hangul, outnumber the invalid bytes. Words in CP949 may be valid
 * UTF-8 sequences of two bytes (`커피`), but hardly ever of three.
 */
function isDamagedUtf8(bytes: Buffer): boolean {
  const text = bytes.toString();
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(/[\u0800-\ud7ff\ue000-\ufffc]/g) > count(/\ufffd/g);
}

/** The position of the first bytes that are invalid in `charset`; infinity if all bytes are valid. */
function reachOf(bytes: Buffer, charset: Charset, { isEnd }: { readonly isEnd: boolean }): number {
  const decoded = decodeStart(bytes, charset);
  if (decoded === undefined) return textLength(bytes, charset);
  const cutBytes = decoded.rest.length;
  return isEnd && cutBytes > 0 ? bytes.length - cutBytes : Number.POSITIVE_INFINITY;
}
