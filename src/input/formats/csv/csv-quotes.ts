import type { CsvRow } from './csv-rows.ts';

const quote = '"';

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

const noQuotes: QuoteUse = { isQuoting: false, misclosedAt: -1, strays: [] };
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
