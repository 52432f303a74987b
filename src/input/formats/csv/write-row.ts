import { csvRow } from '../../../base/csv-row.ts';
import type { Cell } from '../../records/cell.ts';
import type { SourceFormat } from '../../records/row-batch.ts';

/** The text of a row with these cells in the format of its file, without a line end. */
export function writeRow(
  cells: readonly Cell[],
  header: readonly string[],
  { format, delimiter, isOfWorkbook }: Pick<SourceFormat, 'format' | 'delimiter' | 'isOfWorkbook'>,
): string {
  if (format === 'csv') {
    const texts = cells.map((cell) => (typeof cell === 'string' ? cell : ''));
    return csvRow(isOfWorkbook ? texts.map(keptByExcel) : texts, delimiter);
  }
  return JSON.stringify(Object.fromEntries(header.map((name, column) => [name, cells[column]])));
}

const formula = /^\s*="((?:[^"]|"")*)"\s*$/;

/**
 * Matches numbers and dates except short plain numbers: Excel converts such cells on opening, so that they lose zeros
 * or digits, or become dates.
 */
const changedByExcel = /^(?!-?(?:0|[1-9]\d{0,10})$)[-+]?\d[\d\s.,:/-]*(?:E[-+]?\d+)?$/i;

/** A cell without the formula that keeps Excel from changing text: `="007"` becomes `007`. */
export function withoutFormula<T extends Cell>(cell: T): T | string {
  if (typeof cell !== 'string') return cell;
  // Nearly all cells begin with another ASCII character.
  const first = cell.charCodeAt(0);
  if (first > 0x20 && first < 0xa0 && first !== 0x3d) return cell;
  return formula.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;
}

/** A cell in a form that Excel does not change; `withoutFormula` reverses it. */
function keptByExcel(cell: string): string {
  return changedByExcel.test(cell) ? `="${cell}"` : cell;
}
