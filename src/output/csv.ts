import type { Json, JsonObject } from '../base/json.ts';
import { textOf, valueAt } from './fields.ts';
import { terminalText } from './terminal-text.ts';

interface CsvOptions {
  /** Leaves cells alone that a spreadsheet would run. */
  readonly isRaw: boolean;
  readonly isTerminal: boolean;
}

/** What makes a spreadsheet take a cell for a formula, in the full-width forms of East Asian versions too. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;
const negativeNumber = /^-\d+(?:\.\d+)?$/;
const needsQuotes = /[",\r\n]/;

/** One line of CSV, quoted by RFC 4180 but ended by LF: every reader takes that, and `cut` or `awk` would choke on CR. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`;
}

/** A record as one line of CSV: an empty cell for null and missing, JSON for lists and objects. */
export function csvRecord(record: JsonObject, columns: readonly string[], options: CsvOptions): string {
  return csvLine(columns.map((path) => csvCell(valueAt(record, path), options)));
}

function csvCell(value: Json | undefined, { isRaw, isTerminal }: CsvOptions): string {
  const text = textOf(value);
  const safe = !isRaw && formula.test(text) && !negativeNumber.test(text) ? `'${text}` : text;
  return isTerminal ? terminalText(safe) : safe;
}
