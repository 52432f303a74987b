import { csvRow } from '../../../base/csv-row.ts';
import type { Cell } from '../../records/cell.ts';
import type { SourceFormat } from '../../records/row-batch.ts';
import { keptByExcel } from './formula-protected.ts';

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
