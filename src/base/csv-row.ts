/** Cells as one row of delimited text (RFC 4180), without a line end; read back they are the same cells. */
export function csvRow(cells: readonly string[], delimiter = ','): string {
  return cells.map((cell) => (needsQuotes(cell, delimiter) ? quoted(cell) : cell)).join(delimiter);
}

/**
 * What makes a spreadsheet take a cell for a formula, in the full-width forms of East Asian versions too; below
 * apostrophes it looks like a cell that was made inert.
 */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

const apostrophe = 0x27;

/** A cell that no spreadsheet runs: what it would take for a formula begins with an apostrophe. */
export function inertCell(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The cell that `inertCell` was given. */
export function liveCell(text: string): string {
  return text.charCodeAt(0) === apostrophe && formula.test(text) ? text.slice(1) : text;
}

function needsQuotes(cell: string, delimiter: string): boolean {
  return cell.includes(delimiter) || /["\r\n]/.test(cell);
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}
