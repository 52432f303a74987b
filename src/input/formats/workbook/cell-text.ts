import { BrokenWorkbook } from './broken-workbook.ts';
import { columnLetters, type SheetCell } from './sheet-rows.ts';
import { missingFormat, type NumberFormat, numberFormat, type ShownCell } from './shown-number.ts';

/** The parts of a workbook that are needed to show its cells. */
interface CellContext {
  readonly sheet: string;
  readonly strings: readonly string[];
  /** The number formats by style. */
  readonly formats: readonly (string | undefined)[];
  readonly is1904: boolean;
}

/** Shows the cells of a sheet as Excel does in columns that are wide enough. */
export class CellText {
  readonly #surroundings: CellContext;
  readonly #formats: readonly NumberFormat[];

  constructor(surroundings: CellContext) {
    const { formats, is1904 } = surroundings;
    const known = new Map<string, NumberFormat>();
    const formatOf = (pattern: string | undefined) => {
      if (pattern === undefined) return missingFormat;
      const found = known.get(pattern) ?? numberFormat(pattern, is1904);
      known.set(pattern, found);
      return found;
    };
    this.#surroundings = surroundings;
    this.#formats = formats.map(formatOf);
  }

  /** @throws BrokenWorkbook for a cell of an unknown type. */
  show(cell: SheetCell, row: number): ShownCell {
    const { type, value } = cell;
    if (value === undefined && type !== 'str')
      return { text: `=${cell.formula}`, typed: { kind: 'uncalculated', place: this.#place(cell, row) } };
    const kept = value ?? '';
    switch (type) {
      case 's':
        return this.#text(this.#shared(kept), cell);
      case 'str':
      case 'inlineStr':
        return this.#text(kept, cell);
      case 'b':
        return { text: kept === '0' ? 'FALSE' : 'TRUE', typed: { kind: 'boolean' } };
      case 'e':
        return { text: kept, typed: { kind: 'error', place: this.#place(cell, row) } };
      case 'd':
        return { text: kept, typed: { kind: 'date', plain: kept } };
      case 'n':
        return this.#number(kept, cell);
      default:
        throw new BrokenWorkbook(`${this.#place(cell, row)} is of an unknown kind, '${type}'`);
    }
  }

  /** `Sheet1!B7`, as a formula would name the cell. */
  #place({ column }: SheetCell, row: number): string {
    const { sheet } = this.#surroundings;
    const name = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`;
    return `${name}!${columnLetters(column)}${row}`;
  }

  #shared(number: string): string {
    const text = this.#surroundings.strings[Number(number)];
    if (text === undefined) throw new BrokenWorkbook(`it lacks the text number ${number}`);
    return text;
  }

  #formatOf({ style }: SheetCell): NumberFormat {
    return this.#formats[style] ?? missingFormat;
  }

  #text(text: string, cell: SheetCell): ShownCell {
    return { text: this.#formatOf(cell).ofText?.(text) ?? text };
  }

  #number(written: string, cell: SheetCell): ShownCell {
    if (written === '') return { text: '' };
    const value = Number(written);
    if (!Number.isFinite(value)) throw new BrokenWorkbook(`it holds '${written}' for a number`);
    return this.#formatOf(cell).ofNumber(value);
  }
}
