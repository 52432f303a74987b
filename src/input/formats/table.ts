import { liveCell } from '../../base/csv-row.ts';
import { FileText } from '../open/file-text.ts';
import type { InputFile } from '../open/input-file.ts';
import type { Cell } from '../records/cell.ts';
import type { InputOptions, SheetOptions } from '../records/options.ts';
import type { Notice, Problem } from '../records/problem.ts';
import type { InputRow, RowBatch, SourceFormat } from '../records/row-batch.ts';
import { readCsv } from './csv/csv.ts';
import { type Format, findFormat } from './format.ts';
import { readJson, readNdjson } from './json/json.ts';
import type { FilePreview } from './preview.ts';
import { isWorkbook } from './sniff.ts';
import type { SheetNames } from './workbook/xlsx.ts';

/** The rows of a file in any format, read once after its preview. @throws as `InputFile` and `findFormat`. */
export async function* readTable(preview: FilePreview, options: InputOptions): AsyncGenerator<RowBatch> {
  const { file, format, refusal } = preview;
  if (refusal) yield unreadable(refusal);
  else if (format === 'xlsx') yield* await readWorkbook(file, options);
  else yield* readText(preview, options);
}

/** The sheets of a workbook that can be chosen; undefined for any other file. @throws as `readTable`. */
export async function sheetNames(file: InputFile, options: SheetOptions): Promise<SheetNames | undefined> {
  if (!(await isWorkbook(file))) return undefined;
  const { findSheetNames } = await import('./workbook/xlsx.ts');
  return findSheetNames(file, options);
}

/** The notice that names the sheet of a workbook; undefined for any other file. @throws as `readTable`. */
export async function tableNotice(file: InputFile, options: SheetOptions): Promise<Notice | undefined> {
  if (!(await isWorkbook(file))) return undefined;
  const { sheetNotice } = await import('./workbook/xlsx.ts');
  return sheetNotice(file, options);
}

function unreadable(problem: Problem): RowBatch {
  return { header: [], headerLine: 1, isHeaderWhole: true, rows: [], problems: [problem], isBroken: true };
}

async function readWorkbook(file: InputFile, options: InputOptions): Promise<AsyncIterable<RowBatch>> {
  const { readXlsx } = await import('./workbook/xlsx.ts');
  return readXlsx(file, options);
}

async function* readText(
  { file, text: beginning, hasByteOrderMark }: FilePreview,
  options: InputOptions,
): AsyncGenerator<RowBatch> {
  if (beginning === undefined) return;
  const format = await findFormat(beginning, file.shownAs, options);
  const sourceFormat = options.keepRaw ? sourceFormatOf(beginning, format, hasByteOrderMark) : undefined;
  const text = new FileText(file, options);
  switch (format.kind) {
    case 'delimited': {
      const headerRow = Math.max(format.firstLine, options.headerRow ?? 1);
      const { delimiter } = format;
      const { guideRows, hasIdColumns } = options;
      const rows = readCsv(file, text, { delimiter, headerRow, guideRows, sourceFormat, hasIdColumns });
      for await (const batch of rows) yield { ...batch, rows: batch.rows.map(withLiveCells) };
      break;
    }
    case 'json':
      yield* readJson(file, text, sourceFormat);
      break;
    case 'ndjson':
      yield* readNdjson(file, text, sourceFormat);
      break;
  }
}

/** A row without the protection that keeps spreadsheets from running its cells as formulas. */
function withLiveCells(row: InputRow): InputRow {
  const isMarked = (cell: Cell) => typeof cell === 'string' && liveCell(cell) !== cell;
  if (!row.cells.some(isMarked)) return row;
  return { ...row, cells: row.cells.map((cell) => (typeof cell === 'string' ? liveCell(cell) : cell)) };
}

function sourceFormatOf(beginning: string, format: Format, hasByteOrderMark: boolean): SourceFormat {
  const [lineEnd = '\n'] = /\r\n|\n|\r/.exec(beginning) ?? [];
  const common = { hasByteOrderMark, lineEnd, header: '', isOfWorkbook: false };
  return format.kind === 'delimited'
    ? { ...common, format: 'csv', delimiter: format.delimiter }
    : { ...common, format: format.kind, delimiter: '' };
}
