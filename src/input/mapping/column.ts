import type { CellConventions } from '../cells/cell-reader.ts';
import { isForeignAmount } from '../cells/numbers.ts';
import { type FieldValue, fieldReader, partRefuser } from '../cells/read-cell.ts';
import { plainCell, refuseTyped } from '../cells/typed.ts';
import { type Cell, isFilled, isRefusal, type Refusal } from '../records/cell.ts';
import type { Field } from '../records/field.ts';
import type { InputOptions } from '../records/options.ts';
import type { InputRow } from '../records/row-batch.ts';
import type { Columns, SourceOrigin } from './columns.ts';
import type { FieldSource } from './mapping.ts';

/** The path of a field, split at its dot. */
export type FieldNames = readonly [string, string?];

export function namesOf(path: string): FieldNames {
  const [name = path, nested] = path.split('.');
  return nested === undefined ? [name] : [name, nested];
}

/** The valid fields of a row. Their names come from the fields of the kind, never from a file. */
export type Fields = Readonly<Record<string, unknown>>;

/** The compiled reader of one field: built once for a header, used for each row. */
export interface Column extends SourceCells {
  readonly field: Field;
  readonly names: FieldNames;
  /** Why this source was chosen. */
  readonly origin: SourceOrigin;
  /** The workbook cell of the source whose displayed text does not apply: its plain value, or why it is refused. */
  typedIn(row: InputRow): TypedValue | undefined;
  /** Reads the field from a row; `position` is the number of the row within its order, from 1. */
  read(row: InputRow, position: number): FieldValue;
}

/** The plain value of a workbook cell that is not text, or why it is refused. */
interface TypedValue {
  readonly index: number;
  readonly value: string | Refusal;
}

/** The source of a field's cells. */
interface SourceCells {
  /** The column, template or flag that supplies the value, as problems name it. */
  readonly shownAs: string;
  /** Indexes of the columns of the value; empty for a constant. */
  readonly indexes: readonly number[];
  /** True if the value is the cell of one column. */
  readonly isColumn: boolean;
  /** Returns the cell as displayed. */
  readonly cellOf: (cells: readonly Cell[], position: number) => Cell;
}

/** The column of the field with this path. */
export function columnOf(columns: readonly Column[], path: string): Column | undefined {
  return columns.find(({ field }) => field.path === path);
}

/** The merged cells that supply the value of `column` in a row, if any. */
export function mergedIn({ merged }: InputRow, column: Column | undefined): string | undefined {
  return column?.indexes.map((index) => merged?.get(index)).find(Boolean);
}

/** Compiles the reader of `field` from `source`. */
export function compileColumn(
  field: Field,
  { source, origin }: { readonly source: FieldSource; readonly origin: SourceOrigin },
  columns: Columns,
  options: InputOptions,
  conventions: CellConventions | undefined,
): Column {
  const { path, type } = field;
  const found = sourceCells(source, path, columns, partRefuser(type, options));
  const { indexes, cellOf } = found;
  const readCell = fieldReader(field, options, conventions);
  const isComma = options.decimal === 'comma' && type === 'money';
  const typedIn = ({ cells, typed }: InputRow): TypedValue | undefined => {
    for (const index of indexes) {
      const shown = cells[index];
      const kind = isFilled(shown) ? typed?.get(index) : undefined;
      if (kind === undefined) continue;
      const refusal = refuseTyped(type, kind, shown);
      if (refusal) return { index, value: refusal };
      const isForeign = type === 'money' && typeof shown === 'string' && isForeignAmount(shown);
      const plain = isForeign || indexes.length > 1 ? undefined : plainCell(type, kind);
      if (plain !== undefined) return { index, value: isComma ? plain.replace('.', ',') : plain };
    }
    return undefined;
  };
  return {
    ...found,
    field,
    names: namesOf(path),
    origin,
    typedIn,
    read: (row, position) => {
      const typed = row.typed && typedIn(row)?.value;
      return isRefusal(typed) ? typed : readCell(typed ?? cellOf(row.cells, position));
    },
  };
}

/** Finds the columns of a source. `isRefusedPart` is true for a cell that is refused even as a part of a template. */
function sourceCells(
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
      // Blank if a part is blank. A part that is not valid text is returned alone, so that the field refuses it.
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

const formula = /^\s*="((?:[^"]|"")*)"\s*$/;

/** Removes the formula that keeps Excel from changing text: `="007"` becomes `007`. */
export function withoutFormula<T extends Cell>(cell: T): T | string {
  if (typeof cell !== 'string') return cell;
  // Fast path: nearly all cells begin with an ASCII character other than a blank or `=`.
  const first = cell.charCodeAt(0);
  if (first > 0x20 && first < 0xa0 && first !== 0x3d) return cell;
  return formula.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;
}

/** The value of a field in a record. */
export function valueIn(fields: Fields, [name, nested]: FieldNames): unknown {
  const value = fields[name];
  return nested === undefined ? value : (value as Fields | undefined)?.[nested];
}

/** Sets the value of a field. */
export function put(fields: Record<string, unknown>, [name, nested]: FieldNames, value: unknown): void {
  if (nested === undefined) {
    fields[name] = value;
    return;
  }
  const inner = (fields[name] ?? {}) as Record<string, unknown>;
  inner[nested] = value;
  fields[name] = inner;
}
