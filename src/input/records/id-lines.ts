import { beginsLikeMonth, isIdCode, longestDate } from './plain-id.ts';

/** Records of one file that are made of plain ids, as columns. */
export interface IdRecords {
  /** The line of each record. */
  readonly lines: readonly number[];
  /** The ids of all records by the paths of their fields. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
}

/** Records of ids that were just read, with the text of each; behind them others may stand. */
export interface ReadIdRecords extends IdRecords {
  readonly texts: readonly string[];
}

/** A field that is an id, and the column it stands in. */
export interface IdColumn {
  readonly path: string;
  readonly column: number;
}

/**
 * Reads lines that have a plain id in each column that is looked at, whatever the others hold; any other line is left to be read cell by
 * cell. Its records are those that the reader of rows would make.
 */
export class IdLineReader {
  readonly #delimiter: string;
  readonly #delimiterCode: number;
  /** By column, where the ids of that column go; undefined for a column that is not looked at. */
  #targets: readonly (string[] | undefined)[] = [];
  #columns: readonly IdColumn[] = [];
  #lines: number[] = [];

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#delimiterCode = delimiter.charCodeAt(0);
  }

  /** Whether it is known what to look for. */
  get isReady(): boolean {
    return this.#columns.length > 0;
  }

  /** Looks for ids in `columns` of lines that have `width` cells. */
  lookFor(columns: readonly IdColumn[], width: number): void {
    this.#columns = columns;
    this.#begin(width);
  }

  /** Takes the line with this number, if it is one of plain ids. */
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

  /** The records since it was last asked; undefined where there are none. */
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

  /** Takes back the ids that were found in columns before `column`. */
  #undo(column: number): false {
    for (const target of this.#targets.slice(0, column)) target?.pop();
    return false;
  }

  #endOfCell(line: string, start: number): number {
    const end = line.indexOf(this.#delimiter, start);
    return end === -1 ? line.length : end;
  }

  /** Where the cell that begins at `start` ends; -1 where it is no plain id, as `isPlainId` has it. */
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
