import { inertCell } from '../../base/csv-row.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import { endOfQuotedCell } from '../formats/csv/csv-rows.ts';
import type { Fault } from '../records/problem.ts';
import { reasonColumn, type SourceFormat } from '../records/row-batch.ts';

/** The rows above rejects: the input's rows up to its header and guides, with a column of reasons. */
export function headWithReasons({
  head,
  headerAt,
  surplusCells,
  reasonAt,
  ...format
}: SourceFormat): string[] {
  const { delimiter } = format;
  if (reasonAt !== undefined) return [...head];
  const blank = delimiter.repeat(Math.max(0, surplusCells));
  return head.map((row, at) => {
    // Rows above the header are not part of the table.
    if (at < headerAt) return row;
    return `${row}${blank}${delimiter}${at === headerAt ? reasonColumn : ''}`;
  });
}

/**
 * The text of a rejected record with its problems in the last column, or in the last field of its object. They replace
 * the reasons of an earlier push; other cells are unchanged. `writable` replaces characters that the charset lacks.
 */
export function recordWithReasons(
  raw: string,
  problems: readonly Fault[],
  format: SourceFormat,
  writable: (text: string) => string,
): string {
  const reasons = writable(reasonsOf(problems));
  return format.format === 'csv' ? rowWithReasons(raw, reasons, format) : objectWithReasons(raw, reasons);
}

function rowWithReasons(raw: string, reasons: string, format: SourceFormat): string {
  const { delimiter, surplusCells, reasonAt } = format;
  const row = reasonAt === undefined ? raw : withoutReasons(raw, delimiter, reasonAt);
  const missing = delimiter.repeat(Math.max(0, -surplusCells));
  // In a file without quotes, a quote here would change how the other cells are read.
  const plain = reasons.replace(/["\r\n]/g, ' ').replaceAll(delimiter, delimiter === ';' ? ',' : ';');
  return `${row}${missing}${delimiter}${inertCell(plain)}`;
}

/** Start of the reason for a row with more or fewer cells than its header. */
const raggedReason = /^"?this row has \d/;

/**
 * Removes the earlier reasons of a row. They are its last cell, before blank ones that a spreadsheet may have added. In
 * a row that is too short, the last cell is a reason only if it begins like `raggedReason`.
 */
function withoutReasons(raw: string, delimiter: string, reasonAt: number): string {
  const ends = cellEnds(raw, delimiter);
  let last = ends.length - 1;
  const cell = (at: number) => raw.slice(at === 0 ? 0 : (ends[at - 1] ?? 0) + 1, ends[at]);
  while (last > reasonAt && cell(last).trim() === '') last -= 1;
  if (last < reasonAt && !raggedReason.test(cell(last))) return raw;
  return raw.slice(0, ends[last - 1] ?? 0);
}

/** The index at which each cell of a row ends. */
function cellEnds(raw: string, delimiter: string): readonly number[] {
  const ends: number[] = [];
  for (let at = 0; ; ) {
    const end = raw.indexOf(delimiter, raw[at] === '"' ? Math.max(at, endOfQuotedCell(raw, at)) : at);
    ends.push(end === -1 ? raw.length : end);
    if (end === -1) return ends;
    at = end + 1;
  }
}

function objectWithReasons(raw: string, reasons: string): string {
  const value = parseJson(raw);
  if (!isJsonObject(value)) return raw;
  // Most objects have no reasons yet. In others, the field may be anywhere and in any notation.
  const object = Object.hasOwn(value, reasonColumn) ? withoutField(raw) : raw;
  const begun = object.slice(0, object.lastIndexOf('}')).trimEnd();
  const end = object.slice(begun.length);
  return `${begun}${begun.endsWith('{') ? '' : ','}"${reasonColumn}":${JSON.stringify(reasons)}${end}`;
}

const fieldValue = String.raw`\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)`;
/** The field of reasons, with the comma before it or, if it is the first field, after it. */
const reasonsField = new RegExp(
  `,\\s*"${reasonColumn}"${fieldValue}|"${reasonColumn}"${fieldValue}\\s*,?`,
  'gs',
);

/** Removes the field of reasons from the text of a JSON object. Fields of nested objects stay. */
function withoutField(raw: string): string {
  for (const { 0: field, index } of raw.matchAll(reasonsField)) {
    const rest = raw.slice(0, index) + raw.slice(index + field.length);
    const value = parseJson(rest);
    if (isJsonObject(value) && !Object.hasOwn(value, reasonColumn)) return rest;
  }
  return raw;
}

/** The problems of a record and their remedies as one text. */
function reasonsOf(problems: readonly Fault[]): string {
  return problems
    .map(({ column, reason, remedy }) => {
      const what = [column, reason].filter(Boolean).join(': ');
      return [what, String(remedy)].filter(Boolean).join('; ');
    })
    .join(' / ');
}
