import type { IdNumbers } from '../../base/id-set.ts';
import type { CellValue } from '../cells/cell-reader.ts';
import { isForeignAmount } from '../cells/money.ts';
import { plainCell, refuseTyped } from '../cells/typed.ts';
import type { FieldReader } from '../mapping/binding.ts';
import type { Cell, TypedCell } from '../records/cell.ts';
import type { Field } from '../records/field.ts';
import { isFilled } from '../records/filled.ts';
import type { InputOptions } from '../records/options.ts';
import { isPlainId } from '../records/plain-id.ts';
import type { Problem } from '../records/problem.ts';
import { quoted } from '../records/quoted.ts';
import type { RecordKind } from '../records/record-kinds.ts';
import { Refusal } from '../records/refusal.ts';
import type { InputRow } from '../records/row-batch.ts';
import { type GroupColumns, RowsAbove } from './rows-above.ts';
import { elsewhere, type ShardFilter } from './shard-filter.ts';

/** A record under construction. Its names come from the fields of the kind, never from a file. */
type PartialRecord = Record<string, unknown>;

/**
 * Turns the rows of one file into records. In a table, a row takes cells from the rows above; a JSON object without a
 * field lacks it. With `counts`, rows are numbered within their order, wherever they are.
 */
export class Assembler<T> {
  readonly #file: string;
  readonly #nullWord: string | undefined;
  readonly #required: readonly Field[];
  readonly #knownBy: readonly string[];
  /** The field that identifies the order, if records belong to orders. */
  readonly #orderKey: string | undefined;
  /** The paths of the fields with a value in any record so far. */
  readonly filledFields = new Set<string>();
  /** Cells with a status in progress, which leave the status of their items alone. */
  inProgressCount = 0;
  #readers: readonly FieldReader[] = [];
  /** Those of the readers that are needed to see whether a row belongs to this shard; none without a shard. */
  #keyReaders: readonly FieldReader[] = [];
  #otherReaders: readonly FieldReader[] = [];
  readonly #filter: ShardFilter | undefined;
  /** What rows take from the rows above. */
  readonly #above = new RowsAbove();
  /** The typed cells by row: rows that take cells from above need their types. */
  readonly #typed = new WeakMap<readonly Cell[], NonNullable<InputRow['typed']>>();
  /** Whether any row so far has typed cells; those of text files never have. */
  #hasTyped = false;
  readonly #counts: IdNumbers | undefined;
  /** The order of the last row. */
  #order = '';
  /** The number of the row within its order. */
  #position = 0;
  /** The cells of the last row, completed from the rows above. */
  wholeCells: readonly Cell[] = [];
  /** The columns of the last row in which Excel has lost what was typed, so that they cannot be written again. */
  readonly lostColumns = new Set<number>();
  /** By column, the plain values of cells in the last row that the workbook shows differently. */
  readonly plainCells = new Map<number, string>();
  /** The valid fields of the last row, whether it has problems or not; empty if it is not a record. */
  read: Readonly<PartialRecord> = {};
  /** Whether the fast path applies: rows of a table that are neither numbered nor grouped. */
  #areRowsPlain = false;
  /** The readers of the fast path. */
  #plainSteps: readonly PlainStep[] = [];
  #keySteps: readonly PlainStep[] = [];
  #otherSteps: readonly PlainStep[] = [];

  constructor(
    file: string,
    kind: RecordKind<T>,
    { nullWord }: Pick<InputOptions, 'nullWord'>,
    { counts, filter }: { readonly counts: IdNumbers | undefined; readonly filter: ShardFilter | undefined },
  ) {
    this.#file = file;
    this.#counts = counts;
    this.#filter = filter;
    this.#nullWord = nullWord;
    this.#required = kind.fields.filter((field) => field.isRequired);
    this.#knownBy = kind.knownBy ?? [];
    this.#orderKey = kind.fields.find((field) => field.isOfOrder)?.path;
  }

  /**
   * Uses `readers` from the next row on. In a table, rows may continue the one above, also by the columns of `group`.
   */
  use(
    readers: readonly FieldReader[],
    { isTable, group }: { readonly isTable: boolean; readonly group: GroupColumns | undefined },
  ): void {
    // Order fields first: the number of a row depends on its order.
    const ofOrder = readers.filter((reader) => reader.field.isOfOrder);
    const all = [...ofOrder, ...readers.filter((reader) => !reader.field.isOfOrder)];
    const { ofKey, others } = this.#filter?.split(all, this.#orderKey) ?? { ofKey: [], others: all };
    this.#readers = [...ofKey, ...others];
    this.#keyReaders = ofKey;
    this.#otherReaders = others;
    this.#above.use(isTable ? this.#readers : [], this.#orderKey, isTable ? group : undefined);
    this.#areRowsPlain =
      isTable &&
      group === undefined &&
      this.#counts === undefined &&
      this.#nullWord === undefined &&
      this.#required.every((field) => readers.some((reader) => reader.field === field));
    this.#plainSteps = this.#readers.map((reader) => ({
      reader,
      idColumn: idColumnOf(reader),
      isFilled: false,
    }));
    this.#keySteps = this.#plainSteps.slice(0, ofKey.length);
    this.#otherSteps = this.#plainSteps.slice(ofKey.length);
  }

  /**
   * The fast path for nearly every row of a table; undefined if `assemble` is needed. Both give the same record.
   */
  assembleAtOnce({ cells, typed }: InputRow): T | typeof elsewhere | undefined {
    if (!this.#areRowsPlain || typed !== undefined || this.#hasTyped) return undefined;
    if (!this.#above.isComplete(cells)) return undefined;
    const record: PartialRecord = {};
    if (!readAtOnce(record, this.#keySteps, cells)) return undefined;
    if (this.#filter?.isElsewhere(record)) {
      this.#above.take(cells);
      return elsewhere;
    }
    if (!readAtOnce(record, this.#otherSteps, cells)) return undefined;
    if (this.#knownBy.length > 0 && !this.#knownBy.some((path) => record[path] !== undefined))
      return undefined;
    this.#noteFilled(record);
    this.#above.take(cells);
    this.wholeCells = cells;
    this.read = record;
    // As in `assemble`.
    return record as T;
  }

  #noteFilled(record: PartialRecord): void {
    for (const plain of this.#plainSteps) {
      if (plain.isFilled || valueIn(record, plain.reader.names) === undefined) continue;
      plain.isFilled = true;
      this.filledFields.add(plain.reader.field.path);
    }
  }

  /**
   * The record of a row; undefined if it has problems, which are added to `problems`, or only continues the record
   * above.
   */
  assemble(row: InputRow, problems: Problem[]): T | typeof elsewhere | undefined {
    const problemsBefore = problems.length;
    if (row.typed) {
      this.#typed.set(row.cells, row.typed);
      this.#hasTyped = true;
    }
    this.read = {};
    this.lostColumns.clear();
    this.plainCells.clear();
    const cells = this.#above.complete(row.cells);
    if (cells === undefined) return undefined;
    this.wholeCells = cells;
    const record: PartialRecord = {};
    this.read = record;
    this.#readFields(record, this.#keyReaders, row, cells, problems);
    if (this.#filter?.isElsewhere(record)) {
      problems.length = problemsBefore;
      return elsewhere;
    }
    this.#readFields(record, this.#otherReaders, row, cells, problems);
    for (const field of this.#required) {
      if (record[field.path] === undefined) this.#requireField(field, row, problems, problemsBefore);
    }
    if (problems.length === problemsBefore) this.#requireIdentity(record, row, problems);
    // The only cast of this room: the fields of a kind are those of its type.
    return problems.length === problemsBefore ? (record as T) : undefined;
  }

  #readFields(
    record: PartialRecord,
    readers: readonly FieldReader[],
    row: InputRow,
    cells: readonly Cell[],
    problems: Problem[],
  ): void {
    for (const reader of readers) {
      const cell = this.#plain(reader, row, cells) ?? reader.extract(cells, this.#position);
      const value = this.#refuseTyped(reader, row, cells) ?? this.#read(reader, cell);
      if (value instanceof Refusal) problems.push(this.#problem(row, reader, cell, value));
      else if (value !== undefined) {
        put(record, reader.names, value);
        this.filledFields.add(reader.field.path);
      }
      if (reader.field.path === this.#orderKey) this.#count(typeof value === 'string' ? value : '');
    }
  }

  /** Skips an unreadable row. It is counted within its order; only a row that names the order continues it. */
  skip(): void {
    this.#above.skip();
    this.#count(this.#order);
  }

  /** Whether a row has no value in its order columns, and so belongs to the order above. */
  continuesOrder(cells: readonly Cell[]): boolean {
    return this.#above.continuesOrder(cells);
  }

  /** The type of a workbook cell that is not text, looked up by the row that contains it. */
  #typedAt(column: number, { cells: own }: InputRow, cells: readonly Cell[]): TypedCell | undefined {
    if (!isFilled(cells[column])) return undefined;
    const source = isFilled(own[column]) ? own : this.#above.source;
    return source && this.#typed.get(source)?.get(column);
  }

  /** The plain value of a single cell that the workbook shows differently. */
  #plain({ field, columns }: FieldReader, row: InputRow, cells: readonly Cell[]): string | undefined {
    if (!this.#hasTyped) return undefined;
    const [column] = columns;
    if (column === undefined || columns.length > 1) return undefined;
    const typed = this.#typedAt(column, row, cells);
    const shown = cells[column];
    if (field.type === 'money' && typeof shown === 'string' && isForeignAmount(shown)) return undefined;
    const plain = typed && plainCell(field.type, typed);
    if (plain !== undefined) this.plainCells.set(column, plain);
    return plain;
  }

  /** Why one of the cells of a value is refused for its type. */
  #refuseTyped({ field, columns }: FieldReader, row: InputRow, cells: readonly Cell[]): Refusal | undefined {
    if (!this.#hasTyped) return undefined;
    for (const column of columns) {
      const typed = this.#typedAt(column, row, cells);
      const refusal = typed && refuseTyped(field.type, typed, cells[column]);
      if (refusal) {
        this.lostColumns.add(column);
        return refusal;
      }
    }
    return undefined;
  }

  /** Numbers the row within its order. */
  #count(order: string): void {
    this.#order = order;
    const before = this.#counts?.put(order, (known = 0) => known + 1);
    this.#position = (before ?? 0) + 1;
  }

  /** The value of a cell; undefined for a blank cell, which leaves the field unchanged. */
  #read({ field, read }: FieldReader, cell: Cell): CellValue | null | undefined | Refusal {
    if (cell === null && field.isNullable) return null;
    if (!isFilled(cell)) return undefined;
    const isNullWord =
      this.#nullWord !== undefined && typeof cell === 'string' && cell.trim() === this.#nullWord;
    if (!isNullWord) {
      const value = read(cell);
      if (value === undefined) this.inProgressCount += 1;
      return value;
    }
    return field.isNullable ? null : notNullable;
  }

  #requireField(
    { path }: Field,
    { line, merged }: InputRow,
    problems: Problem[],
    problemsBefore: number,
  ): void {
    const reader = this.#readers.find(({ field }) => field.path === path);
    const column = reader?.shownAs ?? path;
    for (let at = problemsBefore; at < problems.length; at += 1) {
      if (problems[at]?.column === column) return;
    }
    const range = reader?.columns.map((at) => merged?.get(at)).find((found) => found !== undefined);
    const reason = `this value is missing${range === undefined ? '' : `: the merged cells ${range} are blank`}`;
    const remedy = `fill it in; every record needs ${path}`;
    problems.push({ file: this.#file, line, column, code: 'missing', reason, remedy });
  }

  #requireIdentity(record: PartialRecord, { line }: InputRow, problems: Problem[]): void {
    const paths = this.#knownBy;
    if (paths.length === 0 || paths.some((path) => record[path] !== undefined)) return;
    const either = paths.join(' or ');
    const remedy = `fill it in; every record needs ${either}`;
    problems.push({ file: this.#file, line, code: 'missing', reason: `${either} is missing`, remedy });
  }

  #problem(
    { line }: InputRow,
    { field, shownAs: column }: FieldReader,
    cell: Cell,
    { code, reason, remedy }: Refusal,
  ): Problem {
    const ofField = remedy.replaceAll('FIELD', field.path);
    return { file: this.#file, line, column, value: quoted(cell ?? null), code, reason, remedy: ofField };
  }
}

const notNullable = new Refusal(
  'not-nullable',
  'this field cannot be sent as null',
  'leave the cell blank to keep the field unchanged',
);

/** A field reader with what the fast path needs. */
interface PlainStep {
  readonly reader: FieldReader;
  /** The column of a plain id; -1 for anything else. */
  readonly idColumn: number;
  /** Whether a record has had a value for it. */
  isFilled: boolean;
}

/** In place of a value that the fast path cannot read. */
const needsLook = Symbol('needs a closer look');

function idColumnOf({ field, columns, isColumn }: FieldReader): number {
  return isColumn && field.type === 'id' ? (columns[0] ?? -1) : -1;
}

/** Reads the cells of a row into `record`; false if the row needs a closer look. */
function readAtOnce(record: PartialRecord, steps: readonly PlainStep[], cells: readonly Cell[]): boolean {
  for (const plain of steps) {
    const value = valueAtOnce(plain, cells);
    if (value === needsLook) return false;
    if (value !== undefined) put(record, plain.reader.names, value);
    else if (plain.reader.field.isRequired) return false;
  }
  return true;
}

/** The value of a cell, `needsLook` if the fast path cannot read it, or undefined if it is blank. */
function valueAtOnce({ reader, idColumn }: PlainStep, cells: readonly Cell[]): unknown {
  const own = idColumn === -1 ? undefined : cells[idColumn];
  if (typeof own === 'string' && isPlainId(own)) return own;
  const cell = reader.extract(cells, 0);
  if (cell === null) return needsLook;
  if (!isFilled(cell)) return undefined;
  const value = reader.read(cell);
  return value === undefined || value instanceof Refusal ? needsLook : value;
}

/** The value of a field in a record. */
export function valueIn(record: Readonly<PartialRecord>, [name, nested]: FieldReader['names']): unknown {
  const value = record[name];
  return nested === undefined ? value : (value as PartialRecord | undefined)?.[nested];
}

function put(record: PartialRecord, [name, nested]: FieldReader['names'], value: unknown): void {
  if (nested === undefined) {
    record[name] = value;
    return;
  }
  const inner = (record[name] ?? {}) as PartialRecord;
  inner[nested] = value;
  record[name] = inner;
}
