import { csvRow } from '../base/csv-row.ts';
import { Failure, messageOf } from '../base/failure.ts';
import { checkUnchanged, type InputFile } from './open.ts';
import type { InputOptions, Problem, Row, Stretch, Untyped, Writing } from './place.ts';
import { writeRow } from './write-row.ts';
import { readZipDirectory } from './zip-directory.ts';

/**
 * A workbook is unpacked and read as a whole, so there is a largest one: these bytes of XML are some 100,000 rows of 17
 * different cells, and take 600 MB of memory.
 */
export const unpackedBytesMaximum = 134_217_728;
/** How many rows come at once. */
const stretchRows = 1_000;
/** The longest number that a spreadsheet keeps exactly and shows with all its digits. */
const digitsMaximum = 15;

/**
 * The rows of one sheet of a workbook: the one named, or of that number, else the first. Cells are text as they are shown,
 * see `numberIn` and `shownDate`; `line` is the number of the row in the sheet. Memory grows with the workbook, which is
 * why there is a largest one. Throws `usage` for a sheet that is not there.
 */
export async function* readXlsx(file: InputFile, options: InputOptions): AsyncGenerator<Stretch> {
  const whole = await readSheetOnce(file, options);
  if ('code' in whole) {
    yield { header: [], headerLine: 1, isHeaderWhole: true, rows: [], problems: [whole], isBroken: true };
    return;
  }
  const { rows: sheet, untyped } = whole;
  const headerAt = sheet.findIndex(
    (cells, index) => index + 1 >= (options.headerRow ?? 1) && cells.some(isWritten),
  );
  if (headerAt === -1) {
    if (options.headerRow !== undefined) yield noHeader(file, options.headerRow);
    return;
  }
  const header = namesOf(sheet[headerAt] ?? []);
  const firstAt = belowGuide(sheet, headerAt + 1, options.guideRows ?? 0);
  const writing = options.keepRaw ? writingOf(sheet.slice(0, firstAt)) : undefined;
  // Without rows there still is the header to be told.
  for (let start = firstAt; start === firstAt || start < sheet.length; start += stretchRows) {
    const rows: Row[] = [];
    for (const [index, whole] of sheet.slice(start, start + stretchRows).entries()) {
      if (!whole.some(isWritten)) continue;
      // What stands to the right of the header has no name, and unlike in a text it cannot have moved there.
      const cells = whole.slice(0, header.length);
      const others = untyped.get(start + index);
      const row = { line: start + index + 1, cells, ...(others && { untyped: others }) };
      rows.push(writing ? { ...row, raw: writeRow(cells, header, writing) } : row);
    }
    const common = { header, headerLine: headerAt + 1, isHeaderWhole: true, rows, problems: [] };
    yield writing ? { ...common, unread: [], writing } : common;
  }
}

type Sheet = readonly (readonly string[])[];

interface WholeSheet {
  readonly rows: Sheet;
  /** By row from 0, for rows with such cells only, which keeps them small. */
  readonly untyped: ReadonlyMap<number, ReadonlyMap<number, Untyped>>;
}

/** The sheet read last: what looks at an input and both passes over it come to the same one in turn. */
let latest:
  | { readonly file: InputFile; readonly sheet: string | undefined; readonly whole: WholeSheet }
  | undefined;

/** The rows of the sheet, empty ones too, so that row n stands at n - 1; or why there are none. */
export async function readRows(
  file: InputFile,
  options: Pick<InputOptions, 'sheet'>,
): Promise<Sheet | Problem> {
  const whole = await readSheetOnce(file, options);
  return 'code' in whole ? whole : whole.rows;
}

async function readSheetOnce(
  file: InputFile,
  { sheet }: Pick<InputOptions, 'sheet'>,
): Promise<WholeSheet | Problem> {
  await checkUnchanged(file);
  if (latest?.file === file && latest.sheet === sheet) return latest.whole;
  latest = undefined;
  const whole = await unpackRows(file, sheet);
  if (!('code' in whole)) latest = { file, sheet, whole };
  return whole;
}

async function unpackRows(file: InputFile, sheet: string | undefined): Promise<WholeSheet | Problem> {
  const directory = await readZipDirectory(file);
  if (directory && directory.unpackedBytes > unpackedBytesMaximum)
    return tooLarge(file, directory.unpackedBytes);
  const { readSheet, SheetNotFoundError } = await import('read-excel-file/node');
  const settings = { trim: false, parseNumber: numberIn };
  const isNumber = sheet !== undefined && /^[1-9]\d{0,3}$/.test(sheet);
  try {
    let rows: readonly (readonly unknown[])[];
    try {
      rows = await readSheet(file.path, sheet ?? 1, settings);
    } catch (error) {
      // A sheet may be called 2 as well.
      if (!(error instanceof SheetNotFoundError) || !isNumber) throw error;
      rows = await readSheet(file.path, Number(sheet), settings);
    }
    await checkUnchanged(file);
    return wholeSheet(rows);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof SheetNotFoundError) throw noSuchSheet(file, sheet ?? '1', error);
    return broken(file, error);
  }
}

function noSuchSheet({ shownAs: file }: InputFile, sheet: string, cause: Error): Failure {
  const names = 'sheets' in cause && Array.isArray(cause.sheets) ? cause.sheets.join(', ') : '';
  const hint = `name one of its sheets with --sheet: ${names}`;
  return new Failure('usage', `${file} has no sheet '${sheet}'`, hint, { file, cause });
}

function wholeSheet(cells: readonly (readonly unknown[])[]): WholeSheet {
  const untyped = new Map<number, Map<number, Untyped>>();
  const rows = cells.map((row, index) =>
    row.map((cell, column) => {
      const kind = untypedKind(cell);
      if (kind !== undefined) {
        const ofRow = untyped.get(index) ?? new Map<number, Untyped>();
        untyped.set(index, ofRow.set(column, kind));
      }
      return shown(cell);
    }),
  );
  return { rows, untyped };
}

function untypedKind(cell: unknown): Untyped | undefined {
  if (cell instanceof Date) return 'date';
  if (typeof cell === 'boolean') return 'boolean';
  return typeof cell === 'number' ? 'fraction' : undefined;
}

/** A cell as the library gives it: text, numbers by `numberIn`, booleans, dates, and null for what is blank. */
function shown(cell: unknown): string {
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number') return String(cell);
  if (cell instanceof Date) return shownDate(cell);
  return typeof cell === 'boolean' ? String(cell).toUpperCase() : '';
}

/**
 * A number as a spreadsheet shows it in a cell without a format of its own: whole numbers of at most 15 digits with all of
 * them, longer ones as `1.23457E+15` (their last digits are lost, whatever the file says). Others, to 15 digits, stay
 * numbers, so that they are told from text.
 */
function numberIn(written: string): string | number {
  const value = Number(written);
  if (!Number.isFinite(value)) return written;
  if (Math.abs(value) >= 10 ** digitsMaximum) return value.toExponential(5).toUpperCase();
  return Number.isInteger(value) ? String(value) : Number(value.toPrecision(digitsMaximum));
}

/** A date is the clock on the wall where the workbook was written: it knows no zone. */
function shownDate(date: Date): string {
  if (Number.isNaN(date.getTime())) return 'not a date';
  const seconds = new Date(Math.round(date.getTime() / 1000) * 1000).toISOString();
  const [day = '', time = ''] = seconds.slice(0, 'YYYY-MM-DDThh:mm:ss'.length).split('T');
  return time === '00:00:00' ? day : `${day} ${time}`;
}

/** Where the rows begin that follow `guideRows` rows that are not blank. */
function belowGuide(sheet: Sheet, from: number, guideRows: number): number {
  let at = from;
  for (let left = guideRows; left > 0 && at < sheet.length; at += 1) {
    if (sheet[at]?.some(isWritten)) left -= 1;
  }
  return at;
}

function isWritten(cell: string): boolean {
  return cell.trim() !== '';
}

function namesOf(cells: readonly string[]): string[] {
  const names = cells.map((name) => name.trim());
  while (names.at(-1) === '') names.pop();
  return names;
}

/** Rejects of a workbook are written as CSV that Excel opens without being asked how. */
function writingOf(above: Sheet): Writing {
  const lineEnd = '\r\n';
  const header = above.map((cells) => csvRow(cells, ',') + lineEnd).join('');
  return {
    format: 'csv',
    isOfWorkbook: true,
    encoding: 'utf-8',
    isMarked: true,
    delimiter: ',',
    lineEnd,
    header,
  };
}

const megabyte = 1_048_576;

function tooLarge({ shownAs: file }: InputFile, bytes: number): Problem {
  return {
    file,
    code: 'xlsx-too-large',
    reason: `unpacked, this workbook has ${Math.round(bytes / megabyte)} MB; it is read as a whole, and only up to ${unpackedBytesMaximum / megabyte} MB`,
    remedy: 'save it as "CSV UTF-8", which may have any size',
  };
}

function broken({ shownAs: file }: InputFile, error: unknown): Problem {
  return {
    file,
    code: 'broken-xlsx',
    reason: `the workbook cannot be read: ${messageOf(error)}`,
    remedy: 'open it in Excel and save it again, as .xlsx or as "CSV UTF-8"',
  };
}

function noHeader({ shownAs: file }: InputFile, headerRow: number): Stretch {
  const problem: Problem = {
    file,
    code: 'no-header',
    reason: `the sheet ends before row ${headerRow}, where its header should be`,
    remedy: 'give --header-row the row of the header, counted from 1',
  };
  return { header: [], headerLine: 1, isHeaderWhole: true, rows: [], problems: [problem], isBroken: true };
}
