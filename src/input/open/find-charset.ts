import { isAscii } from 'node:buffer';
import type { InputOptions } from '../records/options.ts';
import type { Problem } from '../records/problem.ts';
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

/** Bytes and their charset. */
export interface EncodedPiece {
  readonly charset: Charset;
  readonly bytes: Buffer;
  /** Whether no other charset is possible. */
  readonly isLastChoice: boolean;
  /** The bytes from here on by which a text was detected as CP949; only on the first piece after the detection. */
  readonly evidence?: Buffer;
}

/** The most bytes that are examined, from the piece with the first character that is not ASCII. */
const evidenceBytes = 1_048_576;

/**
 * Detects the charset of a text: by its byte-order mark, else `choice`, else as unmistakable UTF-16 without a mark,
 * else as UTF-8 or CP949, whichever is valid longer from the first character that is not ASCII; if neither is valid
 * throughout, the failure is where the damage is. Damaged UTF-8 is never CP949.
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
      if (unsureBytes < evidenceBytes) continue;
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
 * Whether characters of three bytes, as UTF-8 writes Hangul, outnumber the invalid bytes. Words in CP949 have valid
 * sequences of two bytes (`커피`), hardly ever of three.
 */
function isDamagedUtf8(bytes: Buffer): boolean {
  const text = bytes.toString();
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(/[\u0800-\ud7ff\ue000-\ufffc]/g) > count(/\ufffd/g);
}

/** The position of the first bytes that are invalid in `charset`; infinity if all are valid. */
function reachOf(bytes: Buffer, charset: Charset, { isEnd }: { readonly isEnd: boolean }): number {
  const decoded = decodeStart(bytes, charset);
  if (decoded === undefined) return textLength(bytes, charset);
  const cutBytes = decoded.rest.length;
  return isEnd && cutBytes > 0 ? bytes.length - cutBytes : Number.POSITIVE_INFINITY;
}

/*
 * Nearly every pair of bytes is a character of CP949, so that short texts in other charsets are valid CP949. Korean
 * uses the 2,350 syllables of KS X 1001, hardly ever the 8,822 that CP949 adds. In their place Shift_JIS has its kana,
 * and Big5 a third of its common characters.
 */

/** The least number of different rare characters; a Korean word may have one. */
const leastDifferent = 4;
/** The least number if most of the text consists of them. */
const leastAmongMost = 2;
/** In text that is not Korean, more than one of this many syllables is rare. */
const rareShare = 5;

/** The problem of a text that was detected as CP949 by `sample`, which begins on `line`, but is not Korean. */
export function foreignTextProblem(
  sample: Buffer,
  { file, line }: { readonly file: string; readonly line: number },
): Problem | undefined {
  const { everyday, rare } = syllablesIn(sample);
  const least = rare.length > everyday ? leastAmongMost : leastDifferent;
  if (rare.length < leastDifferent || rare.length * rareShare <= everyday + rare.length) return undefined;
  const found = neighbours.find(({ isCommon }) => {
    const common = rare.filter(({ lead, trail }) => isCommon(lead, trail));
    const different = new Set(common.map(({ lead, trail }) => lead * 256 + trail));
    return different.size >= least && common.length * 2 > rare.length;
  });
  if (found === undefined) return undefined;
  return {
    file,
    line: line + sample.subarray(0, rare[0]?.at).filter((byte) => byte === lineFeed).length,
    code: 'foreign-text',
    reason: `this looks like ${found.name}, not like Korean: as CP949 it is full of syllables that no Korean word has`,
    remedy: 'save the file as "CSV UTF-8" (Excel: Save as, CSV UTF-8); if it is Korean, add --encoding cp949',
  };
}

const lineFeed = 0x0a;

/** Charsets whose text may be valid CP949, and the rare syllables that are common characters there. */
const neighbours = [
  { name: 'Shift_JIS', isCommon: (lead: number) => lead === 0x82 || lead === 0x83 },
  { name: 'Big5', isCommon: (lead: number, trail: number) => lead >= 0xa4 && trail < 0x7f },
] as const;

/** The number of everyday syllables, and the others, which are not in KS X 1001: their bytes and their place. */
function syllablesIn(bytes: Buffer) {
  const rare: { readonly lead: number; readonly trail: number; readonly at: number }[] = [];
  let everyday = 0;
  for (let at = 0; at + 1 < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0;
    if (lead <= 0x80) continue;
    const trail = bytes[at + 1] ?? 0;
    if (lead <= 0xc6 && (trail < 0xa1 || lead < 0xa1)) rare.push({ lead, trail, at });
    else if (lead >= 0xb0 && lead <= 0xc8) everyday += 1;
    at += 1;
  }
  return { everyday, rare };
}
