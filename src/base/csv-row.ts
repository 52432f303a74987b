/** Formats cells as one row of delimited text (RFC 4180), without a line end; reading it returns the same cells. */
export function csvRow(cells: readonly string[], delimiter = ','): string {
  return cells.map((cell) => (needsQuotes(cell, delimiter) ? quoted(cell) : cell)).join(delimiter);
}

/**
 * The start of a formula in a spreadsheet, including full-width ones of East Asian versions. After apostrophes it looks
 * like a cell changed by `inertCell`.
 */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

const apostrophe = 0x27;

/** A cell that no spreadsheet executes: text that would be a formula gets a leading apostrophe. */
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
