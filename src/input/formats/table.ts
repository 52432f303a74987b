import { FileText, onePiece, type TextPieces } from '../open/file-text.ts';
import type { InputOptions } from '../records/options.ts';
import type { Problem } from '../records/problem.ts';
import type { RowBatch, SourceFormat } from '../records/row-batch.ts';
import { readCsv } from './csv/csv.ts';
import type { Format } from './format.ts';
import { readJson, readNdjson } from './json/json.ts';
import type { FilePreview } from './preview.ts';
import type { ReadSheet } from './workbook/open-workbook.ts';

/** Where the records of a table begin. */
export interface HeaderShape {
  /** The line of the header; by default the first row that is not blank. */
  readonly headerRow: number | undefined;
  /** How many rows below the header explain it and are not records; blank rows are not counted. */
  readonly guideRows: number;
}

/** A file of which it is known how to read it. */
type KnownTable = FilePreview & HeaderShape;

/** The rows of a file in any format. @throws as `InputFile`. */
export async function* readTable(table: KnownTable, options: InputOptions): AsyncGenerator<RowBatch> {
  const { file, refusal } = table;
  if (refusal) yield unreadable(refusal);
  else yield* readRows(table, () => new FileText(file, options), options);
}

/** The rows in the first piece of a file, the last of which may be cut off; for a workbook, those of its sheet. */
export function readFirstPiece(table: KnownTable, options: InputOptions): AsyncGenerator<RowBatch> {
  return readRows(table, onePiece, options);
}

async function* readRows(
  table: KnownTable,
  open: (firstPiece: string) => TextPieces,
  options: InputOptions,
): AsyncGenerator<RowBatch> {
  const { format, sheet, text } = table;
  if (sheet !== undefined) yield* await readWorkbook({ ...table, sheet }, options);
  else if (format.kind !== 'xlsx' && format.kind !== 'unknown' && text !== undefined)
    yield* readText({ ...table, format }, open(text), options);
}

function unreadable(problem: Problem): RowBatch {
  return { header: [], headerLine: 1, isHeaderWhole: true, rows: [], problems: [problem], isBroken: true };
}

async function readWorkbook(
  table: KnownTable & { readonly sheet: ReadSheet },
  options: InputOptions,
): Promise<AsyncIterable<RowBatch>> {
  const { readXlsx } = await import('./workbook/xlsx.ts');
  return readXlsx(table, options);
}

async function* readText(
  { file, format, guideRows, ...table }: KnownTable & { readonly format: Format },
  text: TextPieces,
  { keepRaw }: InputOptions,
): AsyncGenerator<RowBatch> {
  const sourceFormat = keepRaw ? sourceFormatOf(format, table) : undefined;
  switch (format.kind) {
    case 'delimited': {
      const headerRow = Math.max(format.firstLine, table.headerRow ?? 1);
      const { delimiter } = format;
      yield* readCsv(file, text, { delimiter, headerRow, guideRows, sourceFormat });
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

const plainText = { isOfWorkbook: false, head: [], headerAt: 0, surplusCells: 0, hasReasons: false } as const;

function sourceFormatOf(
  format: Format,
  { text = '', hasByteOrderMark }: Pick<FilePreview, 'text' | 'hasByteOrderMark'>,
): SourceFormat {
  const [lineEnd = '\n'] = /\r\n|\n|\r/.exec(text) ?? [];
  const common = { ...plainText, hasByteOrderMark, lineEnd };
  return format.kind === 'delimited'
    ? { ...common, format: 'csv', delimiter: format.delimiter }
    : { ...common, format: format.kind, delimiter: '' };
}
