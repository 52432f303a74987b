import type { Json } from '../../base/json.ts';

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
