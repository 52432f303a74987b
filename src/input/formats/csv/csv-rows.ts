import type { Options, Parser } from 'csv-parse';
import { countLineEnds } from '../../open/decode.ts';
import type { InputRow } from '../../records/row-batch.ts';

/** The longest row, in characters; a longer one most likely has an unclosed quote. */
export const rowMaximum = 1_048_576;

/** A row of a delimited text, with its text without the line end. */
export interface CsvRow extends InputRow {
  readonly cells: readonly string[];
  readonly raw: string;
  /** Whether its text has a quote. */
  readonly isQuoted: boolean;
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

/** A row of csv-parse. Of a CR LF at its end, its text contains only the CR. */
interface ParsedRow {
  readonly record: readonly string[];
  readonly raw: string;
}

/**
 * Parses pieces of text, none of which ends within a CR LF, into rows; a blank row has one empty cell. Without quotes,
 * rows are lines and are split as such, in a quarter of the time that csv-parse takes. It holds one piece and the
 * incomplete row.
 */
export class RowReader {
  readonly #delimiter: string;
  #parser: Parser | undefined;
  /** The line on which the next row starts. */
  line = 1;
  /** The text of the incomplete row. */
  heldText = '';
  /** Whether the text ends within quotes, or without a line end; set by `end`. */
  isUnclosed = false;
  isUnended = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** Adds a piece and returns the rows that are complete. */
  async read(piece: string): Promise<readonly CsvRow[]> {
    const text = this.heldText + piece;
    if (piece.includes(quote) || this.heldText.includes(quote)) return this.#parse(piece, text);
    // The held text is a line, whose beginning the parser need not have.
    this.#parser = undefined;
    const lines = text.includes('\r') ? text.split(anyLineEnd) : text.split('\n');
    this.heldText = lines.pop() ?? '';
    return lines.map((line) => this.#split(line));
  }

  /** The last rows; a row without line end is dropped if the text is cut off. */
  async end({ isCutOff }: { readonly isCutOff: boolean }): Promise<readonly CsvRow[]> {
    const text = this.heldText;
    this.heldText = '';
    this.isUnended = text !== '' && !/[\r\n]$/.test(text);
    if (this.#parser === undefined) return text === '' || isCutOff ? [] : [this.#split(text)];
    this.#parser.end();
    const rows: ParsedRow[] = [];
    for await (const row of this.#parser) rows.push(row);
    return rows.filter(({ raw }) => !isCutOff || /[\r\n]$/.test(raw)).map((row) => this.#row(row));
  }

  #split(raw: string): CsvRow {
    const row = { line: this.line, cells: raw.split(this.#delimiter), raw, isQuoted: false };
    this.line += 1;
    return row;
  }

  async #parse(piece: string, text: string): Promise<readonly CsvRow[]> {
    const parser = this.#parser ?? (await this.#openParser());
    parser.write(this.#parser === undefined ? text : piece);
    this.#parser = parser;
    const rows: CsvRow[] = [];
    let at = 0;
    for (let row: ParsedRow | null = parser.read(); row !== null; row = parser.read()) {
      rows.push(this.#row(row));
      at += row.raw.length;
      if (row.raw.endsWith('\r') && text[at] === '\n') at += 1;
    }
    this.heldText = text.slice(at);
    return rows;
  }

  #row({ record, raw }: ParsedRow): CsvRow {
    const isQuoted = raw.includes(quote);
    const row = { line: this.line, cells: record, raw: withoutLineEnd(raw), isQuoted };
    // Only quoted cells contain line ends, and the last row of a text may lack its own.
    this.line += isQuoted ? Math.max(1, countLineEnds(raw)) : 1;
    return row;
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

function withoutLineEnd(raw: string): string {
  const end = raw.endsWith('\n') ? raw.length - 1 : raw.length;
  return raw.slice(0, raw[end - 1] === '\r' ? end - 1 : end);
}

export function isBlankRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** How a row uses quotes. */
export interface QuoteUse {
  /** Whether a cell is quoted, or apparently meant to be. */
  readonly isQuoting: boolean;
  /**
   * The index in the text of the row at which text follows a closing quote, as in `"a"b`; -1 if none does. Most likely
   * an earlier quote was never closed, and the text up to here is several rows.
   */
  readonly misclosedAt: number;
  /** The unquoted cells with quotes except `="007"`; in a file that quotes cells they are damaged. */
  readonly strays: readonly string[];
}

export const noQuotes: QuoteUse = { isQuoting: false, misclosedAt: -1, strays: [] };
const wellQuoted: QuoteUse = { ...noQuotes, isQuoting: true };

/** How the row uses quotes, according to its text. */
export function quoteUseOf({ cells, raw, isQuoted: hasQuotes }: CsvRow, delimiter: string): QuoteUse {
  if (!hasQuotes) return noQuotes;
  // Cells are without their quotes, except for quotes within them and those of a cell that does not end at its quote.
  if (!cells.some((cell) => cell.includes(quote))) return wellQuoted;
  let isQuoting = false;
  const strays: string[] = [];
  let at = 0;
  for (const cell of cells) {
    const isQuoted = raw[at] === quote;
    if (!isQuoted && cell.includes(quote) && !formulaProtected.test(cell)) strays.push(cell);
    if (isQuoted || isMeantQuoted(cell)) isQuoting = true;
    const end = isQuoted ? endOfQuotedCell(raw, at) : at + cell.length;
    const next = raw[end];
    if (next !== undefined && next !== delimiter && next !== '\r' && next !== '\n') {
      return { isQuoting, misclosedAt: end, strays };
    }
    at = end + delimiter.length;
  }
  return { isQuoting, misclosedAt: -1, strays };
}

/** Whether an unquoted cell has lost a quote: only quoted cells begin with one, or contain doubled ones. */
function isMeantQuoted(cell: string): boolean {
  return cell.trimStart().startsWith(quote) || cell.includes('""');
}

/** The formula that keeps Excel from converting text to a number. */
const formulaProtected = /^="[^"]*"$/;

const quotedCell = /"[^"]*(?:""[^"]*)*"/y;

/** The index behind the quoted cell that starts at `start`; 0 if its quote is not closed. */
export function endOfQuotedCell(raw: string, start: number): number {
  quotedCell.lastIndex = start;
  quotedCell.test(raw);
  return quotedCell.lastIndex;
}

/** Whether these cells have an odd number of quotes: then a quoted text begins or ends here, perhaps lines away. */
export function areUnpaired(strays: readonly string[]): boolean {
  return !hasEvenQuotes(strays.join(''));
}

/**
 * Whether the cells look like one quoted text that has lost the delimiter before it, and that its own delimiters have
 * split: `Boots"Here`, ` when…"`. Inches (`24"`) are at the end of their cell, so they do not begin a text.
 */
export function areTornText(strays: readonly string[]): boolean {
  const unpaired = strays.filter((cell) => !hasEvenQuotes(cell));
  const opening = unpaired.findIndex((cell) => !cell.trimEnd().endsWith(quote));
  return opening !== -1 && unpaired.slice(opening + 1).some((cell) => cell.trimEnd().endsWith(quote));
}

function hasEvenQuotes(text: string): boolean {
  return text.split(quote).length % 2 === 1;
}
