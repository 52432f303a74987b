/** Cells as one row of delimited text (RFC 4180), without a line end; reading it returns the same cells. */
export function csvRow(cells: readonly string[], delimiter = ','): string {
  return cells.map((cell) => (needsQuotes(cell, delimiter) ? quoted(cell) : cell)).join(delimiter);
}

/**
 * The beginnings of a formula in a spreadsheet, full-width ones of East Asian versions included. After
 * apostrophes they look like a cell that `inertCell` has changed.
 */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

const apostrophe = 0x27;

/** A cell that no spreadsheet runs: text that would be a formula gets an apostrophe in front. */
export function inertCell(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The cell before `inertCell`. */
export function liveCell(text: string): string {
  return text.charCodeAt(0) === apostrophe && formula.test(text) ? text.slice(1) : text;
}

function needsQuotes(cell: string, delimiter: string): boolean {
  return cell.includes(delimiter) || /["\r\n]/.test(cell);
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}
