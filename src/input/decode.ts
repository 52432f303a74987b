import { bytesOf } from './bytes.ts';
import { type Charset, charsetOf, textLength } from './charset.ts';
import { foreignTextProblem } from './foreign-text.ts';
import { countLineEnds } from './line-ends.ts';
import { checkUnchanged, type InputFile } from './open.ts';
import type { InputOptions, Problem } from './place.ts';

/**
 * The text of a file in pieces of whole characters and whole line ends, without byte-order mark. Bytes that are no text end
 * it: what is given stops at the line before theirs, and the problem naming the line comes last.
 * Throws `input` when the file changed since it was opened, `unreadable-path` when the disk fails.
 */
export async function* decodeFile(
  file: InputFile,
  { encoding }: Pick<InputOptions, 'encoding'>,
): AsyncGenerator<string | Problem> {
  await checkUnchanged(file);
  const charset = await charsetOf(file, encoding);
  if (charset.encoding === 'cp949' && isFound(encoding)) {
    const foreign = await foreignTextProblem(file);
    if (foreign !== undefined) {
      yield foreign;
      return;
    }
  }
  const text = new TextPieces(file, charset, encoding);
  for await (const bytes of bytesOf(file)) {
    const pieces = bytes === 'broken-gzip' ? text.end('broken-gzip') : text.take(bytes);
    for (const piece of pieces) {
      yield piece;
      if (typeof piece !== 'string') return;
    }
  }
  yield* text.end('file-ended');
  await checkUnchanged(file);
}

/** The first piece of the text of a file, or why there is none; undefined where the file is empty. Throws what `decodeFile` throws. */
export async function firstPieceOf(
  file: InputFile,
  options: Pick<InputOptions, 'encoding'>,
): Promise<string | Problem | undefined> {
  for await (const piece of decodeFile(file, options)) return piece;
  return undefined;
}

/** Whether the encoding is that which the content shows, and nobody chose it. */
function isFound(choice: InputOptions['encoding']): boolean {
  return choice === undefined || choice === 'auto';
}

type Fault = 'not-text' | keyof typeof faults;

class TextPieces {
  readonly #file: InputFile;
  readonly #charset: Charset;
  readonly #choice: InputOptions['encoding'];
  #line = 1;
  #isAtStart = true;
  /** The beginning of a character. */
  #rest: Buffer = Buffer.alloc(0);
  /** A CR that may be the first half of a CR LF. */
  #held = '';

  constructor(file: InputFile, charset: Charset, choice: InputOptions['encoding']) {
    this.#file = file;
    this.#charset = charset;
    this.#choice = choice;
  }

  *take(bytes: Buffer): Generator<string | Problem> {
    const whole = this.#wholeCharacters(bytes);
    const text = this.#charset.decode(whole);
    if (text === undefined) yield* this.#upToTheBadLine(this.#textIn(whole), 'not-text');
    else if (text.includes('\0')) yield* this.#upToTheBadLine(text.slice(0, text.indexOf('\0')), 'nul-bytes');
    else yield this.#wholeLines(text);
  }

  *end(why: 'file-ended' | 'broken-gzip'): Generator<string | Problem> {
    if (why === 'broken-gzip') yield* this.#upToTheBadLine('', why);
    else if (this.#rest.length > 0) yield* this.#upToTheBadLine('', 'not-text');
    else if (this.#held !== '') yield this.#held;
  }

  #wholeCharacters(bytes: Buffer): Buffer {
    const { mark } = this.#charset;
    const isMarked = this.#isAtStart && bytes.subarray(0, mark.length).equals(mark);
    this.#isAtStart = false;
    const unmarked = isMarked ? bytes.subarray(mark.length) : bytes;
    const joined = this.#rest.length === 0 ? unmarked : Buffer.concat([this.#rest, unmarked]);
    const length = this.#charset.wholeLength(joined);
    this.#rest = joined.subarray(length);
    return joined.subarray(0, length);
  }

  #wholeLines(decoded: string): string {
    const text = this.#held + decoded;
    this.#held = text.endsWith('\r') ? '\r' : '';
    const given = this.#held === '' ? text : text.slice(0, -1);
    this.#line += countLineEnds(given);
    return given;
  }

  #textIn(bytes: Buffer): string {
    return this.#charset.decode(bytes.subarray(0, textLength(bytes, this.#charset))) ?? '';
  }

  *#upToTheBadLine(good: string, fault: Fault): Generator<string | Problem> {
    const text = this.#held + good;
    const lines = text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
    if (lines !== '') yield lines;
    const line = this.#line + countLineEnds(lines);
    yield { file: this.#file.shownAs, line, ...this.#told(fault) };
  }

  #told(fault: Fault): Pick<Problem, 'code' | 'reason' | 'remedy'> {
    if (fault !== 'not-text') return { code: fault, ...faults[fault] };
    const { encoding } = this.#charset;
    const isEither = isFound(this.#choice) && (encoding === 'utf-8' || encoding === 'cp949');
    return {
      code: `not-${encoding}`,
      reason: `this line is ${isEither ? 'neither UTF-8 nor CP949' : `not ${encoding.toUpperCase()}`} text`,
      remedy: `correct the line, or ${saveAsUtf8}, or name its encoding with --encoding`,
    };
  }
}

const saveAsUtf8 = 'save the file as "CSV UTF-8" (Excel: Save as, CSV UTF-8)';

const faults = {
  'nul-bytes': {
    reason: 'this line holds NUL bytes, so the file is UTF-16 text, a spreadsheet or no table at all',
    remedy: `${saveAsUtf8}, or name its encoding with --encoding utf-16le`,
  },
  'broken-gzip': {
    reason: 'the gzip file is damaged or cut short here',
    remedy: 'copy or pack the file again',
  },
} as const;
