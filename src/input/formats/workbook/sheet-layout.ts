import type { TypedCell } from '../../records/cell.ts';
import { type Parts, readPart } from './parts.ts';
import { columnLetters, columnOf } from './sheet-rows.ts';
import { attribute, isTrue } from './xml.ts';
import { BrokenWorkbook, unpackEntry } from './zip.ts';

/** Merged cells. Rows are counted from 1, columns from 0; both ends are inclusive. */
interface MergedRange {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Merged cells and hidden columns of a sheet. */
export interface SheetLayout {
  /** Sorted by first row. */
  readonly merges: readonly MergedRange[];
  isHidden(column: number): boolean;
}

/** Maximum number of merged ranges and groups of hidden columns to read. */
const rangesMaximum = 1_000_000;

/**
 * Reads the layout of a sheet. Merged ranges follow the rows, so a sheet with any is read to its end. Of other sheets,
 * only the beginning is parsed.
 * @throws BrokenWorkbook if a range is invalid, and the failures of `readPart`.
 */
export async function readSheetLayout(parts: Parts, part: string): Promise<SheetLayout> {
  const merges: MergedRange[] = [];
  const hidden: { readonly first: number; readonly last: number }[] = [];
  let hasRows = false;
  const open = (name: string, tag: string) => {
    if (merges.length + hidden.length > rangesMaximum)
      throw new BrokenWorkbook(`${part} has more than ${rangesMaximum} merged ranges`);
    if (name === 'sheetData') hasRows = true;
    else if (name === 'mergeCell') merges.push(rangeOf(attribute(tag, 'ref') ?? ''));
    else if (name === 'col' && isTrue(attribute(tag, 'hidden')))
      hidden.push({ first: Number(attribute(tag, 'min')) - 1, last: Number(attribute(tag, 'max')) - 1 });
  };
  const handler = { open, close: () => undefined, text: () => undefined };
  const hasMerges = await contains(parts, part, Buffer.from('mergeCell'));
  for await (const _ of readPart(parts, part, handler)) if (hasRows && !hasMerges) break;
  return {
    merges: merges.toSorted((one, other) => one.top - other.top),
    isHidden: (column) => hidden.some(({ first, last }) => column >= first && column <= last),
  };
}

/** True if the text of a part contains `mark`. */
async function contains({ source, directory }: Parts, part: string, mark: Buffer): Promise<boolean> {
  const entry = directory.get(part);
  if (entry === undefined) throw new BrokenWorkbook(`${part} is missing`);
  let end = Buffer.alloc(0);
  for await (const bytes of unpackEntry(source, entry)) {
    if (bytes.includes(mark) || Buffer.concat([end, bytes.subarray(0, mark.length)]).includes(mark))
      return true;
    end = Buffer.concat([end, bytes.subarray(-mark.length)]).subarray(-mark.length);
  }
  return false;
}

/** The range of a reference such as `B2:B4`. */
function rangeOf(reference: string): MergedRange {
  const [, first = '', top, last = first, bottom = top] =
    /^([A-Z]{1,3})([1-9]\d{0,6})(?::([A-Z]{1,3})([1-9]\d{0,6}))?$/.exec(reference) ?? [];
  const range = { top: Number(top), bottom: Number(bottom), left: columnOf(first), right: columnOf(last) };
  if (!(range.top <= range.bottom && range.left <= range.right))
    throw new BrokenWorkbook(`the merged range '${reference}' is invalid`);
  return range;
}

/** A range as formulas write it: `B2:B4`. */
function rangeReference({ top, bottom, left, right }: MergedRange): string {
  return `${columnLetters(left)}${top}:${columnLetters(right)}${bottom}`;
}

/** A row with its cells as displayed. Blank cells before the last filled one are empty texts. */
export interface ShownRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly typed: ReadonlyMap<number, TypedCell>;
  /** By column: the merged range that supplies the value, if it begins in a row above. */
  readonly merged?: ReadonlyMap<number, string>;
}

/** A range that begins in a row already read, with the value that it shows. */
interface OpenRange extends MergedRange {
  readonly reference: string;
  readonly text: string;
  readonly typed: TypedCell | undefined;
}

/** Maximum number of cells in a sheet that merged ranges fill. */
const filledMaximum = 20_000_000;

/**
 * Fills merged cells as Excel displays them: a whole range shows the value of its first cell and hides the content of
 * the others. If a range covers several columns, it is unclear to which of them the value belongs, so its cells are
 * typed as merged.
 */
export class MergedCells {
  readonly #ranges: readonly MergedRange[];
  #next = 0;
  /** Ranges that cover the current row, by column. */
  readonly #openRanges = new Map<number, OpenRange>();
  #filledCount = 0;

  constructor(ranges: readonly MergedRange[]) {
    this.#ranges = ranges;
  }

  /**
   * Completes a row; rows must be given in order. Only records are filled from ranges wider than one column, so that a
   * title above several columns is not copied to each of them.
   */
  complete(
    row: ShownRow,
    { isRecord, width }: { readonly isRecord: boolean; readonly width: number },
  ): ShownRow {
    this.#begin(row);
    if (this.#openRanges.size === 0) return row;
    const cells = [...row.cells];
    const typed = new Map(row.typed);
    const merged = new Map<number, string>();
    for (const [column, range] of this.#openRanges) {
      if (range.bottom < row.line) this.#openRanges.delete(column);
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

  /** Begins the ranges down to this row. A range that begins above it begins in a blank row, so it is blank. */
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
      const openRange = { ...range, reference, typed, text: (isOwn && row.cells[left]) || '' };
      for (let column = left; column <= right; column += 1) {
        this.#countFilled();
        const other = this.#openRanges.get(column);
        if (other !== undefined && other.bottom >= top)
          throw new BrokenWorkbook(`the merged cells ${other.reference} and ${reference} overlap`);
        if (bottom >= row.line) this.#openRanges.set(column, openRange);
      }
    }
  }

  #countFilled(): void {
    this.#filledCount += 1;
    if (this.#filledCount > filledMaximum) throw new BrokenWorkbook('its merged cells cover too many cells');
  }
}
