import { countLineEnds } from '../../open/decode.ts';
import type { InputRow } from '../../records/row-batch.ts';

/** The longest row, in characters; a longer one most likely has an unclosed quote. */
export const rowMaximum = 1_048_576;

/** A row of a delimited text, with its text without the line end, and how it uses quotes. */
export interface CsvRow extends InputRow {
  readonly cells: readonly string[];
  readonly raw: string;
  /** Whether a cell is quoted, or apparently meant to be. */
  readonly isQuoting: boolean;
  /**
   * The index in `raw` at which text follows a closing quote, as in `"a"b`; -1 if none does. Most likely an earlier
   * quote was never closed, and the text up to here is several rows.
   */
  readonly misclosedAt: number;
  /** The unquoted cells with quotes except `="007"`; in a file that quotes cells they are damaged. */
  readonly strays: readonly string[];
}

const quote = '"';
const quoteOrLineEnd = /["\r\n]/g;
const noStrays: readonly string[] = [];

/**
 * Splits pieces of text, none of which ends within a CR LF, into rows of any width; a blank row has one empty cell. A
 * quote opens a quoted cell only as its first character. It holds one piece and the incomplete row.
 */
export class RowReader {
  readonly #delimiter: string;
  readonly #cellEnd: RegExp;
  /** The line on which the next row starts. */
  line = 1;
  /** The text of the incomplete row; behind the last piece, that of a quote that is not closed. */
  heldText = '';
  /** Whether the last row has no line end. */
  isUnended = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#cellEnd = new RegExp(`[\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}\r\n]`, 'g');
  }

  /** Adds a piece and returns the rows that are complete. The last row of the last piece needs no line end. */
  read(piece: string, { isLast }: { readonly isLast: boolean }): readonly CsvRow[] {
    const text = this.heldText + piece;
    const rows: CsvRow[] = [];
    let at = 0;
    while (at < text.length) {
      const markAt = indexOfMatch(quoteOrLineEnd, text, at);
      const isPlain = text[markAt] !== quote;
      const row = isPlain ? this.#plainRow(text.slice(at, markAt)) : this.#quotingRow(text, at);
      if (row === undefined) break;
      const end = at + row.raw.length;
      this.isUnended = end === text.length;
      if (this.isUnended && !isLast) break;
      rows.push(row);
      const next = text.startsWith('\r\n', end) ? end + 2 : end + 1;
      // Only quoted cells contain line ends, and the last row of a text may lack its own.
      this.line += isPlain ? 1 : Math.max(1, countLineEnds(text.slice(at, next)));
      at = next;
    }
    this.heldText = text.slice(at);
    return rows;
  }

  #plainRow(raw: string): CsvRow {
    const cells = raw.split(this.#delimiter);
    return { line: this.line, cells, raw, isQuoting: false, misclosedAt: -1, strays: noStrays };
  }

  /** The row with a quote that starts at `start`; undefined if the quote of a cell is not closed. */
  #quotingRow(text: string, start: number): CsvRow | undefined {
    const cells: string[] = [];
    const strays: string[] = [];
    let isQuoting = false;
    let misclosedAt = -1;
    let end = start - 1;
    do {
      const from = end + 1;
      const isQuoted = text[from] === quote;
      const closedAt = isQuoted ? endOfQuotedCell(text, from) : from;
      if (closedAt === -1) return undefined;
      end = indexOfMatch(this.#cellEnd, text, closedAt);
      const written = text.slice(from, end);
      if (isQuoted && closedAt < end && misclosedAt === -1) misclosedAt = closedAt - start;
      if (!isQuoted && written.includes(quote) && !formulaProtected.test(written)) strays.push(written);
      isQuoting ||= isQuoted || isMeantQuoted(written);
      cells.push(isQuoted && closedAt === end ? written.slice(1, -1).replaceAll('""', quote) : written);
    } while (text[end] === this.#delimiter);
    return { line: this.line, cells, raw: text.slice(start, end), isQuoting, misclosedAt, strays };
  }
}

/** The index of the first match of a global pattern of one character from `start` on, or the length of the text. */
function indexOfMatch(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length;
}

/** The index behind the quoted cell that starts at `start`; -1 if its quote is not closed. */
export function endOfQuotedCell(text: string, start: number): number {
  for (let at = start; ; at += 1) {
    at = text.indexOf(quote, at + 1);
    if (at === -1 || text[at + 1] !== quote) return at === -1 ? -1 : at + 1;
  }
}

export function isBlankRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** Whether an unquoted cell has lost a quote: only quoted cells begin with one, or contain doubled ones. */
function isMeantQuoted(cell: string): boolean {
  return cell.trimStart().startsWith(quote) || cell.includes('""');
}

/** The formula that keeps Excel from converting text to a number. */
const formulaProtected = /^="[^"]*"$/;

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
