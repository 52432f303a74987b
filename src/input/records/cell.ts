import type { Json } from '../../base/json.ts';
import type { ProblemCode } from './problem.ts';

/** The value of a column in one record; undefined if the record lacks the column. Text files have strings only. */
export type Cell = Json | undefined;

/** The kind of a workbook cell that is displayed as text but is not text. `plain` is its value as plain text. */
export type TypedCell =
  | { readonly kind: 'boolean' }
  /** Without `plain` if it has no day, as a mere time or a duration. */
  | { readonly kind: 'date'; readonly plain: string | undefined }
  /** Without `plain` if the displayed number differs from the stored one, as in `15%`. */
  | {
      readonly kind: 'number';
      readonly plain: string | undefined;
      /** True if it is a whole number displayed with all of its digits. */
      readonly isWhole: boolean;
      /**
       * Its value if the field is a date: the exact serial number counted from 1900, or digits such as 20260930.
       * Omitted if it equals `plain`.
       */
      readonly day?: string;
    }
  /** A number with more digits than Excel stores. */
  | { readonly kind: 'too-long' }
  /** A number whose displayed text is unknown: its format is unreadable, or missing in the workbook. */
  | { readonly kind: 'unformatted' }
  /** An error, or a formula without a result; `place` is the cell: `Sheet1!B7`. */
  | { readonly kind: 'error' | 'uncalculated'; readonly place: string }
  /** A cell merged with other columns; `place` is the range: `B2:C2`. */
  | { readonly kind: 'merged'; readonly place: string };

/** True if a cell has a value: it exists, and is neither null nor blank text. */
export function isFilled(cell: Cell): cell is Exclude<Json, null> {
  if (cell === undefined || cell === null || cell === '') return false;
  // Checking the first character saves trimming nearly all cells.
  return typeof cell !== 'string' || !mayBeBlank(cell.charCodeAt(0)) || cell.trim() !== '';
}

function mayBeBlank(code: number): boolean {
  return code <= 0x20 || code >= 0xa0;
}

const plainId = /^(?!\d+E-\d+$|[a-z]{3,5}-\d\d$)[\w/-]*\d$/i;

/**
 * True if a cell is certainly an id, as nearly all are: ASCII letters, digits and a few signs, with a digit at the end,
 * and neither a date nor a number as Excel writes them (`Oct-24`, `1E-5`). `readId` returns such a cell unchanged. A
 * row with such a cell is neither a header nor a total.
 */
export function isPlainId(cell: string): boolean {
  return plainId.test(cell);
}

/** Maximum number of characters of a cell to quote in a problem. */
const quotedMaximum = 80;

/**
 * A cell as problems quote it. The text is copied, because a substring would keep the piece of the file in memory.
 */
export function quoted(cell: Json): string {
  const written = typeof cell === 'string' ? cell : JSON.stringify(cell);
  const shown = written.length > quotedMaximum ? `${beginningOf(written)}…` : written;
  return Buffer.from(shown, 'utf16le').toString('utf16le');
}

/** The beginning of a text, without splitting surrogate pairs. */
function beginningOf(text: string): string {
  return Array.from(text.slice(0, 2 * quotedMaximum))
    .slice(0, quotedMaximum - 1)
    .join('');
}

/** Why something is refused, and how to correct it. It is a value, so that parsing a cell never throws. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly reason: string;
  readonly remedy: string;
}

export function refuse(code: ProblemCode, reason: string, remedy: string): Refusal {
  return { code, reason, remedy };
}

/** True if a cell was refused. Refusals are plain objects; field values never are. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
