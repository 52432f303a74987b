import { messageOf } from '../../../base/failure.ts';
import { hint } from '../../../base/hint.ts';
import { parseJson } from '../../../base/json.ts';
import { quoted, refuse } from '../../records/cell.ts';
import type { Fault } from '../../records/problem.ts';
import type { RowBatch, SourceFormat } from '../../records/row-batch.ts';
import { depthMaximum, listOfRecords, ObjectTable, tooDeep } from './object-table.ts';

/** Maximum length of a record, in characters of JSON. */
export const recordMaximum = 1_048_576;

/**
 * Reads the records of NDJSON or JSON. In NDJSON (one object per line), an invalid line is a problem, and reading
 * continues. JSON is an array of objects, one object, or objects one after the other; broken JSON ends the reading.
 * With `sourceFormat`, rows keep their text.
 */
export async function* readJson(
  text: AsyncIterable<string | Fault>,
  kind: 'json' | 'ndjson',
  sourceFormat?: SourceFormat,
): AsyncGenerator<RowBatch, undefined> {
  const table = new ObjectTable(sourceFormat);
  const reader = kind === 'json' ? new ValueReader(table) : new LineReader(table);
  for await (const piece of text) {
    const problem = typeof piece === 'string' ? reader.read(piece) : piece;
    yield table.batch(problem);
    if (problem) return;
  }
  yield table.batch(reader.end());
}

/** Adds the lines of NDJSON to a table, piece by piece. `read` returns the problem that ends the reading. */
class LineReader {
  readonly #table: ObjectTable;
  /** The incomplete line. */
  #held = '';
  #line = 1;

  constructor(table: ObjectTable) {
    this.#table = table;
  }

  read(piece: string): Fault | undefined {
    const lines = (this.#held + piece).split('\n');
    this.#held = lines.pop() ?? '';
    for (const line of lines) this.#add(line);
    const isTooLong = this.#held.length > recordMaximum;
    return isTooLong ? { line: this.#line, ...tooLong } : undefined;
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
 * Finds the start and end of each value by its brackets and quotes, and holds no more than one. The text of a value
 * starts with the value, so the parser finds any damage in it, even if the damage hides the end of the value.
 */
class ValueReader {
  readonly #table: ObjectTable;
  /** The incomplete value. */
  #held = '';
  #line = 1;
  /** Line on which the last value starts. */
  #startLine = 1;
  /** True if the values are the elements of an array; undefined before the first character that is not blank. */
  #isArray: boolean | undefined;
  #expected: 'first' | 'value' | 'separator' | 'nothing' = 'value';
  #problem: Fault | undefined;

  constructor(table: ObjectTable) {
    this.#table = table;
  }

  read(piece: string): Fault | undefined {
    const text = this.#held + piece;
    let at = 0;
    while (at < text.length) {
      const mark = text.charAt(at);
      if (mark === '\n') this.#line += 1;
      if (blanks.includes(mark) || this.#isOfArray(mark)) {
        at += 1;
        continue;
      }
      this.#startLine = this.#line;
      if (this.#expected === 'separator' || this.#expected === 'nothing') this.#stop(this.#line, brokenHere);
      const end = this.#problem ? undefined : this.#endOfValue(text, at);
      if (end === undefined) break;
      this.#add(text.slice(at, end), brokenHere);
      at = end;
    }
    this.#held = text.slice(at);
    if (this.#held.length > recordMaximum) this.#refuse(this.#held, this.#isArray ? tooLong : tooLongObject);
    return this.#problem;
  }

  end(): Fault | undefined {
    const isWord = /^[^"[{]/.test(this.#held);
    if (isWord && !this.#isArray) this.#add(this.#held, cutShort);
    else if (this.#held !== '' || (this.#isArray && this.#expected !== 'nothing'))
      this.#refuse(this.#held, cutShort);
    return this.#problem;
  }

  /** Processes a bracket or comma of the array; returns false for any other character. */
  #isOfArray(mark: string): boolean {
    const isBehindValue = this.#expected === 'separator';
    if (this.#isArray === undefined) {
      this.#isArray = mark === '[';
      if (!this.#isArray) return false;
      this.#expected = 'first';
    } else if (mark === ',' && isBehindValue) this.#expected = 'value';
    else if (mark === ']' && (isBehindValue || this.#expected === 'first')) this.#expected = 'nothing';
    else return false;
    return true;
  }

  /**
   * Counts the lines of the value that starts at `start` and returns the index of its end; undefined if the text ends
   * within the value, or the value is refused.
   */
  #endOfValue(text: string, start: number): number | undefined {
    word.lastIndex = start;
    if (word.test(text)) return word.lastIndex === text.length ? undefined : word.lastIndex;
    let depth = 0;
    let lines = 0;
    let at = start;
    do {
      const mark = text.charAt(at);
      at = mark === '"' ? endOfString(text, at + 1) : at + 1;
      if (mark === '{' || mark === '[') depth += 1;
      else if (mark === '}' || mark === ']') depth -= 1;
      else if (mark === '\n') lines += 1;
      else if (mark === '' || at === 0) return undefined;
      if (depth > depthMaximum - Number(this.#isArray)) {
        this.#stop(this.#line + lines, tooDeep);
        return undefined;
      }
    } while (depth > 0);
    this.#line += lines;
    return at;
  }

  #add(text: string, otherwise: Fault): void {
    const value = parseJson(text);
    if (value === undefined) {
      this.#refuse(text, otherwise);
      return;
    }
    this.#table.add(this.#startLine, value, text);
    if (this.#isArray) this.#expected = 'separator';
  }

  /** Ends the reading at the damage in a value or, if the text is only incomplete, with the fault `otherwise`. */
  #refuse(text: string, otherwise: Fault): void {
    const lines = linesBeforeDamage(text);
    if (lines === undefined) this.#stop(this.#startLine, otherwise);
    else this.#stop(this.#startLine + lines, brokenHere);
  }

  #stop(line: number, about: Fault): void {
    this.#problem ??= { line, ...about };
  }
}

const blanks = ' \t\r\n';

/** A number, `true`, `false`, `null`, or an attempt at one of them; may be empty. */
const word = /(?!["[{])[^\s,:"[\]{}]*/y;

/** The index after the string whose text starts at `start`; 0 if it is not closed. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start);
  while (at !== -1 && isEscaped(text, at, start)) at = text.indexOf('"', at + 1);
  return at + 1;
}

/** True if an odd number of backslashes precedes a character of the string whose text starts at `start`. */
function isEscaped(text: string, at: number, start: number): boolean {
  let from = at;
  while (from > start && text[from - 1] === '\\') from -= 1;
  return (at - from) % 2 === 1;
}

/** The number of lines before the one on which a text stops being JSON; undefined if only its end is missing. */
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

/** True if a text cannot be completed to JSON. */
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

const brokenLine = refuse(
  'broken-json',
  'this line is not valid JSON',
  'write one complete JSON object on each line',
);

const brokenHere = refuse(
  'broken-json',
  'the JSON is broken on this line',
  'look for a missing or surplus comma, quote or bracket on this line and the one above',
);

const cutShort = refuse(
  'broken-json',
  'the file ends inside the JSON that starts here',
  'the file was cut short: export or copy it again',
);

const tooLong = refuse(
  'record-too-long',
  `the record that starts here is longer than ${recordMaximum} characters`,
  'look for an unclosed quote or bracket, or shorten the record',
);

const tooLongObject: Fault = { ...tooLong, remedy: hint`${tooLong.remedy}; ${listOfRecords}` };
