import type { FieldReader } from '../mapping/binding.ts';
import type { RowGroups } from '../mapping/presets/preset.ts';
import type { Cell } from '../records/cell.ts';
import { isFilled } from '../records/filled.ts';

/** The columns by which rows continue the one above. */
export interface GroupColumns {
  readonly by: number;
  readonly lead: number;
  /** The columns that a row with a further image fills in, including `by`. */
  readonly ofImage: ReadonlySet<number>;
}

/** The indexes of the columns of `groups`; undefined if the header lacks one. */
export function groupColumns(
  groups: RowGroups | undefined,
  header: readonly string[],
): GroupColumns | undefined {
  if (groups === undefined) return undefined;
  const [by, lead] = [header.indexOf(groups.by), header.indexOf(groups.lead)];
  if (by === -1 || lead === -1) return undefined;
  return { by, lead, ofImage: new Set([by, ...groups.images.map((name) => header.indexOf(name))]) };
}

/**
 * The rows of a table from which rows below take cells. A row whose order columns are all blank continues the order
 * above and takes its cells (only if the file has several order columns, so that a lost id does not look like a
 * continued order); a row of the same order, or of the same group, takes cells for its blank ones.
 */
export class RowsAbove {
  #readers: readonly FieldReader[] = [];
  #orderColumns: readonly number[] = [];
  #orderKeyColumns: readonly number[] = [];
  #group: GroupColumns | undefined;
  /** The cells of the first row of the current group. */
  #leadCells: readonly Cell[] | undefined;
  /** The cells of the first row of the current order. */
  #orderCells: readonly Cell[] | undefined;
  /**
   * Whether an unreadable row, which may have begun another order, has come since the last row that names its order.
   */
  #isBelowGap = false;

  /** Uses these columns from the next row on. `orderKey` is the path of the field that identifies an order. */
  use(readers: readonly FieldReader[], orderKey: string | undefined, group: GroupColumns | undefined): void {
    const ofOrder = readers.filter(({ field }) => field.isOfOrder);
    this.#readers = readers;
    this.#group = group;
    this.#orderColumns = [...new Set(ofOrder.flatMap(({ columns }) => columns))];
    this.#orderKeyColumns = ofOrder
      .filter(({ field }) => field.path === orderKey)
      .flatMap(({ columns }) => columns);
  }

  /** Whether no row can take cells from another order. */
  get isIndependent(): boolean {
    return this.#orderColumns.length <= 1;
  }

  /** The row from which the last one took cells. */
  get source(): readonly Cell[] | undefined {
    return this.#group ? this.#leadCells : this.#orderCells;
  }

  /** Whether a row has all cells of its order, so that it takes none. */
  isComplete(cells: readonly Cell[]): boolean {
    for (const column of this.#orderColumns) if (!isFilled(cells[column])) return false;
    return true;
  }

  /** Takes a row with all cells of its order. */
  take(cells: readonly Cell[]): void {
    this.#isBelowGap = false;
    const above = this.#orderCells;
    const isSame =
      above !== undefined &&
      this.#orderKeyColumns.length > 0 &&
      this.#orderKeyColumns.every((column) => cells[column] === above[column]);
    if (!isSame) this.#orderCells = cells;
  }

  /** Takes an unreadable row, which may have begun another order. */
  skip(): void {
    this.#isBelowGap = true;
  }

  /** Takes a row; returns its cells, completed, or undefined for a row that adds nothing to the one above. */
  complete(cells: readonly Cell[]): readonly Cell[] | undefined {
    const grouped = this.#withGroup(cells);
    return grouped && this.#withOrder(grouped);
  }

  /** Whether a row has no value in its order columns, and so belongs to the order above. */
  continuesOrder(cells: readonly Cell[]): boolean {
    const columns = this.#orderColumns;
    return columns.length > 1 && columns.every((column) => !isFilled(cells[column]));
  }

  #withOrder(cells: readonly Cell[]): readonly Cell[] {
    const columns = this.#orderColumns;
    if (this.continuesOrder(cells)) {
      return this.#isBelowGap ? cells : filledFrom(this.#orderCells, cells, columns);
    }
    this.take(cells);
    return this.#orderCells === cells ? cells : filledFrom(this.#orderCells, cells, columns);
  }

  /** The cells, completed from the first row of the group; undefined for a row that adds nothing. */
  #withGroup(cells: readonly Cell[]): readonly Cell[] | undefined {
    if (this.#group === undefined) return cells;
    const { by, lead, ofImage } = this.#group;
    const above = this.#leadCells;
    const continues =
      above !== undefined && isFilled(cells[by]) && cells[by] === above[by] && !isFilled(cells[lead]);
    if (!continues) {
      this.#leadCells = cells;
      return cells;
    }
    const known = this.#readers.find(({ field }) => field.path === 'originId');
    const id = known?.extract(cells, 0);
    const isFurtherImage = cells.every((cell, column) => ofImage.has(column) || !isFilled(cell));
    // A variant without its id is reported as a problem, not skipped.
    if (isFilled(id) ? id === known?.extract(above, 0) : isFurtherImage) return undefined;
    const others = this.#readers.filter((reader) => reader !== known).flatMap(({ columns }) => columns);
    return filledFrom(above, cells, others);
  }
}

/** `cells`, with blank ones in `columns` replaced by those of `above`. */
function filledFrom(
  above: readonly Cell[] | undefined,
  cells: readonly Cell[],
  columns: readonly number[],
): readonly Cell[] {
  if (above === undefined || columns.every((column) => isFilled(cells[column]))) return cells;
  const whole = [...cells];
  for (const column of columns) if (!isFilled(whole[column])) whole[column] = above[column];
  return whole;
}
