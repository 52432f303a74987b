import { BrokenWorkbook } from './broken-workbook.ts';
import { type Parts, readPart } from './parts.ts';
import { columnLetters, columnOf } from './sheet-rows.ts';
import { unpackEntry } from './unpack-entry.ts';
import { attribute, isTrue } from './xml.ts';

/** Merged cells. Rows count from 1, columns from 0; both ends are included. */
export interface MergedRange {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** How a sheet differs from a plain grid of cells. */
export interface SheetLayout {
  /** By their first rows. */
  readonly merges: readonly MergedRange[];
  isHidden(column: number): boolean;
}

/** The most merged ranges, and groups of columns, that are read. */
const rangesMaximum = 1_000_000;

/**
 * The layout of a sheet. Merged ranges come after the rows, so a sheet that has any is read to its end; of others only
 * the beginning is parsed.
 * @throws as `readPart`; BrokenWorkbook for an invalid range.
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

/** Whether the text of a part contains `mark`. */
async function contains({ source, directory }: Parts, part: string, mark: Buffer): Promise<boolean> {
  const entry = directory.get(part);
  if (entry === undefined) throw new BrokenWorkbook(`it lacks ${part}`);
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
export function rangeReference({ top, bottom, left, right }: MergedRange): string {
  return `${columnLetters(left)}${top}:${columnLetters(right)}${bottom}`;
}
