import type { IdNumbers } from '../../base/id-set.ts';
import type { Binding } from '../mapping/binding.ts';
import { type Column, type Fields, put } from '../mapping/column.ts';
import type { GroupColumns } from '../mapping/presets/preset.ts';
import { isFilled, quoted, Refusal } from '../records/cell.ts';
import { type Field, orderFieldOf } from '../records/field.ts';
import type { Fault } from '../records/problem.ts';
import type { InputRow } from '../records/row-batch.ts';
import type { CheckRun } from './findings.ts';
import type { ShardFilter } from './shard-filter.ts';

/** A row as a record. */
export interface AssembledRow {
  /** The row, with the cells that it takes from rows above. */
  readonly row: InputRow;
  readonly fields: Fields;
  readonly problems: readonly Fault[];
  /** Whether it belongs to another shard; then only its key has been read. */
  readonly isElsewhere: boolean;
}

/**
 * Turns the rows of one file into records. In a table, a row takes cells from the rows above; a JSON object without a
 * field lacks it. With `counts`, rows are numbered within their order, wherever they are.
 */
export class Assembler {
  readonly #required: readonly Field[];
  readonly #knownBy: readonly string[];
  /** The field that identifies the order, if records belong to orders. */
  readonly #orderKey: string | undefined;
  readonly #filter: ShardFilter | undefined;
  readonly #counts: IdNumbers | undefined;
  readonly #filled: Set<string>;
  /** Cells with a status in progress, which leave the status of their items alone. */
  inProgressCount = 0;
  /** The columns in the order in which they are read: first those that show whether a row belongs to this shard. */
  #keys: readonly Column[] = [];
  #others: readonly Column[] = [];
  /** What rows take from the rows above. */
  #above = new RowsAbove([], undefined, undefined);
  /** The order of the last row. */
  #order = '';
  /** The number of the row within its order. */
  #position = 0;
  /** The problems of the last row. */
  #problems: Fault[] = [];

  constructor({ kind, counts, filter, findings }: CheckRun<unknown>) {
    this.#counts = counts;
    this.#filter = filter;
    this.#filled = findings.filledFields;
    this.#required = kind.fields.filter((field) => field.isRequired);
    this.#knownBy = kind.knownBy ?? [];
    this.#orderKey = orderFieldOf(kind.fields)?.path;
  }

  /**
   * Uses `columns` from the next row on. In a table, rows may continue the one above, also by the columns of `group`.
   */
  use({ columns }: Binding, isTable: boolean, group: GroupColumns | undefined): void {
    const keyPaths = new Set(this.#filter ? [this.#orderKey, ...this.#filter.paths] : []);
    this.#keys = [...keyPaths].flatMap((path) => columns.filter(({ field }) => field.path === path));
    const others = columns.filter((column) => !this.#keys.includes(column));
    // Order fields first: the number of a row depends on its order.
    this.#others = others.toSorted(
      (one, other) => Number(other.field.isOfOrder ?? false) - Number(one.field.isOfOrder ?? false),
    );
    this.#above = new RowsAbove(isTable ? columns : [], this.#orderKey, isTable ? group : undefined);
  }

  /** The record of a row; undefined for a row that only continues the record above. */
  assemble(own: InputRow): AssembledRow | undefined {
    const row = this.#above.complete(own);
    if (row === undefined) return undefined;
    const fields: Record<string, unknown> = {};
    if (this.#problems.length > 0) this.#problems = [];
    this.#read(this.#keys, row, fields);
    if (this.#filter?.isElsewhere(fields)) return { row, fields, problems: [], isElsewhere: true };
    this.#read(this.#others, row, fields);
    for (const { path } of this.#required) if (fields[path] === undefined) this.#requireField(path, row);
    if (this.#problems.length === 0) this.#requireIdentity(fields, row);
    return { row, fields, problems: this.#problems, isElsewhere: false };
  }

  #read(columns: readonly Column[], row: InputRow, fields: Record<string, unknown>): void {
    for (const column of columns) {
      const value = column.read(row, this.#position);
      const { path, type } = column.field;
      if (value instanceof Refusal) this.#refuse(row, column, value);
      else if (value !== undefined) {
        put(fields, column.names, value);
        this.#filled.add(path);
      } else if (type === 'status' && isFilled(column.cellOf(row.cells, 0))) this.inProgressCount += 1;
      if (path === this.#orderKey) this.#count(typeof value === 'string' ? value : '');
    }
  }

  /** Skips an unreadable row. It is counted within its order; only a row that names the order continues it. */
  skip(): void {
    this.#above.skip();
    this.#count(this.#order);
  }

  /** Whether all order columns of a row are blank, so that it belongs to the order above. */
  continuesOrder(row: InputRow): boolean {
    return this.#above.continuesOrder(row);
  }

  /** Numbers the row within its order. */
  #count(order: string): void {
    if (this.#counts === undefined) return;
    this.#order = order;
    this.#position = (this.#counts.put(order, (known = 0) => known + 1) ?? 0) + 1;
  }

  #requireField(path: string, { line, merged }: InputRow): void {
    const found = [...this.#keys, ...this.#others].find(({ field }) => field.path === path);
    const column = found?.shownAs ?? path;
    if (this.#problems.some((problem) => problem.column === column)) return;
    const range = found?.indexes.map((at) => merged?.get(at)).find((one) => one !== undefined);
    const reason = `this value is missing${range === undefined ? '' : `: the merged cells ${range} are blank`}`;
    const remedy = `fill it in; every record needs ${path}`;
    this.#problems.push({ line, column, code: 'missing', reason, remedy });
  }

  #requireIdentity(fields: Fields, { line }: InputRow): void {
    const paths = this.#knownBy;
    if (paths.length === 0 || paths.some((path) => fields[path] !== undefined)) return;
    const either = paths.join(' or ');
    const remedy = `fill it in; every record needs ${either}`;
    this.#problems.push({ line, code: 'missing', reason: `${either} is missing`, remedy });
  }

  #refuse(row: InputRow, column: Column, { code, reason, remedy }: Refusal): void {
    const { field, shownAs, cellOf } = column;
    const plain = column.typedIn(row)?.value;
    const cell = typeof plain === 'string' ? plain : cellOf(row.cells, this.#position);
    this.#problems.push({
      line: row.line,
      column: shownAs,
      value: quoted(cell ?? null),
      code,
      reason,
      remedy: remedy.replaceAll('FIELD', field.path),
    });
  }
}

/**
 * The rows of a table from which rows below take cells. A row whose order columns are all blank continues the order
 * above and takes its cells (only if the file has several order columns, so that a lost id does not look like a
 * continued order); a row of the same order, or of the same group, takes cells for its blank ones.
 */
class RowsAbove {
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

  /** Whether all order columns of a row are blank, so that it belongs to the order above. */
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
