import type { Json, JsonObject } from '../../base/json.ts';

/**
 * The content of a column: `word` is an id or a status, `note` a reason, a change or a remedy, `share` a fraction of 1.
 * An `amount` is a count or a sum, with grouped digits; a list is shown as its length. A `number` (a line, an exit
 * code) is shown unchanged. Only `text` (a name, or free text) is ever cut: half an id or number would be wrong. A note
 * that does not fit is wrapped below its row.
 */
type ColumnKind = 'text' | 'note' | 'number' | 'amount' | 'date' | 'boolean' | 'word' | 'share';

/** One column of a table. */
export interface Column {
  readonly header: string;
  /** Dotted path into the record. */
  readonly path: string;
  /** By default a date if the name says so, a number if the first rows hold only numbers, else text. */
  readonly kind?: ColumnKind;
  /** Minimum cells of a text column. */
  readonly width?: number;
  /** Digits after the decimal point of a number column, if fixed. */
  readonly decimals?: number;
  /** Formats the value of a record; by default text is unchanged, and lists and objects are JSON. */
  readonly inWords?: (value: Json | undefined, record: JsonObject) => string;
  /** True if the column may be dropped when the line is too narrow; the last one is dropped first. */
  readonly isOptional?: boolean;
}

type Look = Omit<Column, 'header' | 'path' | 'kind'>;

function columnsOf(kind: ColumnKind) {
  return (header: string, path = header, look: Look = {}): Column => ({ header, path, kind, ...look });
}

export const word = columnsOf('word');
export const number = columnsOf('number');
export const text = columnsOf('text');
export const date = columnsOf('date');
export const note = columnsOf('note');
export const amount = columnsOf('amount');
export const flag = columnsOf('boolean');
export const share = columnsOf('share');

export const optional: Look = { isOptional: true };

/** The way to show the records of one kind. */
export interface View {
  /** The singular: `review`. */
  readonly noun: string;
  readonly columns: readonly Column[];
  /** Every field of the record, in the document's order, nested ones dotted; also the names that `--fields` accepts. */
  readonly csvColumns: readonly string[];
  /** Dotted path of the id that `-o ids` prints. */
  readonly id: string;
  /** Decides which records a table shows, and where; by default all of them as they come. */
  readonly attention?: (record: JsonObject) => Attention;
}

/**
 * The attention that a record needs from the reader of a table. On a terminal, `person` records come last, next to the
 * totals; the first ten `creation` records are examples; `none` is only counted. A table in a pipe shows all of these
 * as they come. `success` is only counted anywhere.
 */
export type Attention = 'person' | 'change' | 'creation' | 'none' | 'success';
