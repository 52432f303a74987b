import type { JSONParser, TokenType } from '@streamparser/json';
import { Failure } from '../../../base/failure.ts';
import { hint } from '../../../base/hint.ts';
import { isJsonObject, type Json } from '../../../base/json.ts';
import type { Problem } from '../../records/problem.ts';
import {
  depthMaximum,
  listOfRecords,
  type ObjectTable,
  type ProblemDetails,
  type RecordText,
  tooDeep,
} from './object-table.ts';
import { RepeatedKey } from './repeated-key.ts';

/** The longest record, in characters of JSON. */
export const recordMaximum = 1_048_576;

/**
 * Parses JSON into records. The parser is fed line by line, so the line of every token is known. The elements of an
 * array are emitted one by one, so it never holds more than one record.
 */
export class JsonReader {
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

  /** Reads what only the end of the text completes; returns the problem of a text that ends too early. */
  end(): Problem | undefined {
    const parser = this.#parser;
    if (parser?.isEnded !== false) return undefined;
    if (this.#depth > 0 || this.#isRefused(() => parser.end())) {
      return {
        file: this.#table.file,
        line: this.#recordLine,
        code: 'broken-json',
        reason: 'the file ends inside the JSON that starts here',
        remedy: 'the file was cut short: export or copy it again',
      };
    }
    this.#addFound();
    return undefined;
  }

  #feed(text: string): Problem | undefined {
    this.#parser ??= this.#open(text);
    this.#lengthHeld += text.length;
    if (this.#table.keepsRaw && this.#parser) this.#kept.add(text);
    const fault = this.#write(text);
    this.#addFound();
    if (this.#depth === this.#recordDepth) this.#kept.forget();
    if (fault) return { file: this.#table.file, line: this.#line, ...fault };
    if (this.#lengthHeld <= recordMaximum) return undefined;
    const endless = tooLong(this.#table.file, this.#recordLine);
    return this.#recordDepth === 1
      ? endless
      : { ...endless, remedy: hint`${endless.remedy}; ${listOfRecords}` };
  }

  #addFound(): void {
    for (const { line, value, origin } of this.#found.splice(0)) this.#table.add(line, value, origin);
  }

  #write(text: string): ProblemDetails | undefined {
    if (!this.#isRefused(() => this.#parser?.write(text))) return undefined;
    return this.#depth > depthMaximum ? tooDeep : brokenHere;
  }

  /** Whether the text is no JSON, or too deep. */
  #isRefused(parse: () => void): boolean {
    try {
      parse();
      return false;
    } catch (error) {
      const { TokenizerError, TokenParserError } = this.#library;
      const isRefusal = [TokenizerError, TokenParserError, Failure].some((kind) => error instanceof kind);
      if (!isRefusal) throw error;
      return true;
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

/** The problem of a record that does not end. */
export function tooLong(file: string, line: number): Problem {
  return {
    file,
    line,
    code: 'record-too-long',
    reason: `the record that starts here is longer than ${recordMaximum} characters`,
    remedy: 'look for an unclosed quote or bracket, or shorten the record',
  };
}
