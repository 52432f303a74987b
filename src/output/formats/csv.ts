import { csvRow, inertCell } from '../../base/csv-row.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { terminalText } from '../terminal/terminal-text.ts';
import { textOf, valueAt } from '../views/fields.ts';

const negativeNumber = /^-\d+(?:\.\d+)?$/;
/**
 * One line of CSV, quoted as in RFC 4180 but ended by LF: every reader accepts LF, and `cut` or `awk` would keep a CR.
 */
export function csvLine(cells: readonly string[]): string {
  return `${csvRow(cells)}\n`;
}

/** A record as one line of CSV: an empty cell for null and missing, JSON for lists and objects. */
export function csvRecord(record: JsonObject, columns: readonly string[], isTerminal: boolean): string {
  return csvLine(columns.map((path) => csvCell(valueAt(record, path), isTerminal)));
}

function csvCell(value: Json | undefined, isTerminal: boolean): string {
  const text = textOf(value);
  const safe = negativeNumber.test(text) ? text : inertCell(text);
  return isTerminal ? terminalText(safe) : safe;
}
