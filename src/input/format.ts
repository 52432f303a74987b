import { Failure } from '../base/failure.ts';
import { isJsonObject } from '../base/json.ts';
import { firstRows } from './csv-rows.ts';
import type { InputOptions } from './place.ts';

/** What a file is, given or found. */
export type Format =
  | { readonly kind: 'delimited'; readonly delimiter: string }
  | { readonly kind: 'json' }
  | { readonly kind: 'ndjson' };

/** How many rows of the beginning are looked at to find the delimiter. */
const sampleRows = 20;
/** How much of the beginning is looked at, in characters. */
const sampleLength = 65_536;

/** The delimiters that are found by themselves; of equals the first. */
const delimiters = [',', '\t', ';', '|'] as const;

/**
 * What the file is: as the flags say, else by how its text begins, else by its name. `text` is its first piece.
 * Throws `usage` for a delimiter that cannot be one.
 */
export async function findFormat(
  text: string,
  name: string,
  { format, delimiter, headerRow = 1 }: Pick<InputOptions, 'format' | 'delimiter' | 'headerRow'>,
): Promise<Format> {
  const given = format === 'xlsx' ? undefined : format;
  const found = given ?? (delimiter === undefined ? formatByContent(text, name) : 'csv');
  if (found === 'json' || found === 'ndjson') return { kind: found };
  if (delimiter !== undefined) return { kind: 'delimited', delimiter: checkedDelimiter(delimiter) };
  if (found === 'tsv') return { kind: 'delimited', delimiter: '\t' };
  return { kind: 'delimited', delimiter: await findDelimiter(text.slice(0, sampleLength), headerRow) };
}

function formatByContent(text: string, name: string): 'csv' | 'tsv' | 'json' | 'ndjson' {
  const named = formatByName(name);
  const isArray = /^\s*\[\s*[[{"\]\d]/.test(text);
  const isObject = /^\s*\{\s*["}]/.test(text);
  if (isArray) return 'json';
  if (isObject) return named === 'ndjson' || isWholeObject(firstLine(text)) ? 'ndjson' : 'json';
  return named === 'tsv' ? 'tsv' : 'csv';
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
  const extension = name.toLowerCase().split('.').at(-1);
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

/** The delimiter under which the most rows have as many cells as the header; of equals the one that gives more cells. */
async function findDelimiter(sample: string, headerRow: number): Promise<string> {
  let best: { delimiter: string; agreeing: number; width: number } = {
    delimiter: ',',
    agreeing: 0,
    width: 1,
  };
  for (const delimiter of delimiters) {
    const rows = await firstRows(sample, delimiter, { firstLine: headerRow, count: sampleRows });
    const width = rows[0]?.length ?? 1;
    if (width === 1) continue;
    const agreeing = rows.filter((row) => row.length === width).length;
    if (agreeing > best.agreeing || (agreeing === best.agreeing && width > best.width)) {
      best = { delimiter, agreeing, width };
    }
  }
  return best.delimiter;
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
