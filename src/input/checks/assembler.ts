import type { Binding } from '../mapping/binding.ts';
import { type Column, columnOf, type Fields, mergedIn, put } from '../mapping/column.ts';
import type { GroupColumns } from '../mapping/presets/preset.ts';
import { isFilled, isRefusal, quoted, type Refusal } from '../records/cell.ts';
import { type Field, orderFieldOf } from '../records/field.ts';
import type { Fault } from '../records/problem.ts';
import type { InputRow } from '../records/row-batch.ts';
import type { CheckRun } from './findings.ts';

/** A record assembled from a row. */
export interface AssembledRow {
  /** The row, completed with cells of rows above. */
  readonly row: InputRow;
  readonly fields: Fields;
  readonly problems: readonly Fault[];
  /** True if the record belongs to another shard; then only its key was read. */
  readonly isElsewhere: boolean;
}

/**
 * Turns the rows of one file into records. In a table, rows inherit cells from rows above; a JSON object inherits
 * nothing. With `counts`, the rows of an order are numbered, even if they are not adjacent.
 */
export class Assembler {
  readonly #run: CheckRun<unknown>;
  readonly #required: readonly Field[];
  /** Path of the field that identifies the order, if records belong to orders. */
  readonly #orderKey: string | undefined;
  /** Number of cells with a status in progress, which leave the status of their items unset. */
  inProgressCount = 0;
  /** Columns in reading order. The `#keys` come first: they decide whether a row belongs to this shard. */
  #keys: readonly Column[] = [];
  #others: readonly Column[] = [];
  #above = rowsAbove([], undefined, undefined);
  /** Order of the last row. */
  #order = '';
  /** Number of the row within its order, from 1 on; 0 without `counts`. */
  #position = 0;
  /** Problems of the last row. */
  #problems: Fault[] = [];

  constructor(run: CheckRun<unknown>) {
    const { fields } = run.kind;
    this.#run = run;
    this.#required = fields.filter((field) => field.isRequired);
    this.#orderKey = orderFieldOf(fields)?.path;
  }

  /**
   * Reads rows with `columns` from now on. In a table, a row may continue the one above, or its `group`.
   */
  use({ columns }: Binding, isTable: boolean, group: GroupColumns | undefined): void {
    const { filter } = this.#run;
    const keyPaths = filter ? [this.#orderKey, ...filter.paths] : [];
    // Fields of the order come first, because they determine the number of a row.
    const sorted = columns.toSorted(
      (one, other) => Number(other.field.isOfOrder ?? false) - Number(one.field.isOfOrder ?? false),
    );
    this.#keys = sorted.filter(({ field }) => keyPaths.includes(field.path));
    this.#others = sorted.filter((column) => !this.#keys.includes(column));
    this.#above = rowsAbove(isTable ? columns : [], this.#orderKey, isTable ? group : undefined);
  }

  /** Returns the record of a row; undefined if the row adds nothing to the record above. */
  assemble(own: InputRow): AssembledRow | undefined {
    const row = this.#above.complete(own);
    if (row === undefined) return undefined;
    const fields: Record<string, unknown> = {};
    if (this.#problems.length > 0) this.#problems = [];
    this.#read(this.#keys, row, fields);
    if (this.#run.filter?.isElsewhere(fields)) return { row, fields, problems: [], isElsewhere: true };
    this.#read(this.#others, row, fields);
    for (const { path } of this.#required) if (fields[path] === undefined) this.#requireField(path, row);
    if (this.#problems.length === 0) this.#requireIdentity(fields, row);
    return { row, fields, problems: this.#problems, isElsewhere: false };
  }

  #read(columns: readonly Column[], row: InputRow, fields: Record<string, unknown>): void {
    for (const column of columns) {
      const value = column.read(row, this.#position);
      const { path, type } = column.field;
      if (isRefusal(value)) this.#refuse(row, column, value);
      else if (value !== undefined) {
        put(fields, column.names, value);
        this.#run.findings.filledFields.add(path);
      } else if (type === 'status' && isFilled(column.cellOf(row.cells, 0))) this.inProgressCount += 1;
      if (path === this.#orderKey) this.#count(typeof value === 'string' ? value : '');
    }
  }

  /** Skips an unreadable row. It counts as a row of the last order. The next row has to name its order. */
  skip(): void {
    this.#above.skip();
    this.#count(this.#order);
  }

  /** True if all order columns of a row are blank, so that it belongs to the order above. */
  continuesOrder(row: InputRow): boolean {
    return this.#above.continuesOrder(row);
  }

  /** Numbers the row within its order. */
  #count(order: string): void {
    const { counts } = this.#run;
    if (counts === undefined) return;
    this.#order = order;
    this.#position = (counts.put(order, (known = 0) => known + 1) ?? 0) + 1;
  }

  #requireField(path: string, row: InputRow): void {
    const { line } = row;
    const found = columnOf([...this.#keys, ...this.#others], path);
    const column = found?.shownAs ?? path;
    if (this.#problems.some((problem) => problem.column === column)) return;
    const range = mergedIn(row, found);
    const reason = `this value is missing${range === undefined ? '' : `: the merged cells ${range} are blank`}`;
    const remedy = `fill it in; every record needs ${path}`;
    this.#problems.push({ line, column, code: 'missing', reason, remedy });
  }

  #requireIdentity(fields: Fields, { line }: InputRow): void {
    const { knownBy } = this.#run.kind;
    if (knownBy === undefined || knownBy.some((path) => fields[path] !== undefined)) return;
    const either = knownBy.join(' or ');
    const remedy = `fill it in; every record needs ${either}`;
    this.#problems.push({ line, code: 'missing', reason: `${either} is missing`, remedy });
  }

  #refuse(row: InputRow, column: Column, refused: Refusal): void {
    const { field, shownAs, cellOf } = column;
    const plain = column.typedIn(row)?.value;
    const cell = typeof plain === 'string' ? plain : cellOf(row.exactCells?.() ?? row.cells, this.#position);
    this.#problems.push({
      line: row.line,
      column: shownAs,
      value: quoted(cell ?? null),
      ...refused,
      remedy: refused.remedy.replaceAll('FIELD', field.path),
    });
  }
}

/**
 * Fills rows of a table with cells of rows above. A row whose order columns are all blank continues the order above and
 * inherits its cells. This requires several order columns; with one, a lost id would look like a continued order. A
 * row with the same order or group as the one above inherits cells for its blank ones. `orderKey` is the path of the
 * field that identifies an order.
 */
function rowsAbove(
  columns: readonly Column[],
  orderKey: string | undefined,
  group: GroupColumns | undefined,
) {
  const ofOrder = columns.filter(({ field }) => field.isOfOrder);
  const orderIndexes = [...new Set(ofOrder.flatMap(({ indexes }) => indexes))];
  const keyIndexes = ofOrder.filter(({ field }) => field.path === orderKey).flatMap(({ indexes }) => indexes);
  /** First row of the current group, and of the current order. */
  let lead: InputRow | undefined;
  let first: InputRow | undefined;
  /** True if an unreadable row follows the last row that names its order; it may have begun another order. */
  let isBelowGap = false;

  /** True if all order columns of a row are blank, so that it belongs to the order above. */
  const continuesOrder = ({ cells }: InputRow) =>
    orderIndexes.length > 1 && orderIndexes.every((index) => !isFilled(cells[index]));

  const withOrder = (row: InputRow): InputRow => {
    if (continuesOrder(row)) return isBelowGap ? row : filledFrom(first, row, orderIndexes);
    isBelowGap = false;
    const above = first?.cells;
    if (above && keyIndexes.length > 0 && keyIndexes.every((index) => row.cells[index] === above[index]))
      return filledFrom(first, row, orderIndexes);
    first = row;
    return row;
  };

  /** The row, completed from the first row of its group; undefined if the row adds nothing. */
  const withGroup = (row: InputRow, { by, lead: ofLead, ofImage }: GroupColumns): InputRow | undefined => {
    const { cells } = row;
    const above = lead?.cells;
    if (!above || !isFilled(cells[by]) || cells[by] !== above[by] || isFilled(cells[ofLead])) {
      lead = row;
      return row;
    }
    const known = columnOf(columns, 'originId');
    const id = known?.cellOf(cells, 0);
    const isFurtherImage = cells.every((cell, index) => ofImage.has(index) || !isFilled(cell));
    // A variant without its id is reported as a problem, not skipped.
    if (isFilled(id) ? id === known?.cellOf(above, 0) : isFurtherImage) return undefined;
    const others = columns.filter((column) => column !== known).flatMap(({ indexes }) => indexes);
    return filledFrom(lead, row, others);
  };

  return {
    continuesOrder,
    /** Records an unreadable row, which may have begun another order. */
    skip: () => {
      isBelowGap = true;
    },
    /** Returns the next row with all its cells; undefined if it adds nothing to the one above. */
    complete: (row: InputRow): InputRow | undefined => {
      const grouped = group ? withGroup(row, group) : row;
      return grouped && withOrder(grouped);
    },
  };
}

/** Replaces the blank cells of `row` at `indexes` with those of `above`. */
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
