import type { Json } from '../../base/json.ts';

/** What a column holds for one record; undefined where the record lacks the column. Files of text give strings only. */
export type Cell = Json | undefined;

/** What a cell of a workbook is that is shown as text and is none. `plain` is how a text would say the same. */
export type TypedCell =
  | { readonly kind: 'boolean' }
  /** Without `plain` where no day is known: a time alone, a duration. */
  | { readonly kind: 'date'; readonly plain: string | undefined }
  /** Without `plain` where another number is shown than the one that is kept, as `15%`. */
  | {
      readonly kind: 'number';
      readonly plain: string | undefined;
      readonly isWhole: boolean;
      /** The same where it numbers a day, as days are numbered from 1900; left out where it is `plain`. */
      readonly day?: string;
    }
  /** A number of more digits than are kept. */
  | { readonly kind: 'too-long' }
  /** A number whose format nobody can read, so that what is shown is not known. */
  | { readonly kind: 'unformatted' }
  /** An error, or a formula without a result; `place` is the cell: `Sheet1!B7`. */
  | { readonly kind: 'error' | 'uncalculated'; readonly place: string };
