import { messageOf } from '../../../base/failure.ts';
import { hint } from '../../../base/hint.ts';
import { parseJson } from '../../../base/json.ts';
import type { InputFile } from '../../open/input-file.ts';
import { quoted } from '../../records/cell.ts';
import type { Problem } from '../../records/problem.ts';
import type { RowBatch, SourceFormat } from '../../records/row-batch.ts';
import { depthMaximum, listOfRecords, ObjectTable, type ProblemDetails, tooDeep } from './object-table.ts';

/** The longest record, in characters of JSON. */
export const recordMaximum = 1_048_576;

/**
 * The records of NDJSON (one object per line; an invalid line is a problem, and reading continues) or of JSON: an array
 * of objects, one object, or objects one after the other, in which broken JSON ends the reading. With `sourceFormat`,
 * rows keep their text.
 */
export async function* readJson(
  { shownAs }: InputFile,
  text: AsyncIterable<string | Problem>,
  kind: 'json' | 'ndjson',
  sourceFormat?: SourceFormat,
): AsyncGenerator<RowBatch, undefined> {
  const table = new ObjectTable(shownAs, sourceFormat);
  const reader: RecordReader = kind === 'json' ? new ValueReader(table) : new LineReader(table);
  for await (const piece of text) {
    const problem = typeof piece === 'string' ? reader.read(piece) : piece;
    yield table.batch(problem);
    if (problem) return;
  }
  yield table.batch(reader.end());
}

/** Adds the records of a text to a table, piece by piece; returns the problem that ends the reading, if any. */
interface RecordReader {
  read(piece: string): Problem | undefined;
  end(): Problem | undefined;
}

class LineReader implements RecordReader {
  readonly #table: ObjectTable;
  /** The incomplete line. */
  #held = '';
  #line = 1;

  constructor(table: ObjectTable) {
    this.#table = table;
  }

  read(piece: string): Problem | undefined {
    const lines = (this.#held + piece).split('\n');
    this.#held = lines.pop() ?? '';
    for (const line of lines) this.#add(line);
    const isTooLong = this.#held.length > recordMaximum;
    return isTooLong ? { file: this.#table.file, line: this.#line, ...tooLong } : undefined;
  }

  end(): undefined {
    this.#add(this.#held);
  }

  #add(text: string): void {
    const line = this.#line;
    this.#line += 1;
    if (text.trim() === '') return;
    const value = parseJson(text);
    if (value === undefined) this.#table.leaveOut(line, text, { value: quoted(text), ...brokenLine });
    else this.#table.add(line, value, text);
  }
}

/**
 * Finds where values begin and end by their brackets and quotes, and holds no more than one. A text begins where its
 * value does, so the parser finds any damage in it, even if that hides the end of the value.
 */
class ValueReader implements RecordReader {
  readonly #table: ObjectTable;
  /** The text from the current value on, and the index up to which it has been examined. */
  #held = '';
  #at = 0;
  /** The line at that index. */
  #line = 1;
  /** Whether the values are the elements of an array; undefined before the first character that is not blank. */
  #isArray: boolean | undefined;
  #expected: 'first' | 'value' | 'separator' | 'nothing' = 'value';
  /** The start of the current value; -1 between values. */
  #start = -1;
  /** The line on which the last value starts. */
  #startLine = 1;
  #isInString = false;
  /** The number of brackets that are open in the current value. */
  #depth = 0;
  #problem: Problem | undefined;

  constructor(table: ObjectTable) {
    this.#table = table;
  }

  read(piece: string): Problem | undefined {
    this.#held += piece;
    while (this.#findStart() && this.#findEnd()) this.#add();
    const from = this.#start === -1 ? this.#at : this.#start;
    this.#held = this.#held.slice(from);
    this.#at -= from;
    if (this.#start !== -1) this.#start = 0;
    if (this.#held.length > recordMaximum) this.#refuse(this.#isArray ? tooLong : tooLongObject);
    return this.#problem;
  }

  end(): Problem | undefined {
    const isOpen = this.#start !== -1;
    const isWord = isOpen && this.#depth === 0 && !this.#isInString;
    this.#at = this.#held.length;
    if (isWord && !this.#isArray) this.#add(cutShort);
    else if (isOpen || (this.#isArray && this.#expected !== 'nothing')) this.#refuse(cutShort);
    return this.#problem;
  }

  /** Moves to the start of a value; false if the text so far has no further one. */
  #findStart(): boolean {
    while (this.#start === -1 && this.#problem === undefined && this.#at < this.#held.length) {
      const code = this.#held.charCodeAt(this.#at);
      if (code === lineFeed) this.#line += 1;
      if (isSpace(code) || this.#isOfArray(code)) this.#at += 1;
      else this.#begin();
    }
    return this.#start !== -1 && this.#problem === undefined;
  }

  /** Takes a bracket or comma of the array; false for anything else. */
  #isOfArray(code: number): boolean {
    const isBehindValue = this.#expected === 'separator';
    if (this.#isArray === undefined) {
      this.#isArray = code === openBracket;
      if (!this.#isArray) return false;
      this.#expected = 'first';
    } else if (code === comma && isBehindValue) this.#expected = 'value';
    else if (code === closeBracket && (isBehindValue || this.#expected === 'first'))
      this.#expected = 'nothing';
    else return false;
    return true;
  }

  #begin(): void {
    if (this.#expected === 'separator' || this.#expected === 'nothing') this.#stop(this.#line, brokenHere);
    this.#startLine = this.#line;
    this.#start = this.#at;
  }

  /** Moves behind the current value; false if the text so far does not hold all of it. */
  #findEnd(): boolean {
    const text = this.#held;
    while (this.#at < text.length) {
      const at = this.#isInString ? text.indexOf('"', this.#at) : this.#at;
      if (at === -1) return false;
      const code = text.charCodeAt(at);
      if (code === quote) this.#isInString = !this.#isInString || isEscaped(text, at, this.#at);
      else if (code === openBrace || code === openBracket) this.#depth += 1;
      else if (this.#depth === 0) return this.#findWordEnd();
      else if (code === closeBrace || code === closeBracket) this.#depth -= 1;
      else if (code === lineFeed) this.#line += 1;
      if (this.#depth > depthMaximum - Number(this.#isArray)) return this.#stop(this.#line, tooDeep);
      this.#at = at + 1;
      if (this.#depth === 0 && !this.#isInString) return true;
    }
    return false;
  }

  /** Moves behind a number or a word; it may go on in the next piece. */
  #findWordEnd(): boolean {
    word.lastIndex = this.#at;
    word.test(this.#held);
    if (word.lastIndex === this.#held.length) return false;
    this.#at = word.lastIndex;
    return true;
  }

  #add(otherwise: ProblemDetails = brokenHere): void {
    const text = this.#held.slice(this.#start, this.#at);
    const value = parseJson(text);
    if (value === undefined) {
      this.#held = text;
      this.#refuse(otherwise);
      return;
    }
    this.#table.add(this.#startLine, value, text);
    this.#start = -1;
    if (this.#isArray) this.#expected = 'separator';
  }

  /** Ends the reading at the damage in the current value, or for another reason. */
  #refuse(otherwise: ProblemDetails): void {
    const lines = this.#start === -1 ? undefined : linesBeforeDamage(this.#held);
    if (lines === undefined) this.#stop(this.#startLine, otherwise);
    else this.#stop(this.#startLine + lines, brokenHere);
  }

  #stop(line: number, about: ProblemDetails): false {
    this.#problem ??= { file: this.#table.file, line, ...about };
    return false;
  }
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const lineFeed = 0x0a;

function isSpace(code: number): boolean {
  return code === 0x20 || code === lineFeed || code === 0x0d || code === 0x09;
}

/** A number, `true`, `false`, `null`, or what may be meant so. */
const word = /[^\s,:"[\]{}]*/y;

/** Whether an odd number of backslashes precedes a character of a string, whose text begins at or before `start`. */
function isEscaped(text: string, at: number, start: number): boolean {
  let from = at;
  while (from > start && text.charCodeAt(from - 1) === backslash) from -= 1;
  return (at - from) % 2 === 1;
}

const backslash = 0x5c;

/** The number of lines before the one at which a text stops being JSON; undefined if nothing but its end is missing. */
function linesBeforeDamage(text: string): number | undefined {
  if (!isDamaged(text)) return undefined;
  const lineEnds = Array.from(text.matchAll(/\n/g), ({ index }) => index + 1);
  let [least, most] = [0, lineEnds.length];
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (isDamaged(text.slice(0, lineEnds[middle]))) most = middle;
    else least = middle + 1;
  }
  return least;
}

/** Whether a text is no beginning of JSON. */
function isDamaged(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    const message = messageOf(error);
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    const isIncomplete = message === 'Unexpected end of JSON input' || Number(position) === text.length;
    return !isIncomplete;
  }
}

const brokenLine = {
  code: 'broken-json',
  reason: 'this line is not valid JSON',
  remedy: 'write one complete JSON object on each line',
} as const;

const brokenHere = {
  code: 'broken-json',
  reason: 'the JSON is broken on this line',
  remedy: 'look for a missing or surplus comma, quote or bracket on this line and the one above',
} as const;

const cutShort = {
  code: 'broken-json',
  reason: 'the file ends inside the JSON that starts here',
  remedy: 'the file was cut short: export or copy it again',
} as const;

const tooLong = {
  code: 'record-too-long',
  reason: `the record that starts here is longer than ${recordMaximum} characters`,
  remedy: 'look for an unclosed quote or bracket, or shorten the record',
} as const;

const tooLongObject: ProblemDetails = { ...tooLong, remedy: hint`${tooLong.remedy}; ${listOfRecords}` };
