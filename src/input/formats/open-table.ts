import { streamOf } from '../../base/lists.ts';
import { startingWith } from '../open/bytes.ts';
import { charsetOfMark } from '../open/charset.ts';
import { decodeText } from '../open/decode.ts';
import type { InputFile } from '../open/input-file.ts';
import type { Cell } from '../records/cell.ts';
import type { InputOptions } from '../records/options.ts';
import type { Fault } from '../records/problem.ts';
import { brokenBatch, type InputRow, type RowBatch, type SourceFormat } from '../records/row-batch.ts';
import { readCsv } from './csv/csv.ts';
import { isBlankRow, RowReader } from './csv/csv-rows.ts';
import {
  type Confidence,
  type Format,
  type FoundFormat,
  findFormat,
  formatConflict,
  type HeaderShape,
  htmlTable,
} from './format.ts';
import { htmlText } from './html-text.ts';
import { readJson } from './json/json.ts';
import { firstBytes, sniffContent } from './sniff.ts';
import type { ReadSheet } from './workbook/open-workbook.ts';
import type { WorkbookFile } from './workbook/parts.ts';
import type { SheetPreview } from './workbook/xlsx.ts';

/** Maximum number of rows in a preview. */
const rowsMaximum = 20;

/** A row as text, with the line it starts on. */
export interface PreviewRow {
  readonly cells: readonly string[];
  readonly line: number;
}

/** The first piece of a file, read before its columns are interpreted. */
export interface FilePreview {
  readonly file: InputFile;
  /** `unknown` if it is not a table. */
  readonly format: Format | { readonly kind: 'xlsx' } | { readonly kind: 'unknown' };
  /** Confidence in format and encoding. */
  readonly confidence: Confidence;
  /** Only for a workbook that can be read. */
  readonly sheets?: SheetPreview | undefined;
  /** The sheet to read, with all texts of the workbook; only for a workbook that is not refused. */
  readonly sheet?: ReadSheet | undefined;
  /** The first piece of text; undefined for an empty file. */
  readonly text?: string | undefined;
  /** True if the text begins with a byte-order mark. */
  readonly hasByteOrderMark?: boolean;
  /** The first rows that are not blank, as text. For JSON: the names of the fields, then the records. */
  readonly rows: readonly PreviewRow[];
  /** Why the file cannot be read; undefined if it can. */
  readonly refusal?: Fault | undefined;
}

/**
 * Previews the first piece of a file. The first rows include those above the header.
 * @throws the failures of `InputFile` and `findFormat`.
 */
export async function previewFile(file: InputFile, options: Partial<InputOptions>): Promise<FilePreview> {
  const bytes = file.peek();
  try {
    const first = await bytes.next();
    const head = firstBytes(first);
    const content = await sniffContent(file, head);
    if (content.kind === 'foreign') return refused(file, content.problem);
    if (content.kind === 'xlsx') return await previewXlsx(file, content.workbook, options);
    const isHtml = content.kind === 'html';
    const pieces = (isHtml ? htmlText : decodeText)(file, startingWith(first, bytes), options);
    const { value: text } = await pieces.next();
    await pieces.return(undefined);
    return await previewText(file, text ?? undefined, options, charsetOfMark(head) !== undefined, isHtml);
  } finally {
    await bytes.return(undefined);
  }
}

function refused(file: InputFile, refusal: Fault): FilePreview {
  return { file, format: { kind: 'unknown' }, confidence: 'assumed', rows: [], refusal };
}

async function previewXlsx(
  file: InputFile,
  workbook: WorkbookFile,
  options: Partial<InputOptions>,
): Promise<FilePreview> {
  const conflict = formatConflict(file.shownAs, undefined, options);
  if (conflict) return refused(file, conflict);
  const { previewWorkbook } = await import('./workbook/xlsx.ts');
  const { firstRows, ...preview } = await previewWorkbook(file, workbook, options, rowsMaximum);
  return { file, format: { kind: 'xlsx' }, confidence: 'certain', ...preview, rows: firstOf(firstRows) };
}

async function previewText(
  file: InputFile,
  first: string | Fault | undefined,
  options: Partial<InputOptions>,
  hasByteOrderMark: boolean,
  isHtml: boolean,
): Promise<FilePreview> {
  const piece = typeof first === 'string' ? first : '';
  const refusal = formatConflict(file.shownAs, piece, options, isHtml);
  if (refusal) return refused(file, refusal);
  const found: FoundFormat = isHtml
    ? { format: htmlTable, confidence: 'certain' }
    : await findFormat(piece, file.shownAs, options);
  const { encoding } = file;
  const isEncodingKnown = hasByteOrderMark || encoding === 'utf-8' || encoding === options.encoding;
  return {
    file,
    format: found.format,
    confidence: isEncodingKnown || found.confidence !== 'certain' ? found.confidence : 'likely',
    text: first === undefined ? undefined : piece,
    hasByteOrderMark,
    rows: await firstRowsOf(piece, found.format),
  };
}

async function firstRowsOf(piece: string, format: Format): Promise<readonly PreviewRow[]> {
  if (format.kind === 'delimited') {
    const reader = new RowReader(format.delimiter);
    const rows = [...(await reader.read(piece)), ...(await reader.end({ isCutOff: false }))];
    return firstOf(rows.filter(({ line }) => line >= format.firstLine));
  }
  const { value: batch } = await readJson(streamOf([piece]), format.kind).next();
  return batch ? firstOf([{ cells: batch.header, line: batch.headerLine }, ...batch.rows]) : firstOf([]);
}

/** The first rows that are not blank, as text. */
function firstOf(all: readonly Pick<InputRow, 'cells' | 'line'>[]): readonly PreviewRow[] {
  const rows: PreviewRow[] = [];
  for (const { cells, line } of all) {
    const texts = cells.map(cellAsText);
    if (!isBlankRow(texts)) rows.push({ cells: texts, line });
    if (rows.length === rowsMaximum) break;
  }
  return rows;
}

function cellAsText(cell: Cell): string {
  if (cell === undefined || cell === null) return '';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

/**
 * Reads the rows of a file in any format. With `isFirstPiece`, only those of the first piece, of which the last may be
 * cut off; for a workbook, still all rows of its sheet. @throws the failures of `InputFile`.
 */
export async function* readTable(
  table: FilePreview & HeaderShape,
  options: InputOptions,
  { isFirstPiece = false } = {},
): AsyncGenerator<RowBatch> {
  const { file, format, sheet, text, refusal } = table;
  if (refusal) yield brokenBatch(refusal);
  else if (sheet) {
    const { readXlsx } = await import('./workbook/xlsx.ts');
    yield* readXlsx({ ...table, sheet }, options);
  } else if (text !== undefined && format.kind !== 'xlsx' && format.kind !== 'unknown') {
    const isHtml = format.kind === 'delimited' && format.isHtml;
    const read = isHtml ? htmlText : decodeText;
    const pieces = isFirstPiece ? streamOf([text]) : read(file, file.read(), options);
    const sourceFormat = options.keepRaw ? sourceFormatOf(format, table) : undefined;
    if (format.kind === 'delimited') yield* readCsv(pieces, { ...format, ...table, sourceFormat });
    else yield* readJson(pieces, format.kind, sourceFormat);
  }
}

const plainText = { isOfWorkbook: false, head: [], headerAt: 0, surplusCells: 0 } as const;

function sourceFormatOf(format: Format, { text = '', hasByteOrderMark = false }: FilePreview): SourceFormat {
  const [lineEnd = '\n'] = /\r\n|\n|\r/.exec(text) ?? [];
  const common = { ...plainText, hasByteOrderMark, lineEnd };
  if (format.kind !== 'delimited') return { ...common, format: format.kind, delimiter: '' };
  // HTML exports are opened in Excel, and so are their rejects. Without a mark, Excel reads UTF-8 as CP949.
  const isMarked = hasByteOrderMark || format.isHtml === true;
  return { ...common, hasByteOrderMark: isMarked, format: 'csv', delimiter: format.delimiter };
}
