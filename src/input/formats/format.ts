import { Failure } from '../../base/failure.ts';
import { isJsonObject } from '../../base/json.ts';
import type { InputOptions } from '../records/options.ts';
import { firstRows } from './csv/csv-rows.ts';

/** The format of a text file. */
export type Format =
  | {
      readonly kind: 'delimited';
      readonly delimiter: string;
      /** The first line of the table: 2 after Excel's `sep=;`. */
      readonly firstLine: number;
    }
  | { readonly kind: 'json' }
  | { readonly kind: 'ndjson' };

/** The rows of the sample from which the delimiter is detected. */
const sampleRows = 20;
/** The length of that sample, in characters. */
const sampleLength = 65_536;

/** The delimiters that are detected; the first one wins a tie. */
const delimiters = [',', '\t', ';', '|'] as const;

/**
 * The format of a text: by flags, else by its beginning, else by its name. `text` is its first piece.
 * @throws Failure('usage') for an invalid delimiter.
 */
export async function findFormat(
  text: string,
  name: string,
  { format, delimiter, headerRow }: Pick<InputOptions, 'format' | 'delimiter' | 'headerRow'>,
): Promise<Format> {
  const [separatorLine, separator] = excelSeparator.exec(text) ?? [];
  const firstLine = separatorLine === undefined ? 1 : 2;
  if (delimiter !== undefined && (format === undefined || format === 'csv' || format === 'tsv')) {
    return { kind: 'delimited', delimiter: checkedDelimiter(delimiter), firstLine };
  }
  if (format === 'tsv') return { kind: 'delimited', delimiter: '\t', firstLine };
  if (format === 'json' || format === 'ndjson') return { kind: format };
  if (separator !== undefined) return { kind: 'delimited', delimiter: separator, firstLine };
  const found = format === 'csv' ? format : formatByContent(text, name);
  if (found === 'json' || found === 'ndjson') return { kind: found };
  if (found === 'tsv') return { kind: 'delimited', delimiter: '\t', firstLine };
  return {
    kind: 'delimited',
    delimiter: await findDelimiter(text.slice(0, sampleLength), headerRow),
    firstLine,
  };
}

/** The first line by which a file gives its delimiter to Excel. */
const excelSeparator = /^"?sep=([^"\r\n])"?[^\S\r\n]*(?:\r\n|\n|\r|$)/i;

function formatByContent(text: string, name: string): 'csv' | 'tsv' | 'json' | 'ndjson' {
  const named = formatByName(name);
  const isArray = /^\s*\[\s*[[{"\]\d]/.test(text);
  const isObject = /^\s*\{\s*["}]/.test(text);
  if (isArray) return 'json';
  if (isObject) return named === 'ndjson' || isWholeObject(firstLine(text)) ? 'ndjson' : 'json';
  return named;
}

function firstLine(text: string): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  return line;
}

function isWholeObject(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
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

/** The extension of a file in lower case, without that of gzip. */
export function extensionOf(name: string): string | undefined {
  return name
    .toLowerCase()
    .replace(/\.(?:gz|gzip)$/, '')
    .split('.')
    .at(-1);
}

/**
 * The delimiter with which most rows have as many cells as the header; more cells win a tie. Without `headerRow` the
 * header may be below other rows, so the most frequent width is used.
 */
async function findDelimiter(sample: string, headerRow: number | undefined): Promise<string> {
  let best = { delimiter: ',', agreeing: 0, width: 1 };
  for (const delimiter of delimiters) {
    const rows = await firstRows(sample, delimiter, { firstLine: headerRow ?? 1, count: sampleRows });
    const width = headerRow === undefined ? usualWidth(rows) : (rows[0]?.length ?? 1);
    if (width === 1) continue;
    const agreeing = rows.filter((row) => row.length === width).length;
    if (agreeing > best.agreeing || (agreeing === best.agreeing && width > best.width)) {
      best = { delimiter, agreeing, width };
    }
  }
  return best.delimiter;
}

/** Below a single cell, rows with fewer cells are not regarded as a table. */
const leastTableWidth = 3;

/** The most frequent width, the greatest in a tie; 1 if the rows below a single cell are not a table. */
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

function checkedDelimiter(delimiter: string): string {
  if (delimiter === '\\t') return '\t';
  if (delimiter.length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw new Failure(
    'usage',
    `${JSON.stringify(delimiter)} cannot be a delimiter`,
    'give one character, such as --delimiter ";", or \\t for a tab',
  );
}
