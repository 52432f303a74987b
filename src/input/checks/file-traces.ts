import { traceRefusals } from '../cells/traces.ts';
import type { Column } from '../mapping/column.ts';
import { type Cell, isFilled, quoted } from '../records/cell.ts';
import type { Problem } from '../records/problem.ts';
import type { InputRow } from '../records/row-batch.ts';
import { type Fields, valueIn } from './assembler.ts';

/** Excel keeps 15 digits of a number. */
const longId = /^\d{16,}$/;
const longLength = 16;
/** Fewer different ids may end in 0 by chance. */
const leastRounded = 3;

/** The long ids of a field so far, all of which end in 0; a few are kept. */
interface RoundedIds {
  readonly column: string;
  readonly line: number;
  readonly ids: Set<string>;
}

/**
 * Finds damage that only a whole file shows: long ids that Excel has rounded, rows of which all or the last have lost
 * their cells.
 */
export class FileTraces {
  readonly #file: string;
  readonly #areRoundedAllowed: boolean;
  #columns: readonly Column[] = [];
  #idColumns: readonly Column[] = [];
  /** The columns of a table that fields use. */
  #indexes: readonly number[] = [];
  /** By field; undefined for one with a long id that is not rounded. */
  readonly #rounded = new Map<string, RoundedIds | undefined>();
  #rowCount = 0;
  /** Whether a row has values in several columns that fields use. */
  #hasRecord = false;
  #loneCount = 0;
  /** The last row, if it has a single value. */
  #lone: InputRow | undefined;

  constructor(file: string, areRoundedAllowed: boolean) {
    this.#file = file;
    this.#areRoundedAllowed = areRoundedAllowed;
  }

  /** Uses `columns` from the next row on; records that are not rows of a table may have any fields. */
  use(columns: readonly Column[], isTable: boolean): void {
    this.#columns = columns;
    this.#idColumns = this.#areRoundedAllowed ? [] : columns.filter(({ field }) => idTypes.has(field.type));
    const used = columns.flatMap(({ indexes }) => indexes);
    this.#indexes = isTable ? [...new Set(used)].filter((index) => index !== -1) : [];
  }

  /** Adds a row and what could be read of it. One that is refused needs no further problem. */
  add(row: InputRow, fields: Fields, isRefused: boolean): void {
    for (const column of this.#idColumns) {
      const id = valueIn(fields, column.names);
      if (typeof id === 'string' && id.length >= longLength && longId.test(id))
        this.#addId(column, id, row.line);
    }
    if (this.#indexes.length < 2) return;
    const { cells } = row;
    this.#rowCount += 1;
    const isLone = !areSeveral(cells);
    this.#lone = isLone && !isRefused ? row : undefined;
    if (isLone) this.#loneCount += 1;
    this.#hasRecord ||= areSeveral(this.#indexes.map((index) => cells[index]));
  }

  #addId({ field: { path }, shownAs: column }: Column, id: string, line: number): void {
    const isExact = this.#rounded.has(path) && this.#rounded.get(path) === undefined;
    if (isExact) return;
    const known = this.#rounded.get(path) ?? { column, line, ids: new Set() };
    if (known.ids.size < leastRounded) known.ids.add(id);
    this.#rounded.set(path, id.endsWith('0') ? known : undefined);
  }

  /** The problems of all rows, once they have been added. */
  problems(headerLine: number): readonly Problem[] {
    const file = this.#file;
    const { code, reason, remedy } = traceRefusals['rounded-ids'];
    const problems: Problem[] = [];
    for (const { column, ids, line } of [...this.#rounded.values()].flatMap((rounded) => rounded ?? [])) {
      const [value = ''] = ids;
      if (ids.size >= leastRounded) problems.push({ file, line, column, value, code, reason, remedy });
    }
    if (this.#rowCount > 1 && !this.#hasRecord) {
      const columns = this.#columns.filter(({ indexes }) => indexes.length > 0).map(({ shownAs }) => shownAs);
      problems.push({ file, line: headerLine, value: columns.join(' | '), ...emptyColumns });
    } else if (this.#lone && this.#loneCount === 1 && this.#rowCount > 1) {
      const { cells, line } = this.#lone;
      problems.push({ file, line, value: quoted(cells.find(isFilled) ?? null), ...loneRow });
    }
    return problems;
  }
}

const idTypes: ReadonlySet<string> = new Set(['id', 'memberId', 'trackingNumber']);

function areSeveral(cells: readonly Cell[]): boolean {
  let count = 0;
  for (const cell of cells) {
    if (isFilled(cell)) count += 1;
    if (count > 1) return true;
  }
  return false;
}

const emptyColumns = {
  code: 'empty-columns',
  reason: 'every row has a value in one of these columns alone',
  remedy:
    'look at the rows: they may have another delimiter, or quotes around a whole row; if the other columns are ' +
    'meant to be blank, remove them',
} as const;

const loneRow = {
  code: 'lone-value',
  reason: 'the last row has one value and all others have more: it is cut off, or not a record',
  remedy: 'export the file again if it is cut off; otherwise remove the row',
} as const;
