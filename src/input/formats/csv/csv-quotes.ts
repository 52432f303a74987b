import type { WrittenRow } from './csv-rows.ts';

const quote = '"';

/** How a row uses quotes. */
export interface QuoteUse {
  /** Whether a cell is quoted, or was meant to be. */
  readonly isQuoting: boolean;
  /**
   * Where a quoted cell goes on after its closing quote, as in `"a"b`, by its place in the text of the row; -1 for nowhere.
   * Such a quote is most likely one that was never closed, and the rows up to here are not one row at all.
   */
  readonly misclosedAt: number;
  /** The cells that hold quotes and are not quoted, `="007"` excepted: of a file that quotes they are damaged. */
  readonly strays: readonly string[];
}

const noQuotes: QuoteUse = { isQuoting: false, misclosedAt: -1, strays: [] };
const wellQuoted: QuoteUse = { ...noQuotes, isQuoting: true };

/** How the row uses quotes, told by the text it was read from. */
export function quoteUseOf({ record, raw }: WrittenRow, delimiter: string): QuoteUse {
  if (!raw.includes(quote)) return noQuotes;
  // Of quoted cells only the text is left, but for quotes within it and those of a cell that is not closed where it ends.
  if (!record.some((cell) => cell.includes(quote))) return wellQuoted;
  let isQuoting = false;
  const strays: string[] = [];
  let at = 0;
  for (const cell of record) {
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

/** Whether an unquoted cell has lost a quote: only quoted cells begin with one, or hold two for one. */
function isMeantQuoted(cell: string): boolean {
  return cell.trimStart().startsWith(quote) || cell.includes('""');
}

/** How a text is kept from being taken for a number by Excel. */
const formulaProtected = /^="[^"]*"$/;

const quotedCell = /"[^"]*(?:""[^"]*)*"/y;

function endOfQuotedCell(raw: string, start: number): number {
  quotedCell.lastIndex = start;
  quotedCell.test(raw);
  return quotedCell.lastIndex;
}

/** Whether an odd number of quotes stands in these cells: a quoted text then begins or ends here, maybe lines away. */
export function areUnpaired(strays: readonly string[]): boolean {
  return !hasEvenQuotes(strays.join(''));
}

/**
 * Whether the cells look like one quoted text that a lost delimiter has joined to the cell before it, and the delimiters
 * within have torn: `Boots"Here`, ` when…"`. Inches (`24"`) end their cell, so that of two of them none begins a text.
 */
export function areTornText(strays: readonly string[]): boolean {
  const unpaired = strays.filter((cell) => !hasEvenQuotes(cell));
  const opening = unpaired.findIndex((cell) => !cell.trimEnd().endsWith(quote));
  return opening !== -1 && unpaired.slice(opening + 1).some((cell) => cell.trimEnd().endsWith(quote));
}

function hasEvenQuotes(text: string): boolean {
  return text.split(quote).length % 2 === 1;
}
