import type { Options, Parser } from 'csv-parse';
import { countLineEnds } from '../../open/line-ends.ts';

/** The longest row, in characters; a longer one most likely has an unclosed quote. */
export const rowMaximum = 1_048_576;

/** A row of a delimited text: its cells and its text, with or without the line end. */
export interface WrittenRow {
  readonly record: readonly string[];
  readonly raw: string;
}

const quote = '"';
const anyLineEnd = /\r\n|\n|\r/;

/** Quotes within a cell are text, and rows may have any width. */
function parserOptions(delimiter: string): Options {
  return {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    // An unclosed quote is reported by the event `skip`; an error would discard the rows before it.
    skip_records_with_error: true,
  };
}

/** The first `count` rows of `text` from the line `firstLine` on, without a row whose quote is cut off. */
export async function firstRows(
  text: string,
  delimiter: string,
  { firstLine, count }: { readonly firstLine: number; readonly count: number },
): Promise<readonly (readonly string[])[]> {
  const { parse } = await import('csv-parse/sync');
  return parse(text, { ...parserOptions(delimiter), from_line: firstLine, to: count });
}

/**
 * Parses pieces of text, none of which ends within a CR LF, into rows; a blank row has one empty cell. Until the first
 * quote, rows are lines and are split as such, in a quarter of the time; from the piece with the first quote on,
 * csv-parse reads everything. It holds one piece and the incomplete row.
 */
export class RowReader {
  readonly #delimiter: string;
  #parser: Parser | undefined;
  /** The incomplete line before the parser is created. */
  #line = '';
  /** The incomplete row after the parser is created. */
  #parsing = '';
  /** A lower bound of the length of the incomplete row. */
  heldLength = 0;
  /** Whether the text ends within quotes; set by `end`. */
  isUnclosed = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** Adds a piece and returns the rows that are complete. */
  async read(piece: string): Promise<readonly WrittenRow[]> {
    const lines = this.readLines(piece);
    if (lines !== undefined) return lines.map((line) => this.row(line));
    const rows = await this.#parse(piece);
    this.#hold(rows.length, piece);
    return rows;
  }

  /** As `read`, with rows as lines; from the first quote on undefined, and the piece is not added. */
  readLines(piece: string): readonly string[] | undefined {
    if (this.#parser !== undefined || piece.includes(quote)) return undefined;
    const lines = linesOf(this.#line + piece);
    this.#line = lines.pop() ?? '';
    this.#hold(lines.length, piece);
    return lines;
  }

  /** The text of the incomplete row. */
  get heldText(): string {
    return this.#line + this.#parsing;
  }

  /** The row of a line without quotes. */
  row(line: string): WrittenRow {
    return { record: line.split(this.#delimiter), raw: line };
  }

  #hold(rowCount: number, piece: string): void {
    this.heldLength = rowCount > 0 ? 0 : this.heldLength + piece.length;
  }

  /** The last rows; a row without line end is dropped if the text is cut off. */
  async end({ isCutOff }: { readonly isCutOff: boolean }): Promise<readonly WrittenRow[]> {
    const line = this.#line;
    this.#line = '';
    this.#parsing = '';
    if (this.#parser === undefined) return line === '' || isCutOff ? [] : [this.row(line)];
    this.#parser.end();
    const rows: WrittenRow[] = [];
    for await (const row of this.#parser) rows.push(row);
    return isCutOff ? rows.filter(({ raw }) => /[\r\n]$/.test(raw)) : rows;
  }

  async #parse(piece: string): Promise<readonly WrittenRow[]> {
    this.#parser ??= await this.#openParser();
    const text = this.#line + piece;
    this.#parser.write(text);
    this.#line = '';
    const rows: WrittenRow[] = [];
    for (;;) {
      const row: WrittenRow | null = this.#parser.read();
      if (row === null) break;
      rows.push(row);
    }
    this.#parsing = textAfter(rows, this.#parsing + text);
    return rows;
  }

  async #openParser(): Promise<Parser> {
    const { parse } = await import('csv-parse');
    const parser = parse({ ...parserOptions(this.#delimiter), raw: true });
    parser.on('skip', () => {
      this.isUnclosed = true;
    });
    return parser;
  }
}

/** The rest of `text` after `rows`, its first rows. The text of a row contains only the CR of a CR LF. */
function textAfter(rows: readonly WrittenRow[], text: string): string {
  let at = 0;
  for (const { raw } of rows) {
    at += raw.length;
    if (raw.endsWith('\r') && text[at] === '\n') at += 1;
  }
  return text.slice(at);
}

/** The lines of a text; the last one is the text after the last line end. */
function linesOf(text: string): string[] {
  return text.includes('\r') ? text.split(anyLineEnd) : text.split('\n');
}

/** The number of lines that the row takes. */
export function countLines({ raw }: WrittenRow): number {
  // Only quoted cells contain line ends, and the last row of a text may lack its own.
  return raw.includes(quote) ? Math.max(1, countLineEnds(raw)) : 1;
}
