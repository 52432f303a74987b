import type { Column } from '../mapping/column.ts';
import type { RowGroups } from '../mapping/presets/preset.ts';
import { isFilled } from '../records/cell.ts';
import type { InputRow } from '../records/row-batch.ts';

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
  readonly #columns: readonly Column[];
  readonly #orderIndexes: readonly number[];
  readonly #orderKeyIndexes: readonly number[];
  readonly #group: GroupColumns | undefined;
  /** The first row of the current group. */
  #lead: InputRow | undefined;
  /** The first row of the current order. */
  #order: InputRow | undefined;
  /**
   * Whether an unreadable row, which may have begun another order, has come since the last row that names its order.
   */
  #isBelowGap = false;

  /** `orderKey` is the path of the field that identifies an order. */
  constructor(columns: readonly Column[], orderKey: string | undefined, group: GroupColumns | undefined) {
    const ofOrder = columns.filter(({ field }) => field.isOfOrder);
    this.#columns = columns;
    this.#group = group;
    this.#orderIndexes = [...new Set(ofOrder.flatMap(({ indexes }) => indexes))];
    this.#orderKeyIndexes = ofOrder
      .filter(({ field }) => field.path === orderKey)
      .flatMap(({ indexes }) => indexes);
  }

  /** Takes an unreadable row, which may have begun another order. */
  skip(): void {
    this.#isBelowGap = true;
  }

  /** Takes a row; returns it with all its cells, or undefined for a row that adds nothing to the one above. */
  complete(row: InputRow): InputRow | undefined {
    const grouped = this.#withGroup(row);
    return grouped && this.#withOrder(grouped);
  }

  /** Whether a row has no value in its order columns, and so belongs to the order above. */
  continuesOrder({ cells }: InputRow): boolean {
    const indexes = this.#orderIndexes;
    return indexes.length > 1 && indexes.every((index) => !isFilled(cells[index]));
  }

  #withOrder(row: InputRow): InputRow {
    if (this.continuesOrder(row)) {
      return this.#isBelowGap ? row : filledFrom(this.#order, row, this.#orderIndexes);
    }
    this.#isBelowGap = false;
    const above = this.#order?.cells;
    const keys = this.#orderKeyIndexes;
    if (above && keys.length > 0 && keys.every((index) => row.cells[index] === above[index]))
      return filledFrom(this.#order, row, this.#orderIndexes);
    this.#order = row;
    return row;
  }

  /** The row, completed from the first row of the group; undefined for a row that adds nothing. */
  #withGroup(row: InputRow): InputRow | undefined {
    if (this.#group === undefined) return row;
    const { by, lead, ofImage } = this.#group;
    const { cells } = row;
    const above = this.#lead?.cells;
    if (!above || !isFilled(cells[by]) || cells[by] !== above[by] || isFilled(cells[lead])) {
      this.#lead = row;
      return row;
    }
    const known = this.#columns.find(({ field }) => field.path === 'originId');
    const id = known?.cellOf(cells, 0);
    const isFurtherImage = cells.every((cell, index) => ofImage.has(index) || !isFilled(cell));
    // A variant without its id is reported as a problem, not skipped.
    if (isFilled(id) ? id === known?.cellOf(above, 0) : isFurtherImage) return undefined;
    const others = this.#columns.filter((column) => column !== known).flatMap(({ indexes }) => indexes);
    return filledFrom(this.#lead, row, others);
  }
}

/** `row` with the cells of `above` in place of its blank ones at `indexes`. */
function filledFrom(above: InputRow | undefined, row: InputRow, indexes: readonly number[]): InputRow {
  const blank = indexes.filter((index) => !isFilled(row.cells[index]));
  if (above === undefined || blank.length === 0) return row;
  const cells = [...row.cells];
  for (const index of blank) cells[index] = above.cells[index];
  if (!row.typed && !above.typed) return { ...row, cells };
  const typed = new Map(row.typed);
  for (const index of blank) {
    const type = above.typed?.get(index);
    if (type === undefined) typed.delete(index);
    else typed.set(index, type);
  }
  return { ...row, cells, typed };
}
