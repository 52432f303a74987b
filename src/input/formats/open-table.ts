import { startingWith } from '../open/bytes.ts';
import { charsetOfMark } from '../open/charset.ts';
import { decodeText } from '../open/decode.ts';
import { FileText, onePiece, type TextPieces } from '../open/file-text.ts';
import type { InputFile } from '../open/input-file.ts';
import type { Encoding, InputOptions } from '../records/options.ts';
import type { Problem } from '../records/problem.ts';
import type { RowBatch, SourceFormat } from '../records/row-batch.ts';
import { readCsv } from './csv/csv.ts';
import { RowReader } from './csv/csv-rows.ts';
import {
  type Confidence,
  confidences,
  type Delimited,
  type Format,
  findFormat,
  formatConflict,
  type HeaderShape,
  htmlConflict,
  htmlTable,
} from './format.ts';
import { htmlText } from './html-text.ts';
import { readJson, readNdjson } from './json/json.ts';
import { firstBytes, sniffContent } from './sniff.ts';
import type { ReadSheet } from './workbook/open-workbook.ts';
import type { WorkbookFile } from './workbook/parts.ts';
import type { SheetPreview } from './workbook/xlsx.ts';

/** The most rows of a preview. */
const rowsMaximum = 20;

/** What the first piece of a file shows, whatever its columns mean. */
export interface FilePreview {
  readonly file: InputFile;
  /** `unknown` if it is not a table. */
  readonly format: Format | { readonly kind: 'xlsx' } | { readonly kind: 'unknown' };
  /** How sure format and encoding are. */
  readonly confidence: Confidence;
  /** Of the first piece of text; workbooks are UTF-8. */
  readonly encoding: Encoding;
  /** Only of a workbook that can be read. */
  readonly sheets: SheetPreview | undefined;
  /** The sheet that is read, with all texts of the workbook; only of a workbook that is not refused. */
  readonly sheet: ReadSheet | undefined;
  /** The first piece of text; undefined for an empty file. */
  readonly text: string | undefined;
  /** Whether the text begins with a byte-order mark. */
  readonly hasByteOrderMark: boolean;
  /** The first rows that are not blank, as text; for JSON the names of the fields, then the records. */
  readonly rows: readonly (readonly string[])[];
  /** The lines the rows start on. */
  readonly lines: readonly number[];
  /** Why the file is not read; undefined if it is. */
  readonly refusal: Problem | undefined;
  /** Why the beginning of the file cannot be read; undefined if it can. */
  readonly problem: Problem | undefined;
}

type Rows = Pick<FilePreview, 'rows' | 'lines'>;

const noRows: Rows = { rows: [], lines: [] };
const nothingKnown = {
  format: { kind: 'unknown' },
  confidence: 'assumed',
  encoding: 'utf-8',
  sheets: undefined,
  sheet: undefined,
  text: undefined,
  hasByteOrderMark: false,
  refusal: undefined,
  problem: undefined,
} as const;

/**
 * Looks at the first piece of a file. The first rows include those above the header.
 * @throws as `InputFile` and `findFormat`.
 */
export async function previewFile(file: InputFile, options: Partial<InputOptions>): Promise<FilePreview> {
  const bytes = file.peek();
  try {
    const first = await bytes.next();
    const head = firstBytes(first);
    const content = await sniffContent(file, head);
    if (content.kind === 'foreign') return refused(file, content.problem);
    if (content.kind === 'xlsx') return await ofWorkbook(file, content.workbook, options);
    const read = content.kind === 'html' ? htmlText : decodeText;
    const text = await firstPieceOf(read(file, startingWith(first, bytes), options));
    const hasByteOrderMark = charsetOfMark(head) !== undefined;
    return await ofText(file, text, options, { hasByteOrderMark, isHtml: content.kind === 'html' });
  } finally {
    await bytes.return(undefined);
  }
}

function refused(file: InputFile, problem: Problem): FilePreview {
  return { ...nothingKnown, ...noRows, file, refusal: problem, problem };
}

async function ofWorkbook(
  file: InputFile,
  workbook: WorkbookFile,
  options: Partial<InputOptions>,
): Promise<FilePreview> {
  const conflict = formatConflict(file, undefined, options);
  if (conflict) return refused(file, conflict);
  const { previewWorkbook } = await import('./workbook/xlsx.ts');
  const { firstRows, ...preview } = await previewWorkbook(file, workbook, options, rowsMaximum);
  const rows = new FirstRows();
  for (const { cells, line } of firstRows) rows.add(cells, line);
  const format = { kind: 'xlsx' } as const;
  const found = { ...preview, refusal: preview.problem, ...rows.given };
  return { ...nothingKnown, file, format, confidence: 'certain', ...found };
}

async function ofText(
  file: InputFile,
  first: string | Problem | undefined,
  options: Partial<InputOptions>,
  { hasByteOrderMark, isHtml }: Pick<FilePreview, 'hasByteOrderMark'> & { readonly isHtml: boolean },
): Promise<FilePreview> {
  const problem = typeof first === 'object' ? first : undefined;
  const piece = typeof first === 'string' ? first : '';
  const { encoding } = file;
  const refusal = isHtml ? htmlConflict(file, options) : formatConflict(file, piece, options);
  if (refusal) return { ...refused(file, refusal), encoding, text: piece };
  const { format, confidence } = isHtml
    ? ({ format: htmlTable, confidence: 'certain' } as const)
    : await findFormat(piece, file.shownAs, options);
  const isEncodingKnown = hasByteOrderMark || encoding === 'utf-8' || encoding === options.encoding;
  return {
    ...nothingKnown,
    file,
    format,
    confidence: weaker(confidence, isEncodingKnown ? 'certain' : 'likely'),
    encoding,
    text: first === undefined ? undefined : piece,
    hasByteOrderMark,
    problem,
    ...(format.kind === 'delimited'
      ? await delimitedRows(piece, format)
      : await jsonRows(file, piece, format.kind)),
  };
}

function weaker(one: Confidence, other: Confidence): Confidence {
  return confidences.indexOf(one) > confidences.indexOf(other) ? one : other;
}

async function firstPieceOf<T>(pieces: AsyncIterable<T>): Promise<T | undefined> {
  for await (const piece of pieces) return piece;
  return undefined;
}

async function delimitedRows(piece: string, { delimiter, firstLine }: Delimited): Promise<Rows> {
  const reader = new RowReader(delimiter);
  const rows = new FirstRows();
  for (const { cells, line } of [...(await reader.read(piece)), ...(await reader.end({ isCutOff: false }))])
    if (line >= firstLine) rows.add(cells, line);
  return rows.given;
}

async function jsonRows(file: InputFile, piece: string, format: 'json' | 'ndjson'): Promise<Rows> {
  const read = format === 'json' ? readJson : readNdjson;
  for await (const { header, headerLine, rows: records } of read(file, onePiece(piece))) {
    const rows = new FirstRows();
    rows.add(header, headerLine);
    for (const { cells, line } of records) rows.add(cells.map(cellAsText), line);
    return rows.given;
  }
  return noRows;
}

class FirstRows {
  readonly #rows: (readonly string[])[] = [];
  readonly #lines: number[] = [];

  add(cells: readonly string[], line: number): void {
    if (this.#rows.length === rowsMaximum || cells.every((cell) => cell.trim() === '')) return;
    this.#rows.push(cells);
    this.#lines.push(line);
  }

  get given(): Rows {
    return { rows: this.#rows, lines: this.#lines };
  }
}

function cellAsText(cell: unknown): string {
  if (cell === undefined || cell === null) return '';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

/** A file of which it is known how to read it. */
type KnownTable = FilePreview & HeaderShape;

/** The rows of a file in any format. @throws as `InputFile`. */
export async function* readTable(table: KnownTable, options: InputOptions): AsyncGenerator<RowBatch> {
  const { file, refusal } = table;
  if (refusal) yield unreadable(refusal);
  else
    yield* readRows(table, () => new FileText(file, options, isHtml(table) ? htmlText : decodeText), options);
}

function isHtml({ format }: KnownTable): boolean {
  return format.kind === 'delimited' && format.isHtml === true;
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

const plainText = { isOfWorkbook: false, head: [], headerAt: 0, surplusCells: 0 } as const;

function sourceFormatOf(
  format: Format,
  { text = '', hasByteOrderMark }: Pick<FilePreview, 'text' | 'hasByteOrderMark'>,
): SourceFormat {
  const [lineEnd = '\n'] = /\r\n|\n|\r/.exec(text) ?? [];
  const common = { ...plainText, hasByteOrderMark, lineEnd };
  if (format.kind !== 'delimited') return { ...common, format: format.kind, delimiter: '' };
  // Such a page is opened in Excel, and so are its rejects. Without a mark, Excel reads UTF-8 as CP949.
  const isMarked = hasByteOrderMark || format.isHtml === true;
  return { ...common, hasByteOrderMark: isMarked, format: 'csv', delimiter: format.delimiter };
}
