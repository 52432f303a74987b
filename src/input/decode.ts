import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { Failure, messageOf } from '../base/failure.ts';
import { checkUnchanged, type InputFile } from './open.ts';
import type { Problem } from './place.ts';

/** How much of a file is in memory at once, in bytes. More is slower: too many rows then live at once. */
const chunkBytes = 65_536;

const lineFeed = 10;
const carriageReturn = 13;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The text of a file in pieces of whole characters and whole line ends, without byte-order mark. Bytes that are no
 * UTF-8 text end it: the text before them stops at the line before theirs, and the problem naming the line comes last.
 * Throws `input` when the file changed since it was opened, `unreadable-path` when the disk fails.
 */
export async function* decodeFile(file: InputFile): AsyncGenerator<string | Problem> {
  await checkUnchanged(file);
  let line = 1;
  let rest: Buffer | undefined;
  for await (const chunk of chunksOf(file)) {
    if (rest === undefined && isUtf16(chunk)) {
      yield utf16Problem(file);
      return;
    }
    const bytes = rest === undefined ? withoutMark(chunk) : Buffer.concat([rest, chunk]);
    const whole = bytes.subarray(0, wholeLength(bytes));
    if (!isText(whole)) {
      yield* upToTheBadLine(file, whole, line);
      return;
    }
    yield whole.toString('utf8');
    line += countLineEnds(whole);
    rest = bytes.subarray(whole.length);
  }
  if (rest !== undefined && rest.length > 0) {
    if (isText(rest)) yield rest.toString('utf8');
    else yield* upToTheBadLine(file, rest, line);
  }
  await checkUnchanged(file);
}

async function* chunksOf(file: InputFile): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file.path, { highWaterMark: chunkBytes });
  } catch (error) {
    throw new Failure(
      'unreadable-path',
      `${file.shownAs} cannot be read: ${messageOf(error)}`,
      'check the disk, then run the command again',
      { file: file.shownAs, cause: error },
    );
  }
}

function withoutMark(bytes: Buffer): Buffer {
  const isMarked = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  return isMarked ? bytes.subarray(byteOrderMark.length) : bytes;
}

function isUtf16([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/** How many of `bytes` can be taken: not the beginning of a character at the end, nor half a CR LF. */
function wholeLength(bytes: Buffer): number {
  if (bytes.at(-1) === carriageReturn) return bytes.length - 1;
  for (let back = 1; back < longestCharacter; back += 1) {
    const byte = bytes.at(-back) ?? 0;
    if (isContinuation(byte)) continue;
    return bytesOfCharacter(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

const longestCharacter = 4;

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

function bytesOfCharacter(leadingByte: number): number {
  if (leadingByte >= 0xf0) return longestCharacter;
  if (leadingByte >= 0xe0) return 3;
  return leadingByte >= 0xc0 ? 2 : 1;
}

function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (isLineEnd(bytes, at)) count += 1;
  }
  return count;
}

/** LF, CR LF (counted at its LF) or CR alone. */
function isLineEnd(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  return byte === lineFeed || (byte === carriageReturn && bytes[at + 1] !== lineFeed);
}

function* upToTheBadLine(file: InputFile, bytes: Buffer, firstLine: number): Generator<string | Problem> {
  let line = firstLine;
  let start = 0;
  let end = endOfLine(bytes, start);
  while (end < bytes.length && isText(bytes.subarray(start, end))) {
    start = end;
    end = endOfLine(bytes, start);
    line += 1;
  }
  if (start > 0) yield bytes.toString('utf8', 0, start);
  yield isUtf8(bytes.subarray(start, end)) ? nulProblem(file, line) : encodingProblem(file, line);
}

function endOfLine(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && !isLineEnd(bytes, at)) at += 1;
  return Math.min(at + 1, bytes.length);
}

const saveAsUtf8 = 'save it as "CSV UTF-8" (Excel: Save as, CSV UTF-8), then run the command again';

function utf16Problem({ shownAs: file }: InputFile): Problem {
  return { file, line: 1, code: 'utf-16', reason: 'the file is UTF-16 text, not UTF-8', remedy: saveAsUtf8 };
}

function encodingProblem({ shownAs: file }: InputFile, line: number): Problem {
  return { file, line, code: 'not-utf-8', reason: 'this line is not UTF-8 text', remedy: saveAsUtf8 };
}

function nulProblem({ shownAs: file }: InputFile, line: number): Problem {
  return {
    file,
    line,
    code: 'nul-bytes',
    reason: 'this line holds NUL bytes, so the file is UTF-16 text, a spreadsheet or no table at all',
    remedy: saveAsUtf8,
  };
}
