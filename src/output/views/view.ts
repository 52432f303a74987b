import type { Json, JsonObject } from '../../base/json.ts';

/**
 * What a column holds; `word` is an id or a status, `share` a part of 1 and `bar` the same drawn. Numbers stand right, and of a
 * list its length is the number. Only `text` is ever cut, since half an id or half a number is none.
 */
type ColumnKind = 'text' | 'number' | 'date' | 'boolean' | 'word' | 'share' | 'bar';

/** One column of a table. */
export interface Column {
  readonly header: string;
  /** Dotted path into the record. */
  readonly path: string;
  /** Left out: a number if the first rows hold nothing but numbers, else text. */
  readonly kind?: ColumnKind;
  /** Cells below which a text column is not squeezed, and that a whole bar takes. */
  readonly width?: number;
  /** Digits behind the point of a number column, where all are to have as many. */
  readonly decimals?: number;
  /** The words for its values; left out, text as it stands, and lists and objects as JSON. */
  readonly inWords?: (value: Json | undefined) => string;
  /** Whether the column may go when the line is too narrow for all; of several the last goes first. */
  readonly isOptional?: boolean;
}

/** How the records of one kind are shown. */
export interface View {
  /** One of them: `review`. */
  readonly noun: string;
  readonly columns: readonly Column[];
  /** Every field of the record, in the document's order, nested ones dotted; also what `--fields` knows. */
  readonly csvColumns: readonly string[];
  /** Dotted path of what `-o ids` prints. */
  readonly id: string;
  /** A whole record as JSON, where that can be had faster than by looking for its fields; the same text as `JSON.stringify` makes. */
  readonly json?: (record: JsonObject) => string;
  /** Which records a table shows; all of them when left out. */
  readonly needsAttention?: (record: JsonObject) => boolean;
}
