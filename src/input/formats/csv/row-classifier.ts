import type { CsvRow } from './csv-rows.ts';

/** The role of a row in a delimited text. */
export type RowRole = 'above' | 'header' | 'guide' | 'blank' | 'record';

/** Classifies the rows of a text, given in order, by their position relative to the header. */
export class RowClassifier {
  readonly #headerRow: number;
  #guideRows: number;
  #hasHeader = false;

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
    return copy;
  }

  /** Whether a text whose next row would start on `line` has ended above its header. */
  isBeforeHeader(line: number): boolean {
    return this.#headerRow > 1 && this.#headerRow >= line;
  }

  /** Classifies the next row. */
  take(row: CsvRow): RowRole {
    const role = this.#roleOf(row);
    if (role === 'header') this.#hasHeader = true;
    if (role === 'guide') this.#guideRows -= 1;
    return role;
  }

  #roleOf({ cells, line }: CsvRow): RowRole {
    if (line < this.#headerRow) return 'above';
    if (isBlankRow(cells)) return this.#hasHeader && this.#guideRows === 0 ? 'blank' : 'above';
    if (!this.#hasHeader) return 'header';
    return this.#guideRows > 0 ? 'guide' : 'record';
  }
}

export function isBlankRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell === '' || cell.trim() === '');
}
