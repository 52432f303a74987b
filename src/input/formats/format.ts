import { isJsonObject, parseJson } from '../../base/json.ts';
import { type Refusal, refuse } from '../records/cell.ts';
import type { InputOptions } from '../records/options.ts';
import { firstRows } from './csv/csv-rows.ts';

/**
 * Confidence in a detected property of a file: `certain` if a flag or the content proves it, `likely` if most of the
 * sample agrees, `assumed` if nothing in the file shows it.
 */
export const confidences = ['certain', 'likely', 'assumed'] as const;
export type Confidence = (typeof confidences)[number];

/** The format of a delimited text. */
export interface Delimited {
  readonly kind: 'delimited';
  readonly delimiter: string;
  /** The first line of the table: 2 after Excel's `sep=;`. */
  readonly firstLine: number;
  /** True if `htmlText` converts the text from HTML. */
  readonly isHtml?: true;
}

/** The format to which `htmlText` converts the table of an HTML file. */
export const htmlTable = { kind: 'delimited', delimiter: ',', firstLine: 1, isHtml: true } as const;

/** The format of a text file. */
export type Format = Delimited | { readonly kind: 'json' } | { readonly kind: 'ndjson' };

/** The rows of a table before its records. */
export interface HeaderShape {
  /** Line of the header; undefined for the first row that is not blank. */
  readonly headerRow: number | undefined;
  /** Number of rows below the header that explain it and are not records; blank rows are not counted. */
  readonly guideRows: number;
}

/** A detected format, with the confidence in it. */
export interface FoundFormat {
  readonly format: Format;
  readonly confidence: Confidence;
}

/** Rows of the sample from which the delimiter is detected. */
const sampleRows = 20;
/** Length of this sample, in characters. */
const sampleLength = 65_536;

/** Delimiters that can be detected; the earlier one wins a tie. */
const delimiters = [',', '\t', ';', '|'] as const;

/** Finds the format of a text by flags, else by its beginning, else by its name. `text` is its first piece. */
export async function findFormat(
  text: string,
  name: string,
  { format, delimiter, headerRow }: Pick<InputOptions, 'format' | 'delimiter' | 'headerRow'>,
): Promise<FoundFormat> {
  const [separatorLine, separator] = excelSeparator.exec(text) ?? [];
  const firstLine = separatorLine === undefined ? 1 : 2;
  const delimitedBy = (character: string, confidence: Confidence = 'certain'): FoundFormat => ({
    format: { kind: 'delimited', delimiter: character, firstLine },
    confidence,
  });
  if (delimiter !== undefined && (format === undefined || format === 'csv' || format === 'tsv'))
    return delimitedBy(delimiter === '\\t' ? '\t' : delimiter);
  if (format === 'tsv') return delimitedBy('\t');
  if (format === 'json' || format === 'ndjson') return { format: { kind: format }, confidence: 'certain' };
  if (separator !== undefined) return delimitedBy(separator);
  const byContent = format === 'csv' ? format : formatByContent(text, name);
  const kind = byContent ?? formatByName(name);
  if (kind === 'json' || kind === 'ndjson')
    return { format: { kind }, confidence: byContent === undefined ? 'likely' : 'certain' };
  if (kind === 'tsv') return delimitedBy('\t', 'likely');
  const found = await findDelimiter(text.slice(0, sampleLength), headerRow);
  return delimitedBy(found.delimiter, found.confidence);
}

/** A first line that names the delimiter for Excel, `sep=;`. */
const excelSeparator = /^"?sep=([^"\r\n])"?[^\S\r\n]*(?:\r\n|\n|\r|$)/i;

/** The kind of JSON by the beginning of a text. The name of the file decides if an object may be of either kind. */
function formatByContent(text: string, name: string): 'json' | 'ndjson' | undefined {
  const isArray = /^\s*\[\s*[[{"\]\d]/.test(text);
  const isObject = /^\s*\{\s*["}]/.test(text);
  if (isArray) return 'json';
  if (!isObject) return undefined;
  return formatByName(name) === 'ndjson' || isJsonObject(parseJson(firstLine(text))) ? 'ndjson' : 'json';
}

function firstLine(text: string): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  return line;
}

function formatByName(name: string): 'csv' | 'tsv' | 'json' | 'ndjson' {
  const extension = extensionOf(name);
  switch (extension) {
    case 'tsv':
    case 'json':
    case 'ndjson':
      return extension;
    case 'jsonl':
      return 'ndjson';
    default:
      return 'csv';
  }
}

/** The extension of a file in lower case, ignoring that of gzip. */
function extensionOf(name: string): string | undefined {
  return name
    .toLowerCase()
    .replace(/\.(?:gz|gzip)$/, '')
    .split('.')
    .at(-1);
}

/**
 * Finds the delimiter with which most rows have as many cells as the header; more cells win a tie. Without `headerRow`,
 * the header may be below other rows, so the most frequent width counts instead.
 */
async function findDelimiter(sample: string, headerRow: number | undefined) {
  let best = { delimiter: ',', agreeing: 0, width: 1, rowCount: 0 };
  for (const delimiter of delimiters) {
    const rows = await firstRows(sample, delimiter, { firstLine: headerRow ?? 1, count: sampleRows });
    const width = headerRow === undefined ? usualWidth(rows) : (rows[0]?.length ?? 1);
    if (width === 1) continue;
    const agreeing = rows.filter((row) => row.length === width).length;
    if (agreeing > best.agreeing || (agreeing === best.agreeing && width > best.width)) {
      best = { delimiter, agreeing, width, rowCount: rows.length };
    }
  }
  return { delimiter: best.delimiter, confidence: confidenceOf(best.agreeing, best.rowCount) };
}

/** The confidence in a delimiter. A text without one (`agreeing` is 0) has one column, or is not a table. */
function confidenceOf(agreeing: number, rowCount: number): Confidence {
  if (agreeing === 0) return 'assumed';
  return agreeing === rowCount && rowCount > 1 ? 'certain' : 'likely';
}

/** Minimum number of cells with which rows below a single cell are considered a table. */
const leastTableWidth = 3;

/** The most frequent width, the greatest in a tie; 1 if rows below a single cell are not a table. */
function usualWidth(rows: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>();
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
  counts.delete(1);
  const [[width, count] = [1, 0]] = [...counts].toSorted(
    ([oneWidth, one], [otherWidth, other]) => other - one || otherWidth - oneWidth,
  );
  const isBelowOneCell = rows[0]?.length === 1;
  return isBelowOneCell && (width < leastTableWidth || count === 1) ? 1 : width;
}

const aWorkbook = 'an Excel workbook';
const noWorkbook = 'a text file';
const jsonNames: ReadonlySet<string> = new Set(['json', 'ndjson', 'jsonl']);
const workbookNames: ReadonlySet<string> = new Set(['xlsx', 'xlsm']);

/**
 * The problem of content that contradicts `--format` or, without the flag, the name of its file. The names `.xls`
 * (often text) and `.csv` promise nothing, nor does any name of a web page. `text` is the first piece of a text,
 * undefined for a workbook. A blank text is accepted under any name.
 */
export function formatConflict(
  name: string,
  text: string | undefined,
  { format, delimiter }: Partial<InputOptions>,
  isHtml = false,
): Refusal | undefined {
  const isWorkbook = text === undefined;
  if (isHtml) return format && notThisFormat('an HTML table', format);
  if (format !== undefined) {
    if ((format === 'xlsx') === isWorkbook) return undefined;
    return notThisFormat(isWorkbook ? aWorkbook : noWorkbook, format);
  }
  if (delimiter !== undefined) return undefined;
  const extension = extensionOf(name) ?? '';
  const start = text?.trimStart()[0];
  if (isWorkbook) return jsonNames.has(extension) ? notAsNamed(extension, aWorkbook, 'xlsx') : undefined;
  if (start === undefined) return undefined;
  if (workbookNames.has(extension)) return notAsNamed(extension, noWorkbook, 'csv');
  const isOther = jsonNames.has(extension) && start !== '[' && start !== '{';
  return isOther ? notAsNamed(extension, 'not JSON', 'csv') : undefined;
}

function notAsNamed(extension: string, is: string, format: string): Refusal {
  return refuse(
    'not-as-named',
    `this is ${is}, but its name ends with .${extension}`,
    `export the file again; if the name is wrong, add --format ${format}`,
  );
}

function notThisFormat(is: string, format: string): Refusal {
  return refuse(
    'not-this-format',
    `this is ${is}, but --format says ${format}`,
    'omit --format: the format is detected from the content',
  );
}
