import { withoutFormula } from '../formats/csv/formula-protected.ts';
import { writeRow } from '../formats/csv/write-row.ts';
import type { FieldReader } from '../mapping/binding.ts';
import type { Problem } from '../records/problem.ts';
import type { InputRow, RowBatch } from '../records/row-batch.ts';
import type { Assembler } from './assembler.ts';
import type { RejectedRow } from './checked.ts';

/**
 * A row that made no record, as it stands, and one that has cells from the rows above or holds what a workbook shows otherwise
 * with all it takes to be read alone. Undefined where its text is not kept. The assembler has just read it.
 */
export function rejectRow<T>(
  row: InputRow,
  problems: readonly Problem[],
  { header, sourceFormat }: RowBatch,
  assembler: Assembler<T>,
  readers: readonly FieldReader[],
): RejectedRow | undefined {
  if (row.raw === undefined) return undefined;
  const { wholeCells, lostColumns, plainCells } = assembler;
  // What Excel has lost stays blank: as text it would be taken for what was typed.
  const cells =
    lostColumns.size + plainCells.size === 0
      ? wholeCells
      : wholeCells.map((cell, column) => (lostColumns.has(column) ? '' : (plainCells.get(column) ?? cell)));
  const isAlone = cells === row.cells || sourceFormat === undefined;
  return {
    line: row.line,
    originId: originIdIn(row, readers),
    raw: isAlone ? row.raw : writeRow(cells, header, sourceFormat),
    problems,
    isOrphan: assembler.continuesOrder(wholeCells),
  };
}

/** The originId as the row has it, good or not. */
function originIdIn({ cells }: InputRow, readers: readonly FieldReader[]): string | undefined {
  const reader = readers.find(({ field }) => field.path === 'originId');
  const [column, ...others] = reader?.columns ?? [];
  const cell = column === undefined || others.length > 0 ? undefined : withoutFormula(cells[column]);
  return typeof cell === 'string' && cell.trim() !== '' ? cell.trim() : undefined;
}
