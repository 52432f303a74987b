import { type Parts, readPart } from './parts.ts';
import { RichText, tagInText } from './shared-strings.ts';
import { attribute, cellTextOf, isTrue, type XmlHandler } from './xml.ts';
import { BrokenWorkbook } from './zip.ts';

/** A cell that is not empty, as stored. */
export interface SheetCell {
  /** Counted from 0. */
  readonly column: number;
  /** The code of its type (ECMA-376 18.18.11): `n` for a number, `s` for a shared string, … */
  readonly type: string;
  /** Index of its style, which determines the number format. */
  readonly style: number;
  /** The stored value; undefined if a formula was not calculated. */
  readonly value: string | undefined;
  readonly formula: string | undefined;
}

/** A row that is not empty; `number` is counted from 1. */
export interface SheetRow {
  readonly number: number;
  /** True if the row is hidden, by a filter or by the user. */
  readonly isHidden: boolean;
  readonly cells: readonly SheetCell[];
}

/** The limits of a sheet (XFD1048576). */
const rowsMaximum = 1_048_576;
const columnsMaximum = 16_384;
/** Maximum number of cells to read from a sheet: 19 columns down to the last possible row. */
const cellsMaximum = 20_000_000;

/**
 * Reads the rows of a sheet that are not empty, in batches.
 * @throws BrokenWorkbook if the sheet is invalid, and the failures of `readPart`.
 */
export async function* readSheetRows(parts: Parts, part: string): AsyncGenerator<readonly SheetRow[]> {
  const sheet = new SheetReader();
  for await (const _ of readPart(parts, part, sheet)) yield sheet.takeRows();
  yield sheet.takeRows();
  if (!sheet.isEnded) throw new BrokenWorkbook(`${part} is cut short`);
}

class SheetReader implements XmlHandler {
  isEnded = false;
  #isInData = false;
  #isInRow = false;
  #rows: SheetRow[] = [];
  #row = 0;
  #isHidden = false;
  #cells: SheetCell[] = [];
  #cellCount = 0;
  #column = -1;
  #cell: { type: string; style: number } | undefined;
  #value: string | undefined;
  #formula: string | undefined;
  #within: 'v' | 'f' | 'is' | undefined;
  readonly #inline = new RichText();

  takeRows(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, tag: string): void {
    if (this.#within === 'is') this.#inline.open(name);
    else if (this.#within !== undefined) throw tagInText(name);
    else if (name === 'sheetData') this.#isInData = true;
    // Form controls have anchors with rows of their own.
    else if (!this.#isInData) return;
    else if (name === 'row') this.#beginRow(tag);
    else if (name === 'c') this.#beginCell(tag);
    else if (this.#cell === undefined) return;
    else if (name === 'v') this.#within = 'v';
    else if (name === 'is') this.#within = 'is';
    else if (name === 'f') {
      this.#within = 'f';
      this.#formula = '';
    }
  }

  text(written: string): void {
    if (this.#within === 'v') this.#value = (this.#value ?? '') + written;
    else if (this.#within === 'f') this.#formula += written;
    else if (this.#within === 'is') this.#inline.text(written);
  }

  close(name: string): void {
    if (name === this.#within) {
      if (name === 'is') this.#value = this.#inline.flush();
      this.#within = undefined;
    } else if (this.#within === 'is') this.#inline.close(name);
    else if (!this.#isInData) return;
    else if (name === 'c') this.#endCell();
    else if (name === 'row') this.#endRow();
    else if (name === 'sheetData') {
      this.#isInData = false;
      this.isEnded = true;
    }
  }

  #beginRow(tag: string): void {
    const number = Number(attribute(tag, 'r') ?? this.#row + 1);
    if (!(Number.isInteger(number) && number > this.#row && number <= rowsMaximum))
      throw new BrokenWorkbook(`the row number ${number} is invalid after row ${this.#row}`);
    if (this.#isInRow) throw new BrokenWorkbook(`row ${this.#row} contains another row`);
    this.#isInRow = true;
    this.#row = number;
    this.#isHidden = isTrue(attribute(tag, 'hidden'));
    this.#column = -1;
  }

  #endRow(): void {
    this.#isInRow = false;
    if (this.#cells.length === 0) return;
    this.#rows.push({ number: this.#row, isHidden: this.#isHidden, cells: this.#cells });
    this.#cells = [];
  }

  #beginCell(tag: string): void {
    if (!this.#isInRow || this.#cell !== undefined)
      throw new BrokenWorkbook(`a cell of row ${this.#row} is not directly in its row`);
    const place = attribute(tag, 'r');
    const column = place === undefined ? this.#column + 1 : columnOf(place);
    if (!(column > this.#column && column < columnsMaximum))
      throw new BrokenWorkbook(`the cells of row ${this.#row} are not in order`);
    this.#column = column;
    this.#cell = { type: attribute(tag, 't') ?? 'n', style: Number(attribute(tag, 's') ?? 0) };
    this.#value = undefined;
    this.#formula = undefined;
  }

  #endCell(): void {
    const { type, style } = this.#cell ?? { type: 'n', style: 0 };
    this.#cell = undefined;
    this.#cellCount += 1;
    if (this.#cellCount > cellsMaximum)
      throw new BrokenWorkbook(`one of its sheets has more than ${cellsMaximum / 1_000_000} million cells`);
    if (this.#value === undefined && this.#formula === undefined) return;
    const value = type === 'inlineStr' || this.#value === undefined ? this.#value : cellTextOf(this.#value);
    const formula = this.#formula && cellTextOf(this.#formula);
    this.#cells.push({ column: this.#column, type, style, value, formula });
  }
}

/** The column of a cell reference such as `AB12`. */
export function columnOf(place: string): number {
  let column = 0;
  for (let at = 0; at < place.length; at += 1) {
    const letter = place.charCodeAt(at) & ~0x20;
    if (letter < 0x41 || letter > 0x5a) break;
    column = column * 26 + letter - 0x40;
  }
  return column - 1;
}

/** The letters of a column counted from 0: `A`, `XFD`. */
export function columnLetters(column: number): string {
  const last = String.fromCharCode(0x41 + (column % 26));
  return column < 26 ? last : columnLetters(Math.floor(column / 26) - 1) + last;
}
