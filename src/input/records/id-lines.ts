import { beginsLikeMonth, isIdCode, longestDate } from './plain-id.ts';

/** Records of one file that consist of plain ids, as columns. */
export interface IdRecords {
  /** The line of each record. */
  readonly lines: readonly number[];
  /** The ids of all records by the paths of their fields. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
}

/** Records of ids with the text of each line; `texts` may have further lines. */
export interface ReadIdRecords extends IdRecords {
  readonly texts: readonly string[];
}

/** A field of type id and its column. */
export interface IdColumn {
  readonly path: string;
  readonly column: number;
}

/**
 * Reads lines with a plain id in each relevant column; other lines have to be read cell by cell. The records are the
 * same as those that the general reader makes.
 */
export class IdLineReader {
  readonly #delimiter: string;
  readonly #delimiterCode: number;
  /** By column, the list that collects its ids; undefined for an irrelevant column. */
  #targets: readonly (string[] | undefined)[] = [];
  #columns: readonly IdColumn[] = [];
  #lines: number[] = [];

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#delimiterCode = delimiter.charCodeAt(0);
  }

  /** Whether the columns have been set. */
  get isReady(): boolean {
    return this.#columns.length > 0;
  }

  /** Sets the columns of ids, and the number of cells that a line must have. */
  lookFor(columns: readonly IdColumn[], width: number): void {
    this.#columns = columns;
    this.#begin(width);
  }

  /** Reads the line with this number; false if it has anything but plain ids in the columns. */
  take(line: string, number: number): boolean {
    const targets = this.#targets;
    const last = targets.length - 1;
    let start = 0;
    for (let column = 0; column <= last; column += 1) {
      const end = targets[column] === undefined ? this.#endOfCell(line, start) : this.#endOfId(line, start);
      if (end === -1 || (column === last) !== (end === line.length)) return this.#undo(column);
      targets[column]?.push(line.slice(start, end));
      start = end + 1;
    }
    this.#lines.push(number);
    return true;
  }

  /** The records since the last call; undefined if there are none. */
  flush(): IdRecords | undefined {
    if (this.#lines.length === 0) return undefined;
    const ids = Object.fromEntries(
      this.#columns.map(({ path, column }) => [path, this.#targets[column] ?? []]),
    );
    const lines = this.#lines;
    this.#begin(this.#targets.length);
    return { lines, ids };
  }

  #begin(width: number): void {
    this.#lines = [];
    this.#targets = Array.from({ length: width }, (_, column) =>
      this.#columns.some((one) => one.column === column) ? [] : undefined,
    );
  }

  /** Removes the ids of this line from the columns before `column`. */
  #undo(column: number): false {
    for (const target of this.#targets.slice(0, column)) target?.pop();
    return false;
  }

  #endOfCell(line: string, start: number): number {
    const end = line.indexOf(this.#delimiter, start);
    return end === -1 ? line.length : end;
  }

  /** The end of the cell that begins at `start`; -1 if it is not a plain id (see `isPlainId`). */
  #endOfId(line: string, start: number): number {
    let before = 0;
    let at = start;
    for (; at < line.length; at += 1) {
      const code = line.charCodeAt(at);
      if (code === this.#delimiterCode) break;
      if (!isIdCode(code, before)) return -1;
      before = code;
    }
    const isDigitLast = before >= 0x30 && before <= 0x39;
    return isDigitLast && (at - start > longestDate || !beginsLikeMonth(line.charCodeAt(start))) ? at : -1;
  }
}
