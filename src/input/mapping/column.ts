import type { FieldValue } from '../cells/read-cell.ts';
import { withoutFormula } from '../formats/csv/write-row.ts';
import type { Cell } from '../records/cell.ts';
import type { Field } from '../records/field.ts';
import { isFilled } from '../records/filled.ts';
import type { Columns, SourceOrigin } from './columns.ts';
import type { FieldSource } from './mapping.ts';

/** How one field of a record is read from a row: compiled once for a header. */
export interface Column extends SourceCells {
  readonly field: Field;
  /** The path of the field, split at its dot. */
  readonly names: readonly [string, string?];
  /** Why this source was chosen. */
  readonly origin: SourceOrigin;
  /** The plain value of a workbook cell as the cells of the file are written. */
  readonly written: (plain: string) => string;
  /** The value of a cell that `cellOf` gives. */
  readonly read: (cell: Cell) => FieldValue;
}

/** Where the cells of a field come from. */
interface SourceCells {
  /** The column, template or flag that gives the value, as problems name it. */
  readonly shownAs: string;
  /** The columns of the value; empty for a constant. */
  readonly indexes: readonly number[];
  /** Whether the value is the cell of one column. */
  readonly isColumn: boolean;
  /** The cell to be read; `position` is the number of the row within its order, from 1. */
  readonly cellOf: (cells: readonly Cell[], position: number) => Cell;
}

/** Finds the columns of a source. `isRefusedPart` tests whether a cell is refused even as a part of a template. */
export function sourceCells(
  source: FieldSource,
  path: string,
  columns: Columns,
  isRefusedPart: (cell: string) => boolean,
): SourceCells {
  switch (source.kind) {
    case 'constant':
      return { shownAs: '--set', indexes: [], isColumn: false, cellOf: () => source.value };
    case 'column': {
      const { name } = source;
      const index = columns.find(name, path);
      const cellOf = (cells: readonly Cell[]) => withoutFormula(cells[index]);
      return { shownAs: columns.shown(name), indexes: [index], isColumn: true, cellOf };
    }
    case 'template': {
      const parts = source.parts.map((part) =>
        part.kind === 'columns' ? part.names.map((name) => columns.find(name, path)) : part,
      );
      // Blank if a part is. A cell that is not valid text is given as it is, for the field to refuse.
      const cellOf = (cells: readonly Cell[], position: number) => {
        let joined = '';
        for (const part of parts) {
          if ('kind' in part) {
            joined += part.kind === 'text' ? part.text : position;
            continue;
          }
          const cell = part.map((index) => withoutFormula(cells[index])).find(isFilled);
          if (typeof cell !== 'string' || isRefusedPart(cell)) return cell;
          joined += cell.trim();
        }
        return joined;
      };
      const indexes = parts.flatMap((part) => ('kind' in part ? [] : part));
      return { shownAs: source.written, indexes, isColumn: false, cellOf };
    }
  }
}
