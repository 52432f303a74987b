import { withoutFormula } from '../formats/csv/formula-protected.ts';
import { writeRow } from '../formats/csv/write-row.ts';
import type { Step } from '../mapping/binding.ts';
import type { Problem, Row, Stretch } from '../records/problem.ts';
import type { Assembler } from './assembler.ts';
import type { Reject } from './checked.ts';

/**
 * A row that made no record, as it stands, and one that has cells from the rows above or holds what a workbook shows otherwise
 * with all it takes to be read alone. Undefined where its text is not kept. The assembler has just read it.
 */
export function rejectRow<T>(
  row: Row,
  problems: readonly Problem[],
  { header, writing }: Stretch,
  assembler: Assembler<T>,
  steps: readonly Step[],
): Reject | undefined {
  if (row.raw === undefined) return undefined;
  const { wholeCells, lostColumns, plainCells } = assembler;
  // What Excel has lost stays blank: as text it would be taken for what was typed.
  const cells =
    lostColumns.size + plainCells.size === 0
      ? wholeCells
      : wholeCells.map((cell, column) => (lostColumns.has(column) ? '' : (plainCells.get(column) ?? cell)));
  const isAlone = cells === row.cells || writing === undefined;
  return {
    line: row.line,
    originId: originIdIn(row, steps),
    raw: isAlone ? row.raw : writeRow(cells, header, writing),
    problems,
    isOrphan: assembler.continuesOrder(wholeCells),
  };
}

/** The originId as the row has it, good or not. */
function originIdIn({ cells }: Row, steps: readonly Step[]): string | undefined {
  const step = steps.find(({ field }) => field.path === 'originId');
  const [column, ...others] = step?.columns ?? [];
  const cell = column === undefined || others.length > 0 ? undefined : withoutFormula(cells[column]);
  return typeof cell === 'string' && cell.trim() !== '' ? cell.trim() : undefined;
}
