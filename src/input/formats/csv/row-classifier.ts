import { countLines, type WrittenRow } from './csv-rows.ts';

/** What a row of a delimited text is, by where it stands. */
export type RowRole = 'above' | 'header' | 'guide' | 'blank' | 'record';

/** Tells the rows of a text, taken in order, by where they stand: above the header, the header itself, and those below. */
export class RowClassifier {
  readonly #headerRow: number;
  #guideRows: number;
  #hasHeader = false;
  /** The line on which the next row starts. */
  line = 1;

  constructor({
    headerRow = 1,
    guideRows = 0,
  }: { readonly headerRow?: number | undefined; readonly guideRows?: number | undefined }) {
    this.#headerRow = headerRow;
    this.#guideRows = guideRows;
  }

  /** The same place, for rows that are looked at before their turn. */
  copy(): RowClassifier {
    const copy = new RowClassifier({ headerRow: this.#headerRow, guideRows: this.#guideRows });
    copy.#hasHeader = this.#hasHeader;
    copy.line = this.line;
    return copy;
  }

  /** Whether the rows ended before the line of the header came. */
  get isBeforeHeader(): boolean {
    return this.#headerRow > 1 && this.#headerRow >= this.line;
  }

  /** Whether every row from here on that is not blank is a record. */
  get isBelowHeader(): boolean {
    return this.#hasHeader && this.#guideRows === 0;
  }

  /** The next row, whose line is `line` until then. */
  take(row: WrittenRow): RowRole {
    const role = this.#roleOf(row.record);
    this.line += countLines(row);
    if (role === 'header') this.#hasHeader = true;
    if (role === 'guide') this.#guideRows -= 1;
    return role;
  }

  #roleOf(cells: readonly string[]): RowRole {
    if (this.line < this.#headerRow) return 'above';
    if (isBlankRow(cells)) return this.#hasHeader && this.#guideRows === 0 ? 'blank' : 'above';
    if (!this.#hasHeader) return 'header';
    return this.#guideRows > 0 ? 'guide' : 'record';
  }
}

export function isBlankRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell === '' || cell.trim() === '');
}

/** The names of the columns; blank ones at the end are the trace of an empty spreadsheet column. */
export function columnNames(cells: readonly string[]): string[] {
  const names = cells.map((name) => name.trim());
  while (names.at(-1) === '') names.pop();
  return names;
}
