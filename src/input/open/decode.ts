import { type Refusal, refuse } from '../records/cell.ts';
import type { InputOptions } from '../records/options.ts';
import type { Fault } from '../records/problem.ts';
import { type Charset, decodeStart, isMarked, textLength, utf8 } from './charset.ts';
import { type EncodedPiece, findCharset } from './find-charset.ts';
import type { Bytes, InputFile } from './input-file.ts';

/**
 * Decodes the bytes of a file into pieces that split neither characters nor line ends, without the byte-order mark.
 * Invalid bytes end the text: the last piece ends before their line, and a problem with that line follows. Too many
 * blank lines also end it, since a small gzip file may hold gigabytes of them. Sets the encoding of the file.
 */
export async function* decodeText(
  file: InputFile,
  bytes: AsyncIterable<Bytes>,
  { encoding }: Pick<InputOptions, 'encoding'>,
): AsyncGenerator<string | Fault> {
  const text = new TextPieces();
  for await (const piece of findCharset(bytes, encoding)) {
    file.stopping.throwIfAborted();
    if (piece !== 'broken-gzip') file.encoding = piece.charset.encoding;
    for (const given of piece === 'broken-gzip' ? text.upToBadLine('', brokenGzip) : text.decode(piece)) {
      yield given;
      if (typeof given !== 'string') return;
    }
  }
  yield* text.end();
}

class TextPieces {
  #charset: Charset = utf8;
  #isLastChoice = true;
  #line = 1;
  /** Number of characters already yielded of this line. */
  #lineLength = 0;
  #isAtStart = true;
  /** An incomplete character. */
  #rest: Buffer = Buffer.alloc(0);
  /** A CR that may belong to a CR LF, or the Ctrl-Z with which DOS programs end a file. */
  #held = '';
  readonly #blankLines = new BlankLines();

  *decode({ charset, isLastChoice, bytes }: EncodedPiece): Generator<string | Fault> {
    this.#charset = charset;
    this.#isLastChoice = isLastChoice;
    const continued = Buffer.concat([this.#rest, this.#withoutMark(bytes)]);
    const decoded = decodeStart(continued, charset);
    if (decoded === undefined) {
      const good = charset.decode(continued.subarray(0, textLength(continued, charset))) ?? '';
      yield* this.upToBadLine(good);
      return;
    }
    const { text, rest } = decoded;
    this.#rest = rest;
    if (text.includes('\0')) yield* this.upToBadLine(text.slice(0, text.indexOf('\0')), nulBytes);
    else yield this.#wholeLines(text);
  }

  *end(): Generator<string | Fault> {
    if (this.#rest.length > 0) yield* this.upToBadLine('');
    else if (this.#held === '\r') yield this.#held;
  }

  #withoutMark(bytes: Buffer): Buffer {
    const hasMark = this.#isAtStart && isMarked(bytes, this.#charset);
    this.#isAtStart = false;
    return hasMark ? bytes.subarray(this.#charset.byteOrderMark.length) : bytes;
  }

  #wholeLines(decoded: string): string | Fault {
    const text = this.#held + decoded;
    this.#held = text.endsWith('\r') || text.endsWith(endOfFile) ? text.slice(-1) : '';
    const given = this.#held === '' ? text : text.slice(0, -1);
    const blankFrom = this.#blankLines.findTooMany(given, this.#line);
    if (blankFrom !== undefined) return { line: blankFrom, ...tooManyBlank };
    const lineEnds = countLineEnds(given);
    this.#line += lineEnds;
    this.#lineLength = given.length - lineStartIn(given) + (lineEnds === 0 ? this.#lineLength : 0);
    return given;
  }

  /** Yields the complete lines before the bad one, which begins with `good`, and its problem; by default, not text. */
  *upToBadLine(good: string, why?: Refusal): Generator<string | Fault> {
    const text = this.#held + good;
    const lines = text.slice(0, lineStartIn(text));
    if (lines !== '') yield lines;
    const line = this.#line + countLineEnds(lines);
    const before = text.length - lines.length + (lines === '' ? this.#lineLength : 0);
    yield { line, ...(why ?? this.#notText(before)) };
  }

  #notText(charactersBefore: number): Refusal {
    const { encoding } = this.#charset;
    const isEither = this.#isLastChoice && (encoding === 'utf-8' || encoding === 'cp949');
    const isWhat = isEither ? 'neither UTF-8 nor CP949' : `not ${encoding.toUpperCase()}`;
    return refuse(
      `not-${encoding}`,
      `this line is ${isWhat} text from character ${charactersBefore + 1} on`,
      `correct the line, or ${saveAsUtf8}, or name its encoding with --encoding`,
    );
  }
}

const endOfFile = '\u001a';

/** The index at which the last line of a text begins. */
function lineStartIn(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
}

const saveAsUtf8 = 'save the file as "CSV UTF-8" (Excel: Save as, CSV UTF-8)';

/** Maximum number of consecutive blank lines. Lines of delimiters, as Excel writes for formatted rows, do not count. */
const blankMaximum = 100_000;

const tooManyBlank = refuse(
  'blank-lines',
  `more than ${blankMaximum.toLocaleString('en')} blank lines follow, so the rest is not read`,
  'remove them, or export the file again',
);

const nulBytes = refuse(
  'nul-bytes',
  'this line contains NUL bytes, so the file is UTF-16 text, a spreadsheet or not a table',
  `${saveAsUtf8}, or name its encoding with --encoding utf-16le`,
);
const brokenGzip = refuse(
  'broken-gzip',
  'the gzip file is damaged or cut short here',
  'copy or pack the file again',
);

/** The number of line ends in `text` (LF, CR LF or CR), which must not end within a CR LF. */
export function countLineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  for (let at = text.indexOf('\r'); at !== -1; at = text.indexOf('\r', at + 1)) {
    if (text.charCodeAt(at + 1) !== lineFeed) count += 1;
  }
  return count;
}

const lineFeed = 10;

/** Counts blank lines over the pieces of a text, which must not end within a CR LF. */
class BlankLines {
  /** Line ends since the start of the last line with text. */
  #ends = 0;
  #hasText = false;

  /** The first of more than `blankMaximum` consecutive blank lines, if there are so many. `piece` begins at `line`. */
  findTooMany(piece: string, line: number): number | undefined {
    const text = piece.search(/[^ \r\n]/);
    const before = countLineEnds(text === -1 ? piece : piece.slice(0, text));
    this.#ends += before;
    const ofText = this.#hasText ? 1 : 0;
    if (this.#ends - ofText > blankMaximum) return line + before - this.#ends + ofText;
    if (text === -1) return undefined;
    this.#hasText = true;
    let end = piece.length;
    while (isBlank(piece.charCodeAt(end - 1))) end -= 1;
    this.#ends = countLineEnds(piece.slice(end));
    return undefined;
  }
}

function isBlank(code: number): boolean {
  return code === lineFeed || code === 0x0d || code === 0x20;
}
