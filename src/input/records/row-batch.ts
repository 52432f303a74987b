import type { Cell, TypedCell } from './cell.ts';
import type { IdLineReader, ReadIdRecords } from './id-lines.ts';
import type { Problem } from './problem.ts';

/** A record as the file has it: cells in the order of the header. */
export interface InputRow {
  readonly line: number;
  readonly cells: readonly Cell[];
  /** By column, what cells of a workbook are that are no text; without it all are text or whole numbers as they were typed. */
  readonly typed?: ReadonlyMap<number, TypedCell>;
  /** The text the row was read from, only with `keepRaw`. */
  readonly raw?: string;
}

/**
 * A batch of a file. `header` may grow from one batch to the next (JSON records name their columns as they come)
 * but never changes what it holds. A problem that ends the reading of the file is the last one of the last batch.
 */
export interface RowBatch {
  readonly header: readonly string[];
  /** The line of the header, or of the record that named its newest column. */
  readonly headerLine: number;
  /** Whether no later batch will add a column. */
  readonly isHeaderWhole: boolean;
  /** How many cells more than the header every row has, all blank; fewer where it is below 0. None where it is left out. */
  readonly surplusCells?: number;
  readonly rows: readonly InputRow[];
  /** In place of rows, those that the reader of lines of ids could take. */
  readonly idRecords?: ReadIdRecords;
  /** Takes lines of ids from here on, once it is told which; only with `hasIdColumns`. */
  readonly idLines?: IdLineReader;
  readonly problems: readonly Problem[];
  /** Whether the last problem ended the reading, so that nothing is known of the rest of the file. */
  readonly isBroken?: boolean;
  /** The rows that problems speak of and that are not among `rows`, only with `keepRaw`. */
  readonly unread?: readonly InputRow[];
  /** How the file is written, as far as it is known, only with `keepRaw`. */
  readonly sourceFormat?: SourceFormat;
}

/** How a file is written: what it takes to write rows of it again as they were. */
export interface SourceFormat {
  readonly format: 'csv' | 'json' | 'ndjson';
  /** Whether the rows are those of a workbook: they are written as CSV, in which Excel keeps each cell as it is. */
  readonly isOfWorkbook: boolean;
  /** Whether the text begins with a byte-order mark. */
  readonly hasByteOrderMark: boolean;
  /** Empty for JSON. */
  readonly delimiter: string;
  readonly lineEnd: string;
  /** The rows up to the header, each with its line end; empty for JSON. */
  readonly header: string;
}
