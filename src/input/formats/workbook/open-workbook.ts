import { Failure } from '../../../base/failure.ts';
import type { DiskFile, InputFile } from '../../open/input-file.ts';
import { CellText } from './cell-text.ts';
import { decryptWorkbook } from './decrypt.ts';
import { readFormats } from './number-formats.ts';
import { openParts, type Parts, readWorkbookPart, type SheetPart, type WorkbookFile } from './parts.ts';
import { readSharedStrings } from './shared-strings.ts';
import type { SheetLayout } from './sheet-layout.ts';
import { readSheetRows, type SheetRow } from './sheet-rows.ts';
import { bufferSource } from './zip.ts';

/** A sheet, with the facts by which one is chosen. */
export interface Sheet extends SheetPart {
  readonly parts: Parts;
  /** Number of rows that are not empty; in long sheets, counting stops at `rowsCounted`. */
  readonly rowCount: number;
  /** Number of hidden rows among them. */
  readonly hiddenCount: number;
  /** Trimmed cells of the first row that is not empty, without blank ones. */
  readonly firstRow: readonly string[];
  readonly cellText: CellText;
}

/** A sheet chosen to be read. */
export interface ReadSheet extends Sheet {
  readonly layout: SheetLayout;
}

/** Maximum number of rows to count in a sheet. */
const rowsCounted = 10_000;

interface Opened {
  readonly disk: DiskFile;
  readonly password: string | undefined;
  readonly sheets: readonly Sheet[];
}

/** The last workbook, cached for the next pass over its file; only one, because its texts may need much memory. */
let latest: Opened | undefined;

/**
 * Returns the sheets of a workbook in its order, including hidden ones. Reads shared parts once, rows on demand.
 * @throws BrokenWorkbook if the workbook is invalid, the failures of `decryptWorkbook` if it is protected, and the
 * reason of the file's `stopping` once it is aborted.
 */
export async function openWorkbook(
  workbook: WorkbookFile,
  password: string | undefined,
): Promise<readonly Sheet[]> {
  const { disk } = workbook;
  if (latest?.disk === disk && latest.password === password) return latest.sheets;
  latest = undefined;
  const parts = workbook.parts ?? (await openParts(bufferSource(await decryptWorkbook(disk, password))));
  const sheets = await readSheets(parts, disk.stopping);
  latest = { disk, password, sheets };
  return sheets;
}

async function readSheets(parts: Parts, stopping: AbortSignal): Promise<readonly Sheet[]> {
  const workbook = await readWorkbookPart(parts);
  const strings = await readSharedStrings(parts, workbook.stringsPart, stopping);
  const formats = await readFormats(parts, workbook);
  const { is1904 } = workbook;
  const sheets: Sheet[] = [];
  for (const part of workbook.sheets) {
    const cellText = new CellText({ sheet: part.name, strings, formats, is1904 });
    sheets.push(await examined(parts, part, cellText, stopping));
  }
  return sheets;
}

async function examined(
  parts: Parts,
  sheet: SheetPart,
  cellText: CellText,
  stopping: AbortSignal,
): Promise<Sheet> {
  let rowCount = 0;
  let hiddenCount = 0;
  let first: SheetRow | undefined;
  for await (const rows of readSheetRows(parts, sheet.part)) {
    stopping.throwIfAborted();
    first ??= rows[0];
    rowCount += rows.length;
    hiddenCount += rows.filter((row) => row.isHidden).length;
    if (rowCount >= rowsCounted) break;
  }
  const { number = 1, cells = [] } = first ?? {};
  const firstRow = cells.map((cell) => cellText.show(cell, number).text.trim()).filter((text) => text !== '');
  return { ...sheet, parts, rowCount, hiddenCount, firstRow, cellText };
}

/** The chosen sheet, and the others. */
export interface SheetChoice {
  readonly sheet: Sheet | undefined;
  /** Sheets that may be meant as well. If there are any, the user has to choose before one is read. */
  readonly alike: readonly Sheet[];
  readonly others: readonly Sheet[];
}

/**
 * Returns the sheet with the name or number `wanted`, hidden or not. Without `wanted`: the first visible sheet that is
 * not empty, and the sheets that begin with the same columns.
 * @throws Failure('usage') if the sheet does not exist.
 */
export function chooseSheet(
  file: Pick<InputFile, 'shownAs'>,
  sheets: readonly Sheet[],
  wanted: string | undefined,
): SheetChoice {
  const sheet = wanted === undefined ? firstShown(sheets) : sheetCalled(file, sheets, wanted);
  const others = sheets.filter((other) => other !== sheet);
  const alike = wanted === undefined && sheet ? others.filter((other) => isAlike(sheet, other)) : [];
  return { sheet, alike, others };
}

function firstShown(sheets: readonly Sheet[]): Sheet | undefined {
  const shown = sheets.filter(({ isHidden }) => !isHidden);
  return shown.find(({ rowCount }) => rowCount > 0) ?? shown[0];
}

function sheetCalled(
  { shownAs: file }: Pick<InputFile, 'shownAs'>,
  sheets: readonly Sheet[],
  wanted: string,
): Sheet {
  const sheet =
    sheets.find(({ name }) => name === wanted) ??
    sheets[/^[1-9]\d{0,3}$/.test(wanted) ? Number(wanted) - 1 : -1];
  if (sheet !== undefined) return sheet;
  const hint = `name one of its sheets with --sheet: ${sheets.map(({ name }) => name).join(', ')}`;
  throw new Failure('usage', `${file} has no sheet '${wanted}'`, hint, { file });
}

/** True if both sheets have rows below a first row with the same columns, in any order. */
function isAlike(sheet: Sheet, other: Sheet): boolean {
  if (other.isHidden || sheet.rowCount < 2 || other.rowCount < 2) return false;
  const columns = new Set(sheet.firstRow);
  return other.firstRow.length === sheet.firstRow.length && other.firstRow.every((name) => columns.has(name));
}

/** The number of rows of a sheet, in words. */
export function countedRows({ rowCount, hiddenCount }: Pick<Sheet, 'rowCount' | 'hiddenCount'>): string {
  const isLong = rowCount >= rowsCounted;
  const more = isLong ? ' or more' : '';
  const hidden = hiddenCount === 0 ? '' : `, ${hiddenCount.toLocaleString('en')}${more} of them hidden`;
  if (isLong) return `more than ${(rowsCounted - 1).toLocaleString('en')} rows${hidden}`;
  return (rowCount === 1 ? '1 row' : `${rowCount.toLocaleString('en')} rows`) + hidden;
}
