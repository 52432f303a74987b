import { countLines, type WrittenRow } from './csv-rows.ts';

/** The role of a row in a delimited text. */
export type RowRole = 'above' | 'header' | 'guide' | 'blank' | 'record';

/** Classifies the rows of a text, given in order, by their position relative to the header. */
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

  /** A copy, for reading ahead. */
  copy(): RowClassifier {
    const copy = new RowClassifier({ headerRow: this.#headerRow, guideRows: this.#guideRows });
    copy.#hasHeader = this.#hasHeader;
    copy.line = this.line;
    return copy;
  }

  /** Whether the text has ended above the line of the header. */
  get isBeforeHeader(): boolean {
    return this.#headerRow > 1 && this.#headerRow >= this.line;
  }

  /** Whether every further row that is not blank is a record. */
  get isBelowHeader(): boolean {
    return this.#hasHeader && this.#guideRows === 0;
  }

  /** Classifies the next row, which starts on `line`. */
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
