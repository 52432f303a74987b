import type { TypedCell } from '../../records/cell.ts';
import { BrokenWorkbook } from './broken-workbook.ts';
import { type MergedRange, rangeReference } from './sheet-layout.ts';

/** A row with its cells as displayed; blank ones before the last are empty text. */
export interface ShownRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly typed: ReadonlyMap<number, TypedCell>;
  /** By column, the ranges of merged cells from which the row has its value, if they begin above it. */
  readonly merged?: ReadonlyMap<number, string>;
}

/** A range that has begun, with what it shows. */
interface Begun extends MergedRange {
  readonly reference: string;
  readonly text: string;
  readonly typed: TypedCell | undefined;
}

/** The most cells of a sheet that merged ranges fill. */
const filledMaximum = 20_000_000;

/**
 * Fills merged cells as the eye sees them: all of a range shows the value of its first cell, and whatever the others
 * contain is hidden. In a range of several columns it is unclear to which of them the value belongs, so its cells are
 * typed as merged.
 */
export class MergedCells {
  readonly #ranges: readonly MergedRange[];
  #next = 0;
  /** The ranges that have begun and not ended, by column. */
  readonly #begun = new Map<number, Begun>();
  #filledCount = 0;

  constructor(ranges: readonly MergedRange[]) {
    this.#ranges = ranges;
  }

  /**
   * Completes a row; rows must be given in order. Titles above several columns are not given to each of them, so only
   * those of records are filled from ranges that are wider than one column.
   */
  complete(
    row: ShownRow,
    { isRecord, width }: { readonly isRecord: boolean; readonly width: number },
  ): ShownRow {
    this.#begin(row);
    if (this.#begun.size === 0) return row;
    const cells = [...row.cells];
    const typed = new Map(row.typed);
    const merged = new Map<number, string>();
    for (const [column, range] of this.#begun) {
      if (range.bottom < row.line) this.#begun.delete(column);
      else if (column < width && (isRecord || range.left === range.right)) {
        this.#countFilled();
        while (cells.length <= column) cells.push('');
        cells[column] = range.text;
        typed.delete(column);
        if (range.typed !== undefined) typed.set(column, range.typed);
        if (range.top < row.line) merged.set(column, range.reference);
      }
    }
    return { ...row, cells, typed, merged };
  }

  /** Begins the ranges down to this row. Those above it begin in blank rows, so they are blank. */
  #begin(row: ShownRow): void {
    for (;;) {
      const range = this.#ranges[this.#next];
      if (range === undefined || range.top > row.line) return;
      this.#next += 1;
      const { left, right, top, bottom } = range;
      const isOwn = top === row.line;
      const reference = rangeReference(range);
      const typed: TypedCell | undefined =
        left < right ? { kind: 'merged', place: reference } : isOwn ? row.typed.get(left) : undefined;
      const begun = { ...range, reference, typed, text: (isOwn && row.cells[left]) || '' };
      for (let column = left; column <= right; column += 1) {
        this.#countFilled();
        const other = this.#begun.get(column);
        if (other !== undefined && other.bottom >= top)
          throw new BrokenWorkbook(`the merged cells ${other.reference} and ${reference} overlap`);
        if (bottom >= row.line) this.#begun.set(column, begun);
      }
    }
  }

  #countFilled(): void {
    this.#filledCount += 1;
    if (this.#filledCount > filledMaximum) throw new BrokenWorkbook('its merged cells cover too many cells');
  }
}
