import { isAscii, isUtf8 } from 'node:buffer';
import type { InputOptions } from '../records/options.ts';
import { type Charset, charsetNamed, charsetOfMark, textLength, unmarkedUtf16, utf8 } from './charset.ts';
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
 * throughout, the failure is where the damage is. After a MiB of valid UTF-8 the text must be UTF-8.
 */
export async function* findCharset(
  pieces: AsyncIterable<Bytes>,
  choice: InputOptions['encoding'] = 'auto',
): AsyncGenerator<EncodedPiece | 'broken-gzip'> {
  const unsure: Buffer[] = [];
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
      if (!isEnough(unsure)) continue;
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

function isEnough(pieces: readonly Buffer[]): boolean {
  const bytes = Buffer.concat(pieces);
  if (bytes.length >= mostEvidence) return true;
  return bytes.length >= leastEvidence && !isUtf8(bytes.subarray(0, utf8.wholeLength(bytes)));
}

async function decide(pieces: readonly Buffer[], place: { readonly isEnd: boolean }): Promise<FoundCharset> {
  const bytes = Buffer.concat(pieces);
  const asUtf8 = reachOf(bytes, utf8, place);
  if (asUtf8 === Number.POSITIVE_INFINITY) return { charset: utf8, isLastChoice: false };
  const cp949 = await charsetNamed('cp949');
  return reachOf(bytes, cp949, place) > asUtf8
    ? { charset: cp949, isLastChoice: true, evidence: bytes }
    : { charset: utf8, isLastChoice: true };
}

/** The position of the first bytes that are invalid in `charset`; infinity if all are valid. */
function reachOf(bytes: Buffer, charset: Charset, { isEnd }: { readonly isEnd: boolean }): number {
  const whole = bytes.subarray(0, charset.wholeLength(bytes));
  if (charset.decode(whole) === undefined) return textLength(whole, charset);
  return isEnd && whole.length < bytes.length ? whole.length : Number.POSITIVE_INFINITY;
}
