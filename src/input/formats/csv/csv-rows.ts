import type { Options, Parser } from 'csv-parse';
import { countLineEnds } from '../../open/decode.ts';
import type { InputRow } from '../../records/row-batch.ts';

/** Maximum length of a row, in characters; a longer one most likely has an unclosed quote. */
export const rowMaximum = 1_048_576;

/** A row of a delimited text; `raw` is its text without the line end. */
export interface CsvRow extends InputRow {
  readonly cells: readonly string[];
  readonly raw: string;
  /** True if its text contains a quote. */
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

/** Parses the first `count` rows of `text` from the line `firstLine` on. A row whose quote is cut off is omitted. */
export async function firstRows(
  text: string,
  delimiter: string,
  { firstLine, count }: { readonly firstLine: number; readonly count: number },
): Promise<readonly (readonly string[])[]> {
  const { parse } = await import('csv-parse/sync');
  return parse(text, { ...parserOptions(delimiter), from_line: firstLine, to: count });
}

/** A row of csv-parse. If it ends with CR LF, `raw` contains only the CR. */
interface ParsedRow {
  readonly record: readonly string[];
  readonly raw: string;
}

/**
 * Parses pieces of text into rows. No piece may end within a CR LF. A blank row has one empty cell. Text without quotes
 * is split at line ends, in a quarter of the time that csv-parse takes. Memory holds one piece and the incomplete row.
 */
export class RowReader {
  readonly #delimiter: string;
  #parser: Parser | undefined;
  /** The line on which the next row starts. */
  line = 1;
  /** The text of the incomplete row. */
  heldText = '';
  /** True if the text ends within quotes; set by the parser at `end`. */
  isUnclosed = false;
  /** True if the text ends without a line end; set by `end`. */
  isUnended = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** Adds a piece and returns the completed rows. */
  async read(piece: string): Promise<readonly CsvRow[]> {
    const text = this.heldText + piece;
    if (piece.includes(quote) || this.heldText.includes(quote)) return this.#parse(piece, text);
    // The held text has no quotes and starts a row, so a later parser can start from it.
    this.#parser = undefined;
    const lines = text.includes('\r') ? text.split(anyLineEnd) : text.split('\n');
    this.heldText = lines.pop() ?? '';
    return lines.map((line) => this.#split(line));
  }

  /** Returns the last rows. A row without a line end is dropped if the text is cut off. */
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

/** The quotes of a row. */
export interface QuoteUse {
  /** True if a cell is quoted, or apparently meant to be. */
  readonly isQuoting: boolean;
  /**
   * Index in the row's text at which text follows a closing quote, as in `"a"b`; -1 if there is none. Most likely an
   * earlier quote was never closed, and the text up to here is several rows.
   */
  readonly misclosedAt: number;
  /** Unquoted cells that contain quotes, except `="007"`. In a file that quotes cells, they are damaged. */
  readonly strays: readonly string[];
}

export const noQuotes: QuoteUse = { isQuoting: false, misclosedAt: -1, strays: [] };
const wellQuoted: QuoteUse = { ...noQuotes, isQuoting: true };

/** Finds the quotes of a row in its text. */
export function quoteUseOf({ cells, raw, isQuoted: hasQuotes }: CsvRow, delimiter: string): QuoteUse {
  if (!hasQuotes) return noQuotes;
  // Parsed cells keep only quotes within their text, or those of a cell that does not end at its closing quote.
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

/** True if an unquoted cell lost a quote: only quoted cells begin with one, or contain doubled ones. */
function isMeantQuoted(cell: string): boolean {
  return cell.trimStart().startsWith(quote) || cell.includes('""');
}

/** The formula that keeps Excel from converting text to a number. */
const formulaProtected = /^="[^"]*"$/;

const quotedCell = /"[^"]*(?:""[^"]*)*"/y;

/** The index after the quoted cell that starts at `start`; 0 if its quote is not closed. */
export function endOfQuotedCell(raw: string, start: number): number {
  quotedCell.lastIndex = start;
  quotedCell.test(raw);
  return quotedCell.lastIndex;
}

/** True if the number of quotes is odd: a quoted text begins or ends here, and its other end may be lines away. */
export function areUnpaired(strays: readonly string[]): boolean {
  return !hasEvenQuotes(strays.join(''));
}

/**
 * True if the cells look like one quoted text that lost the delimiter before it and was split at its own delimiters:
 * `Boots"Here`, ` when…"`. Inches (`24"`) are at the end of their cell, so they do not begin a text.
 */
export function areTornText(strays: readonly string[]): boolean {
  const unpaired = strays.filter((cell) => !hasEvenQuotes(cell));
  const opening = unpaired.findIndex((cell) => !cell.trimEnd().endsWith(quote));
  return opening !== -1 && unpaired.slice(opening + 1).some((cell) => cell.trimEnd().endsWith(quote));
}

function hasEvenQuotes(text: string): boolean {
  return text.split(quote).length % 2 === 1;
}
