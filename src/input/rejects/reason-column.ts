import { inertCell } from '../../base/csv-row.ts';
import type { Problem } from '../records/problem.ts';
import { reasonColumn, type SourceFormat } from '../records/row-batch.ts';

/** The rows above rejects: those of the input up to its header and the guides below it, with a column of reasons. */
export function headWithReasons({
  head,
  headerAt,
  surplusCells,
  hasReasons,
  ...format
}: SourceFormat): string[] {
  const { delimiter } = format;
  if (hasReasons) return [...head];
  const blank = delimiter.repeat(Math.max(0, surplusCells));
  return head.map((row, at) => {
    // Rows above the header are not part of the table.
    if (at < headerAt) return row;
    return `${row}${blank}${delimiter}${at === headerAt ? reasonColumn : ''}`;
  });
}

/**
 * The text of a rejected record with its problems in the last column, or in the last field of its object, in place of
 * those of an earlier push. Other cells stay as they are.
 */
export function recordWithReasons(raw: string, problems: readonly Problem[], format: SourceFormat): string {
  return format.format === 'csv' ? rowWithReasons(raw, problems, format) : objectWithReasons(raw, problems);
}

function rowWithReasons(
  raw: string,
  problems: readonly Problem[],
  { delimiter, surplusCells, hasReasons }: SourceFormat,
): string {
  const row = hasReasons ? withoutLastCell(raw, delimiter) : raw;
  const missing = delimiter.repeat(Math.max(0, -surplusCells));
  // A quote would change how the other cells of a file without quotes are read.
  const plain = reasonsOf(problems)
    .replace(/["\r\n]/g, ' ')
    .replaceAll(delimiter, delimiter === ';' ? ',' : ';');
  return `${row}${missing}${delimiter}${inertCell(plain)}`;
}

function withoutLastCell(raw: string, delimiter: string): string {
  const between = `\\x${delimiter.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return raw.replace(new RegExp(`${between}(?:"(?:[^"]|"")*"|[^"${between}]*)$`), '');
}

/** The field of reasons among the others of an object. */
const reasonField = new RegExp(`,?\\s*"${reasonColumn}"\\s*:\\s*"(?:[^"\\\\]|\\\\.)*"`);

function objectWithReasons(raw: string, problems: readonly Problem[]): string {
  const object = raw.replace(reasonField, '').replace(/^(\s*\{)\s*,/, '$1');
  const [end] = /\s*\}\s*$/.exec(object) ?? [];
  if (end === undefined || !/^\s*\{/.test(object)) return raw;
  const fields = object.slice(0, -end.length);
  const comma = /\{\s*$/.test(fields) ? '' : ',';
  return `${fields}${comma}"${reasonColumn}":${JSON.stringify(reasonsOf(problems))}${end}`;
}

/** What is wrong with a record and how to correct it, one problem after the other. */
function reasonsOf(problems: readonly Problem[]): string {
  return problems
    .map(({ column, reason, remedy }) => {
      const what = [column, reason].filter(Boolean).join(': ');
      return [what, String(remedy)].filter(Boolean).join('; ');
    })
    .join(' / ');
}
