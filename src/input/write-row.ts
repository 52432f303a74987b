import { keptByExcel } from './cells/formula-protected.ts';
import type { Cell, Writing } from './place.ts';

/** The text of a row made of these cells, as the file it belongs to is written; without a line end. */
export function writeRow(
  cells: readonly Cell[],
  header: readonly string[],
  { format, delimiter, isOfWorkbook }: Pick<Writing, 'format' | 'delimiter' | 'isOfWorkbook'>,
): string {
  if (format === 'csv') {
    const texts = cells.map(textOf);
    return csvRow(isOfWorkbook ? texts.map(keptByExcel) : texts, delimiter);
  }
  return JSON.stringify(Object.fromEntries(header.map((name, column) => [name, cells[column]])));
}

/** A row of delimited text (RFC 4180), read back as the same cells. */
export function csvRow(cells: readonly string[], delimiter: string): string {
  return cells.map((cell) => (needsQuotes(cell, delimiter) ? quoted(cell) : cell)).join(delimiter);
}

function needsQuotes(cell: string, delimiter: string): boolean {
  return cell.includes(delimiter) || /["\r\n]/.test(cell);
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : '';
}
