import type { Json } from '../../base/json.ts';
import type { ProblemCode } from './problem.ts';

/** The value of a column in one record; undefined if the record lacks the column. Text files give strings only. */
export type Cell = Json | undefined;

/** The kind of a workbook cell that is shown as text but is not text. `plain` is its value as plain text. */
export type TypedCell =
  | { readonly kind: 'boolean' }
  /** Without `plain` if it has no day: a time alone, a duration. */
  | { readonly kind: 'date'; readonly plain: string | undefined }
  /** Without `plain` if the number shown differs from the stored one, as `15%`. */
  | {
      readonly kind: 'number';
      readonly plain: string | undefined;
      /** Whether it is a whole number that is shown with all of its digits. */
      readonly isWhole: boolean;
      /**
       * Its value as a date, which may be displayed rounded: the serial number of a day, counted from 1900, or digits.
       * Omitted if it equals `plain`.
       */
      readonly day?: string;
    }
  /** A number with more digits than Excel stores. */
  | { readonly kind: 'too-long' }
  /** A number with an unreadable format, or one that the workbook lacks, so that its display is unknown. */
  | { readonly kind: 'unformatted'; readonly isMissing?: true }
  /** An error, or a formula without a result; `place` is the cell: `Sheet1!B7`. */
  | { readonly kind: 'error' | 'uncalculated'; readonly place: string }
  /** One of merged cells in several columns; `place` is their range: `B2:C2`. */
  | { readonly kind: 'merged'; readonly place: string };

/** Whether a cell has a value: it exists, and is neither null nor blank text. */
export function isFilled(cell: Cell): cell is Exclude<Json, null> {
  if (cell === undefined || cell === null || cell === '') return false;
  // Checking the first character avoids trimming nearly all cells.
  return typeof cell !== 'string' || !mayBeBlank(cell.charCodeAt(0)) || cell.trim() !== '';
}

function mayBeBlank(code: number): boolean {
  return code <= 0x20 || code >= 0xa0;
}

const plainId = /^(?!\d+E-\d+$|[a-z]{3,5}-\d\d$)[\w/-]*\d$/i;

/**
 * Whether a cell is certainly an id, as nearly all ids are: ASCII letters, digits and a few signs, with a digit at the
 * end, and neither a date (`Oct-24`) nor a number as Excel writes them (`1E-5`). `readId` returns such a cell
 * unchanged, and a row with such a cell is neither a header nor a total.
 */
export function isPlainId(cell: string): boolean {
  return plainId.test(cell);
}

/** The most characters of a cell that a problem quotes. */
const quotedMaximum = 80;

/**
 * A cell as a problem quotes it. The text is copied, because a substring would keep the whole piece of the file in
 * memory.
 */
export function quoted(cell: Json): string {
  const written = typeof cell === 'string' ? cell : JSON.stringify(cell);
  const shown = written.length > quotedMaximum ? `${beginningOf(written)}…` : written;
  return Buffer.from(shown, 'utf16le').toString('utf16le');
}

/** The first characters, without splitting surrogate pairs. */
function beginningOf(text: string): string {
  return Array.from(text.slice(0, 2 * quotedMaximum))
    .slice(0, quotedMaximum - 1)
    .join('');
}

/** Why something is refused, and how to correct it. A value, so that parsing a cell never throws. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly reason: string;
  readonly remedy: string;
}

export function refuse(code: ProblemCode, reason: string, remedy: string): Refusal {
  return { code, reason, remedy };
}

/** Whether a cell was refused: the values of fields are texts, numbers, booleans and lists. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
