import type { JSONParser, TokenType } from '@streamparser/json';
import { Failure } from '../../../base/failure.ts';
import { hint } from '../../../base/hint.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { InputFile } from '../../open/input-file.ts';
import type { Cell } from '../../records/cell.ts';
import type { Problem } from '../../records/problem.ts';
import { quoted } from '../../records/quoted.ts';
import type { InputRow, RowBatch, SourceFormat } from '../../records/row-batch.ts';
import { RepeatedKey, repeatedKeyIn } from './repeated-key.ts';

/** The longest record, in characters of JSON. */
export const recordMaximum = 1_048_576;
/** The deepest nesting of JSON, including the array around the records. */
export const depthMaximum = 32;
/** The most columns of a file, over all its records. */
export const columnsMaximum = 1_000;

/**
 * The records of NDJSON: one object per line. An invalid line is a problem, and reading continues. With `sourceFormat`,
 * rows keep their text.
 */
export async function* readNdjson(
  file: InputFile,
  text: AsyncIterable<string | Problem>,
  sourceFormat?: SourceFormat,
): AsyncGenerator<RowBatch> {
  const table = new ObjectTable(file.shownAs, sourceFormat);
  let rest = '';
  let line = 1;
  for await (const piece of text) {
    if (typeof piece !== 'string') {
      yield table.batch(piece);
      return;
    }
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const written of lines) {
      table.addLine(line, written);
      line += 1;
    }
    if (rest.length > recordMaximum) {
      yield table.batch(tooLong(file.shownAs, line));
      return;
    }
    yield table.batch();
  }
  table.addLine(line, rest);
  yield table.batch();
}

/**
 * The records of JSON: an array of objects, one object, or objects one after the other. Broken JSON ends the reading.
 */
export async function* readJson(
  file: InputFile,
  text: AsyncIterable<string | Problem>,
  sourceFormat?: SourceFormat,
): AsyncGenerator<RowBatch> {
  const table = new ObjectTable(file.shownAs, sourceFormat);
  const reader = new JsonReader(table, await import('@streamparser/json'));
  for await (const piece of text) {
    const problem = typeof piece === 'string' ? reader.read(piece) : piece;
    yield table.batch(problem);
    if (problem) return;
  }
  yield table.batch(reader.end());
}

/**
 * Turns objects into rows: every name becomes a column, nested ones with dots (`{"buyer": {"name": …}}`: `buyer.name`).
 */
export class ObjectTable {
  readonly file: string;
  readonly #header: string[] = [];
  #headerLine = 1;
  readonly #columns = new Map<string, number>();
  readonly #sourceFormat: SourceFormat | undefined;
  #rows: InputRow[] = [];
  #unread: InputRow[] = [];
  #problems: Problem[] = [];

  constructor(file: string, sourceFormat: SourceFormat | undefined) {
    this.file = file;
    this.#sourceFormat = sourceFormat;
  }

  /** Whether rows keep their text. */
  get keepsRaw(): boolean {
    return this.#sourceFormat !== undefined;
  }

  addLine(line: number, written: string): void {
    if (written.trim() === '') return;
    let value: Json;
    try {
      value = JSON.parse(written) as Json;
    } catch {
      this.#leaveOut(line, written, {
        value: quoted(written),
        code: 'broken-json',
        reason: 'this line is not valid JSON',
        remedy: 'write one complete JSON object on each line',
      });
      return;
    }
    this.add(line, value, { raw: written, repeatedKey: () => repeatedKeyIn(written, value) });
  }

  add(line: number, value: Json, { raw, repeatedKey }: RecordText): void {
    if (!isJsonObject(value)) {
      this.#leaveOut(line, raw, {
        code: 'not-an-object',
        reason: `this record is ${nameOf(value)}, not an object`,
        remedy: 'write each record as an object with the names of its fields, {"originId": …}',
      });
      return;
    }
    if (isEnvelope(value)) {
      this.#leaveOut(line, raw, enveloped);
      return;
    }
    const namedBefore = this.#header.length;
    const cells = new Array<Cell>(namedBefore).fill(undefined);
    const fault = isDeeper(value, depthMaximum - 1)
      ? tooDeep
      : (repeatedField(repeatedKey()) ?? this.#fill(cells, value, ''));
    if (fault) {
      this.#leaveOut(line, raw, fault);
      this.#forgetColumns(namedBefore);
      return;
    }
    this.#rows.push(this.keepsRaw ? { line, cells, raw: raw.trim() } : { line, cells });
    if (this.#header.length > namedBefore) this.#headerLine = line;
  }

  #leaveOut(line: number, raw: string, about: ProblemDetails): void {
    this.#problems.push({ file: this.file, line, ...about });
    if (this.keepsRaw) this.#unread.push({ line, cells: [], raw: raw.trim() });
  }

  /** Removes the columns of a skipped record, since their number is limited. */
  #forgetColumns(from: number): void {
    for (const name of this.#header.splice(from)) this.#columns.delete(name);
  }

  /** The rows and problems since the last batch. */
  batch(problem?: Problem): RowBatch {
    const problems = problem ? [...this.#problems, problem] : this.#problems;
    const [rows, unread] = [this.#rows, this.#unread];
    this.#rows = [];
    this.#unread = [];
    this.#problems = [];
    return {
      header: this.#header,
      headerLine: this.#headerLine,
      isHeaderWhole: false,
      rows,
      problems,
      isBroken: problem !== undefined,
      ...(this.#sourceFormat && { unread, sourceFormat: this.#sourceFormat }),
    };
  }

  #fill(cells: Cell[], object: JsonObject, prefix: string): ProblemDetails | undefined {
    for (const [name, value] of Object.entries(object)) {
      const path = prefix + name;
      if (isJsonObject(value)) {
        const fault = this.#fill(cells, value, `${path}.`);
        if (fault) return fault;
        continue;
      }
      const column = this.#columnOf(path);
      if (column === undefined) return tooManyColumns;
      if (cells[column] !== undefined) return repeatedField(path, 'nested and dotted');
      cells[column] = value;
    }
    return undefined;
  }

  #columnOf(path: string): number | undefined {
    const known = this.#columns.get(path);
    if (known !== undefined) return known;
    const column = this.#header.length;
    if (column === columnsMaximum) return undefined;
    this.#columns.set(path, column);
    this.#header.push(path);
    return column;
  }
}

type ProblemDetails = Pick<Problem, 'code' | 'column' | 'value' | 'reason' | 'remedy'>;

const tooDeep: ProblemDetails = {
  code: 'too-deep',
  reason: `the JSON nests deeper than ${depthMaximum} levels`,
  remedy: 'write the records as an array of plain objects, or one object a line',
};

const tooManyColumns: ProblemDetails = {
  code: 'too-many-columns',
  reason: `the records of this file name more than ${columnsMaximum} different fields`,
  remedy: 'remove fields that are not sent; values must not be used as names',
};

/** The fields beside the list in the service's lists (API 2). */
const besideList: ReadonlySet<string> = new Set(['totalCount', 'pageInfo']);

/** Whether an object contains the list of records; a record itself has more than lists, at least its id. */
function isEnvelope(value: JsonObject): boolean {
  const parts = Object.entries(value).filter(([name]) => !besideList.has(name));
  return (
    parts.every(([, part]) => Array.isArray(part)) &&
    parts.some(([, part]) => Array.isArray(part) && part.some(isJsonObject))
  );
}

const listOfRecords =
  'the file must be the list of records itself, [{…}, {…}], not an object that contains it';

const enveloped: ProblemDetails = {
  code: 'not-a-list',
  reason: 'this object contains the list of records',
  remedy: listOfRecords,
};

/** The problem of a repeated field, whether it is used or not: its meaning is ambiguous. */
function repeatedField(column: string | undefined, how = 'in one object'): ProblemDetails | undefined {
  if (column === undefined) return undefined;
  return {
    code: 'duplicate-field',
    column,
    reason: `the record has '${column}' twice, ${how}`,
    remedy: 'remove one of the two',
  };
}

/** The text of a record, and its first repeated key. */
export interface RecordText {
  readonly raw: string;
  readonly repeatedKey: () => string | undefined;
}

function isDeeper(value: Cell, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((child) => isDeeper(child, levels - 1));
}

function nameOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/**
 * Parses JSON into records. The parser is fed line by line, so the line of every token is known. The elements of an
 * array are emitted one by one, so it never holds more than one record.
 */
class JsonReader {
  readonly #table: ObjectTable;
  readonly #library: Library;
  #parser: JSONParser | undefined;
  #line = 1;
  #depth = 0;
  /** The depth of records: 1 in an array, else 0. */
  #recordDepth = 0;
  #recordLine = 1;
  #lengthHeld = 0;
  /** The records of the current piece of text. */
  readonly #found: { readonly line: number; readonly value: Json; readonly origin: RecordText }[] = [];
  readonly #kept = new KeptText();
  #keys = new RepeatedKey();
  /** The last string; it is a key if a colon follows. */
  #string = '';

  constructor(table: ObjectTable, library: Library) {
    this.#table = table;
    this.#library = library;
  }

  /** Reads the next piece; returns the problem that ends the reading, if there is one. */
  read(piece: string): Problem | undefined {
    for (let start = 0; start < piece.length; ) {
      const lineEnd = piece.indexOf('\n', start);
      const end = lineEnd === -1 ? piece.length : lineEnd + 1;
      const problem = this.#feed(piece.slice(start, end));
      if (problem) return problem;
      if (lineEnd !== -1) this.#line += 1;
      start = end;
    }
    return undefined;
  }

  end(): Problem | undefined {
    try {
      if (this.#parser?.isEnded === false) this.#parser.end();
      return undefined;
    } catch {
      return {
        file: this.#table.file,
        line: this.#recordLine,
        code: 'broken-json',
        reason: 'the file ends inside the JSON that starts here',
        remedy: 'the file was cut short: export or copy it again',
      };
    }
  }

  #feed(text: string): Problem | undefined {
    this.#parser ??= this.#open(text);
    this.#lengthHeld += text.length;
    if (this.#table.keepsRaw && this.#parser) this.#kept.add(text);
    const fault = this.#write(text);
    for (const { line, value, origin } of this.#found.splice(0)) this.#table.add(line, value, origin);
    if (this.#depth === this.#recordDepth) this.#kept.forget();
    if (fault) return { file: this.#table.file, line: this.#line, ...fault };
    if (this.#lengthHeld <= recordMaximum) return undefined;
    const endless = tooLong(this.#table.file, this.#recordLine);
    return this.#recordDepth === 1
      ? endless
      : { ...endless, remedy: hint`${endless.remedy}; ${listOfRecords}` };
  }

  #write(text: string): ProblemDetails | undefined {
    try {
      this.#parser?.write(text);
      return undefined;
    } catch {
      return this.#depth > depthMaximum ? tooDeep : brokenHere;
    }
  }

  /** Opens the parser at the first text that is not blank; its beginning shows the depth of the records. */
  #open(text: string): JSONParser | undefined {
    const start = text.trimStart()[0];
    if (start === undefined) return undefined;
    this.#recordDepth = start === '[' ? 1 : 0;
    const parser = new this.#library.JSONParser({
      paths: [this.#recordDepth === 1 ? '$.*' : '$'],
      keepStack: false,
      // An array is the whole text; objects may follow each other.
      ...(this.#recordDepth === 0 && { separator: '' }),
    });
    parser.onToken = ({ token, value, offset }) => this.#follow(token, value, offset);
    parser.onValue = ({ value, parent }) => {
      this.#lengthHeld = 0;
      const isRecord = this.#recordDepth === 0 || Array.isArray(parent);
      const record = isRecord ? (value as Json) : null;
      const raw = this.#table.keepsRaw ? this.#rawOf(record) : '';
      const { found } = this.#keys;
      this.#found.push({ line: this.#recordLine, value: record, origin: { raw, repeatedKey: () => found } });
    };
    return parser;
  }

  #rawOf(record: Json): string {
    return isJsonObject(record) ? this.#kept.record() : JSON.stringify(record);
  }

  #follow(token: TokenType, value: unknown, offset: number): void {
    const { LEFT_BRACE, LEFT_BRACKET, RIGHT_BRACE, RIGHT_BRACKET, COLON, STRING } = this.#library.TokenType;
    if (token === STRING) this.#string = String(value);
    else if (token === COLON) this.#keys.key(this.#string);
    if (token === RIGHT_BRACE || token === RIGHT_BRACKET) {
      this.#depth -= 1;
      this.#keys.close();
      this.#kept.end = offset + 1;
    } else if (this.#depth === this.#recordDepth) {
      this.#recordLine = this.#line;
      this.#keys = new RepeatedKey();
      this.#kept.start = offset;
    }
    if (token !== LEFT_BRACE && token !== LEFT_BRACKET) return;
    this.#depth += 1;
    this.#keys.open();
    // The parser's work per token grows with the depth, so it must stop here, not at the end of the piece.
    if (this.#depth > depthMaximum) throw new Failure('input', tooDeep.reason, tooDeep.remedy);
  }
}

/** The text of the current record, so that it can be written unchanged. */
class KeptText {
  /** The start and end of the record, in bytes of UTF-8 since the parser was opened. */
  start = 0;
  end = 0;
  #bytes: Buffer[] = [];
  #firstByte = 0;
  #length = 0;

  add(text: string): void {
    const bytes = Buffer.from(text);
    this.#bytes.push(bytes);
    this.#length += bytes.length;
  }

  record(): string {
    const [first = Buffer.alloc(0), ...others] = this.#bytes;
    const kept = others.length === 0 ? first : Buffer.concat(this.#bytes);
    this.#bytes = [kept];
    return kept.toString('utf8', this.start - this.#firstByte, this.end - this.#firstByte);
  }

  /** Discards the text between records. */
  forget(): void {
    this.#firstByte += this.#length;
    this.#length = 0;
    this.#bytes = [];
  }
}

type Library = typeof import('@streamparser/json');

const brokenHere: ProblemDetails = {
  code: 'broken-json',
  reason: 'the JSON is broken on this line',
  remedy: 'look for a missing or surplus comma, quote or bracket on this line and the one above',
};

function tooLong(file: string, line: number): Problem {
  return {
    file,
    line,
    code: 'record-too-long',
    reason: `the record that starts here is longer than ${recordMaximum} characters`,
    remedy: 'look for an unclosed quote or bracket, or shorten the record',
  };
}
