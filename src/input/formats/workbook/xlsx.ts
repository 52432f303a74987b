import { csvRow } from '../../../base/csv-row.ts';
import { shellWord } from '../../../base/shell-word.ts';
import type { InputFile } from '../../open/input-file.ts';
import type { TypedCell } from '../../records/cell.ts';
import { columnNames } from '../../records/headers.ts';
import type { InputOptions, SheetOptions } from '../../records/options.ts';
import type { Notice, Problem } from '../../records/problem.ts';
import {
  brokenBatch,
  type InputRow,
  type RowBatch,
  reasonIn,
  type SourceFormat,
  writeRow,
} from '../../records/row-batch.ts';
import { noHeader } from '../csv/csv-problems.ts';
import type { HeaderShape } from '../format.ts';
import { LockedWorkbook } from './decrypt.ts';
import {
  chooseSheet,
  countedRows,
  openWorkbook,
  type ReadSheet,
  type Sheet,
  type SheetChoice,
} from './open-workbook.ts';
import type { WorkbookFile } from './parts.ts';
import { MergedCells, readSheetLayout, type ShownRow } from './sheet-layout.ts';
import { columnLetters, readSheetRows, type SheetRow } from './sheet-rows.ts';
import { BrokenWorkbook } from './zip.ts';

/** A sheet and its file. */
type FileSheet = HeaderShape & { readonly file: InputFile; readonly sheet: ReadSheet };

/**
 * Reads the rows of a sheet that `previewWorkbook` chose. Cells are the texts that Excel displays; `line` is the number
 * of the row. Memory grows with the texts of the workbook, not with its rows.
 * @throws Failure('input') if the file changed since it was opened.
 */
export async function* readXlsx(
  { file, sheet, ...place }: FileSheet,
  options: Pick<InputOptions, 'keepRaw'>,
): AsyncGenerator<RowBatch> {
  const table = new SheetTable(options, { ...place, sheet });
  let problem: Problem | undefined;
  try {
    for await (const rows of readSheetRows(sheet.parts, sheet.part)) yield table.add(rows);
  } catch (error) {
    problem = problemOf(file, error);
  }
  await (await file.onDisk()).checkUnchanged();
  if (problem === undefined) yield* table.end();
  else yield brokenBatch(problem);
}

/** The names of a workbook's sheets and the choice of one. */
export interface SheetPreview {
  /** The sheet to read; undefined if the user has to choose, or all are hidden. */
  readonly name: string | undefined;
  /** The sheets to choose from, or all sheets if the choice is clear. */
  readonly names: readonly string[];
  /** True if the user has to choose, because several sheets have the same columns. */
  readonly isOpen: boolean;
  /** Names the sheet to read, and the others. */
  readonly notice: Notice | undefined;
}

/** The first rows of a workbook and the choice of its sheet. */
interface WorkbookPreview {
  readonly firstRows: readonly ShownRow[];
  /** Undefined if the workbook cannot be opened. */
  readonly sheets: SheetPreview | undefined;
  /** The sheet for `readXlsx`; undefined if there is a problem. */
  readonly sheet: ReadSheet | undefined;
  /** Why no sheet can be read; undefined if one can. */
  readonly refusal: Problem | undefined;
}

/**
 * Previews a workbook: its sheets, the one to read (see `chooseSheet`), and its first rows.
 * @throws Failure('usage') if the requested sheet does not exist.
 */
export async function previewWorkbook(
  file: InputFile,
  workbook: WorkbookFile,
  { sheet: wanted, password }: SheetOptions,
  rowCount: number,
): Promise<WorkbookPreview> {
  const unread = { firstRows: [], sheet: undefined };
  let sheets: SheetPreview | undefined;
  try {
    const choice = chooseSheet(file, await openWorkbook(workbook, password), wanted);
    sheets = sheetPreview(file, choice);
    const chosen = sheetToRead(file, choice);
    if ('code' in chosen) return { ...unread, sheets, refusal: chosen };
    const sheet = { ...chosen, layout: await readSheetLayout(chosen.parts, chosen.part) };
    return { firstRows: await firstRowsOf(sheet, rowCount), sheets, sheet, refusal: undefined };
  } catch (error) {
    return { ...unread, sheets, refusal: problemOf(file, error) };
  }
}

async function firstRowsOf(sheet: ReadSheet, count: number): Promise<readonly ShownRow[]> {
  const first: ShownRow[] = [];
  const merged = new MergedCells(sheet.layout.merges);
  const place = { isRecord: false, width: Number.POSITIVE_INFINITY };
  for await (const rows of readSheetRows(sheet.parts, sheet.part)) {
    const shown = rows.map((row) => shownRow(sheet, row)).filter(isWritten);
    first.push(...shown.map((row) => merged.complete(row, place)));
    if (first.length >= count) break;
  }
  return first.slice(0, count);
}

function sheetPreview(file: InputFile, { sheet, alike, others }: SheetChoice): SheetPreview {
  const isOpen = alike.length > 0;
  const sheets = [...(sheet === undefined ? [] : [sheet]), ...(isOpen ? alike : others)];
  const isRead = sheet !== undefined && !isOpen;
  return {
    name: isRead ? sheet.name : undefined,
    names: sheets.map(({ name }) => name),
    isOpen,
    notice: isRead ? sheetNotice(file, sheet, others) : undefined,
  };
}

function sheetNotice({ shownAs }: InputFile, sheet: Sheet, others: readonly Sheet[]): Notice {
  const listed = others.map(
    (other) => `${other.name} (${other.isHidden ? 'hidden, ' : ''}${countedRows(other)})`,
  );
  const rest = listed.length === 0 ? '' : `; not read: ${listed.join(', ')}`;
  const message = `${shownAs}: read from sheet ${sheet.name} (${countedRows(sheet)})${rest}`;
  return { code: 'sheet', ...(sheet.hiddenCount > 0 ? { hint: hiddenRows } : { isInfo: true }), message };
}

const hiddenRows =
  'hidden rows are read like the others; to exclude them, copy the visible rows to a separate sheet';

/** @throws BrokenWorkbook if all sheets are hidden. */
function sheetToRead(file: InputFile, { sheet, alike }: SheetChoice): Sheet | Problem {
  if (sheet === undefined) throw new BrokenWorkbook('all of its sheets are hidden');
  return alike.length === 0 ? sheet : severalSheets(file, [sheet, ...alike]);
}

const nothingTyped: ReadonlyMap<number, TypedCell> = new Map();

/** Cells beyond `width` columns are ignored. */
function shownRow(
  { cellText }: Sheet,
  { number, cells }: SheetRow,
  width = Number.POSITIVE_INFINITY,
): ShownRow {
  const texts: string[] = [];
  let typed: Map<number, TypedCell> | undefined;
  for (const cell of cells) {
    if (cell.column >= width) break;
    const shown = cellText.show(cell, number);
    while (texts.length < cell.column) texts.push('');
    texts.push(shown.text);
    if (shown.typed !== undefined) typed = (typed ?? new Map()).set(cell.column, shown.typed);
  }
  return { line: number, cells: texts, typed: typed ?? nothingTyped };
}

function isWritten({ cells }: ShownRow): boolean {
  return cells.some((cell) => cell.trim() !== '');
}

/** Turns the rows of a sheet into batches. */
class SheetTable {
  readonly #keepRaw: boolean;
  readonly #headerRow: number | undefined;
  readonly #sheet: ReadSheet;
  readonly #merged: MergedCells;
  #header: readonly string[] | undefined;
  #headerLine = 1;
  #guidesLeft: number;
  /** Rows up to the header and its guides, to be written above rejects. */
  readonly #above: (readonly string[])[] = [];
  #sourceFormat: SourceFormat | undefined;
  /** First cell with a value right of the header, until a batch reports it. */
  #beyondHeader: string | undefined;
  #isAnyBeyond = false;

  constructor(
    { keepRaw = false }: Pick<InputOptions, 'keepRaw'>,
    { headerRow, guideRows, sheet }: HeaderShape & { readonly sheet: ReadSheet },
  ) {
    this.#sheet = sheet;
    this.#merged = new MergedCells(sheet.layout.merges);
    this.#keepRaw = keepRaw;
    this.#headerRow = headerRow;
    this.#guidesLeft = guideRows;
  }

  add(rows: readonly SheetRow[]): RowBatch {
    const records: InputRow[] = [];
    for (const row of rows) {
      const width = this.#header?.length ?? Number.POSITIVE_INFINITY;
      const own = shownRow(this.#sheet, row, width);
      this.#lookBeyond(row, width);
      if (!isWritten(own)) continue;
      const isRecord = this.#header !== undefined && this.#guidesLeft === 0;
      const shown = this.#merged.complete(own, { isRecord, width });
      // If merged cells hide all values of a row, it still belongs to them and is not blank.
      if (isRecord) records.push(this.#row(shown, this.#header ?? []));
      else this.#addHead(shown);
    }
    return this.#batch(records);
  }

  /** Reports the problem of a sheet that ends before its header. */
  *end(): Generator<RowBatch> {
    if (this.#header === undefined && this.#headerRow !== undefined)
      yield brokenBatch(noHeader(this.#headerRow, true));
  }

  #addHead({ line, cells }: ShownRow): void {
    this.#keepAbove(line, cells);
    if (this.#header !== undefined) this.#guidesLeft -= 1;
    else if (line >= (this.#headerRow ?? 1)) {
      this.#header = columnNames(cells);
      this.#headerLine = line;
    }
  }

  #keepAbove(line: number, cells: readonly string[]): void {
    if (!this.#keepRaw) return;
    while (this.#above.length < line - 1) this.#above.push([]);
    this.#above.push(cells);
  }

  #lookBeyond({ number, cells }: SheetRow, width: number): void {
    const last = cells.at(-1)?.column ?? 0;
    if (this.#isAnyBeyond || last < width) return;
    const { cellText } = this.#sheet;
    const found = cells.find(
      (cell) => cell.column >= width && cellText.show(cell, number).text.trim() !== '',
    );
    if (found === undefined) return;
    this.#isAnyBeyond = true;
    this.#beyondHeader = `${columnLetters(found.column)}${number}`;
  }

  #row({ line, cells, typed, merged }: ShownRow, header: readonly string[]): InputRow {
    const row = { line, cells, ...(typed.size > 0 && { typed }), ...(merged && { merged }) };
    if (!this.#keepRaw) return row;
    const whole = Array.from(header, (_, column) => cells[column] ?? '');
    this.#sourceFormat ??= sourceFormatOf(this.#above, this.#headerLine - 1, header);
    return { ...row, cells: whole, raw: writeRow(whole, this.#sourceFormat) };
  }

  #batch(rows: readonly InputRow[]): RowBatch {
    const header = this.#header ?? [];
    const beyondHeader = this.#beyondHeader;
    this.#beyondHeader = undefined;
    return {
      header,
      headerLine: this.#headerLine,
      isHeaderWhole: true,
      rows,
      beyondHeader,
      sourceFormat: this.#sourceFormat,
    };
  }
}

/** The format of rejects of a workbook: CSV that Excel opens directly. */
function sourceFormatOf(
  above: readonly (readonly string[])[],
  headerAt: number,
  header: readonly string[],
): SourceFormat {
  return {
    format: 'csv',
    isOfWorkbook: true,
    hasByteOrderMark: true,
    delimiter: ',',
    lineEnd: '\r\n',
    head: above.map((cells, at) => csvRow(at === headerAt ? header : cells, ',')),
    headerAt,
    surplusCells: 0,
    reasonAt: reasonIn(header),
  };
}

/** The problem of a workbook that cannot be read. Other errors are rethrown. */
function problemOf({ shownAs: file }: InputFile, error: unknown): Problem {
  if (error instanceof LockedWorkbook) return { file, ...(error.isPasswordWrong ? wrongPassword : locked) };
  if (!(error instanceof BrokenWorkbook)) throw error;
  return {
    file,
    code: 'broken-xlsx',
    reason: `the workbook cannot be read: ${error.message}`,
    remedy: 'open it in Excel and save it again, as .xlsx or as "CSV UTF-8"',
  };
}

const locked = {
  code: 'encrypted-xlsx',
  reason: 'this workbook is protected with a password',
  remedy: 'write the password to a file and name it with -c workbook-password-file=FILE',
} as const;

const wrongPassword = {
  code: 'wrong-password',
  reason: 'the password of this workbook is wrong',
  remedy: 'get the password from the shop system or the sender of the workbook',
} as const;

function severalSheets({ shownAs: file }: InputFile, sheets: readonly Sheet[]): Problem {
  const listed = sheets.map((sheet) => `${sheet.name} (${countedRows(sheet)})`).join(', ');
  return {
    file,
    code: 'several-sheets',
    reason: `these sheets have the same columns, but only one can be read at a time: ${listed}`,
    remedy: 'choose one of them with --sheet',
    choices: sheets.map(({ name }) => `--sheet ${shellWord(name)}`),
  };
}
