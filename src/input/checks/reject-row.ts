import { withoutFormula, writeRow } from '../formats/csv/write-row.ts';
import type { FieldReader } from '../mapping/binding.ts';
import type { Problem } from '../records/problem.ts';
import type { InputRow, RowBatch } from '../records/row-batch.ts';
import type { Assembler } from './assembler.ts';
import type { RejectedRow } from './checked.ts';

/**
 * The rejected row that the assembler has just read, with its text as it is. A row that takes cells from rows above, or
 * holds values that a workbook shows differently, is completed so that it can be read alone. Undefined without
 * `keepRaw`.
 */
export function rejectRow<T>(
  row: InputRow,
  problems: readonly Problem[],
  { header, sourceFormat }: RowBatch,
  assembler: Assembler<T>,
  readers: readonly FieldReader[],
): RejectedRow | undefined {
  if (row.raw === undefined) return undefined;
  const { read, wholeCells, lostColumns, plainCells } = assembler;
  // Values that Excel has lost stay blank: as text they would pass for what was typed.
  const cells =
    lostColumns.size + plainCells.size === 0
      ? wholeCells
      : wholeCells.map((cell, column) => (lostColumns.has(column) ? '' : (plainCells.get(column) ?? cell)));
  const isAlone = cells === row.cells || sourceFormat === undefined;
  return {
    line: row.line,
    originId: typeof read['originId'] === 'string' ? read['originId'] : originIdIn(row, readers),
    raw: isAlone ? row.raw : writeRow(cells, header, sourceFormat),
    problems,
    isOrphan: assembler.continuesOrder(wholeCells),
  };
}

/** The originId of the row as it is written, if it is the cell of one column. */
function originIdIn({ cells }: InputRow, readers: readonly FieldReader[]): string | undefined {
  const reader = readers.find(({ field, isColumn }) => field.path === 'originId' && isColumn);
  const [column] = reader?.columns ?? [];
  const cell = column === undefined ? undefined : withoutFormula(cells[column]);
  return typeof cell === 'string' && cell.trim() !== '' ? cell.trim() : undefined;
}
