import type { Json, JsonObject } from '../../base/json.ts';

/**
 * The content of a column: `word` is an id or a status, `note` a reason, a change or a remedy, `share` a part of
 * 1. An `amount` is a count or a sum, with its digits in groups; a list is shown as its length. A `number` (a line, an
 * exit code) is shown as it is. Only `text` (a name, or what a person wrote) is ever cut: half an id or number would be
 * wrong. A note that does not fit is wrapped below its row.
 */
type ColumnKind = 'text' | 'note' | 'number' | 'amount' | 'date' | 'boolean' | 'word' | 'share';

/** One column of a table. */
export interface Column {
  readonly header: string;
  /** Dotted path into the record. */
  readonly path: string;
  /** Left out: a date by its name, a number if the first rows hold nothing but numbers, else text. */
  readonly kind?: ColumnKind;
  /** Cells below which a text column is not squeezed. */
  readonly width?: number;
  /** Digits behind the point of a number column, where all are to have as many. */
  readonly decimals?: number;
  /** Formats its value of a record; by default text as it is, and lists and objects as JSON. */
  readonly inWords?: (value: Json | undefined, record: JsonObject) => string;
  /** Whether the column may go when the line is too narrow for all; of several the last goes first. */
  readonly isOptional?: boolean;
}

type Look = Omit<Column, 'header' | 'path' | 'kind'>;

function columnsOf(kind: ColumnKind) {
  return (header: string, path = header, look: Look = {}): Column => ({ header, path, kind, ...look });
}

/** Columns by what they hold. */
export const word = columnsOf('word');
export const number = columnsOf('number');
export const text = columnsOf('text');
export const date = columnsOf('date');
export const note = columnsOf('note');
export const amount = columnsOf('amount');
export const flag = columnsOf('boolean');
export const share = columnsOf('share');

/** The look of a column that may go. */
export const optional: Look = { isOptional: true };

/** How the records of one kind are shown. */
export interface View {
  /** One of them: `review`. */
  readonly noun: string;
  readonly columns: readonly Column[];
  /** Every field of the record, in the document's order, nested ones dotted; also what `--fields` knows. */
  readonly csvColumns: readonly string[];
  /** Dotted path of what `-o ids` prints. */
  readonly id: string;
  /** Which records a table shows, and where; all of them as they come when left out. */
  readonly attention?: (record: JsonObject) => Attention;
}

/**
 * What a record asks of the reader of a table. On a terminal `person` ones come last, next to the totals, of `creation`
 * ones the first ten are examples, and `none` are only counted; a table in a pipe shows all of these as they come.
 * `success` is only counted anywhere.
 */
export type Attention = 'person' | 'change' | 'creation' | 'none' | 'success';
