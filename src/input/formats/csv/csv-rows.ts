import type { Options, Parser } from 'csv-parse';
import { countLineEnds } from '../../open/line-ends.ts';

/** The longest row, in characters; what is longer is most likely the trace of a quote that was never closed. */
export const rowMaximum = 1_048_576;

/** A row of a delimited text: its cells, and the text they were read from, with or without its line end. */
export interface WrittenRow {
  readonly record: readonly string[];
  readonly raw: string;
}

const quote = '"';
const anyLineEnd = /\r\n|\n|\r/;

/** Cells as they stand: quotes elsewhere than at the beginning of a cell are text, rows may have any width. */
function parserOptions(delimiter: string): Options {
  return {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    // An unclosed quote is told by the event `skip`; an error would take the rows before it along.
    skip_records_with_error: true,
  };
}

/** The first `count` rows of `text` from the line `firstLine` on; a row that the text cuts off in a quote is none. */
export async function firstRows(
  text: string,
  delimiter: string,
  { firstLine, count }: { readonly firstLine: number; readonly count: number },
): Promise<readonly (readonly string[])[]> {
  const { parse } = await import('csv-parse/sync');
  return parse(text, { ...parserOptions(delimiter), from_line: firstLine, to: count });
}

/**
 * Takes text that comes in pieces, none of which ends within a CR LF, apart into rows; blank ones are rows of one empty
 * cell. As long as no quote has come up a row is a line and is split as such, in a quarter of the time; from the piece
 * with the first quote on csv-parse reads everything. Holds one piece and the row that is not complete yet.
 */
export class RowReader {
  readonly #delimiter: string;
  #parser: Parser | undefined;
  /** The incomplete line, before there is a parser. */
  #line = '';
  /** The incomplete row, where there is a parser. */
  #parsing = '';
  /** At least how many characters the incomplete row has. */
  heldLength = 0;
  /** Whether the text ended within quotes; known after `end`. */
  isUnclosed = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** The rows that are complete now. */
  async read(piece: string): Promise<readonly WrittenRow[]> {
    const lines = this.readLines(piece);
    if (lines !== undefined) return lines.map((line) => this.row(line));
    const rows = await this.#parse(piece);
    this.#hold(rows.length, piece);
    return rows;
  }

  /** The rows that are complete now as lines, where they are; undefined, with nothing read, from the first quote on. */
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

  /** The row that a line is. */
  row(line: string): WrittenRow {
    return { record: line.split(this.#delimiter), raw: line };
  }

  #hold(rowCount: number, piece: string): void {
    this.heldLength = rowCount > 0 ? 0 : this.heldLength + piece.length;
  }

  /** The last rows; the one without a line end only where the text is not cut off there. */
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
    this.#parsing = behind(rows, this.#parsing + text);
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

/** What stands in `text` behind `rows`, the first of its rows. Of a CR LF only the CR is in the text of a row. */
function behind(rows: readonly WrittenRow[], text: string): string {
  let at = 0;
  for (const { raw } of rows) {
    at += raw.length;
    if (raw.endsWith('\r') && text[at] === '\n') at += 1;
  }
  return text.slice(at);
}

/** The lines of a text, the last one what stands behind the last line end. */
function linesOf(text: string): string[] {
  return text.includes('\r') ? text.split(anyLineEnd) : text.split('\n');
}

/** How many lines the row stands on. */
export function countLines({ raw }: WrittenRow): number {
  // Only a quoted cell holds line ends, and the last row of a text may lack its own.
  return raw.includes(quote) ? Math.max(1, countLineEnds(raw)) : 1;
}
