import { csvRow } from '../../base/csv-row.ts';
import type { Cell, TypedCell } from './cell.ts';
import type { Fault } from './problem.ts';

/** A row of the file: its cells in the order of the header. */
export interface InputRow {
  readonly line: number;
  readonly cells: readonly Cell[];
  /** The cells with rounded JSON numbers as text, digit by digit. Without it, no cell is rounded. */
  readonly exactCells?: () => readonly Cell[];
  /** By column: the workbook cells that are not text. Without it, all cells are text, or whole numbers as typed. */
  readonly typed?: ReadonlyMap<number, TypedCell>;
  /** By column: the merged range that supplies the value, if it begins in a row above. */
  readonly merged?: ReadonlyMap<number, string>;
  /** Text of the row in the file; for JSON and workbooks only with `keepRaw`. */
  readonly raw?: string;
  /** Why the row cannot be read; its cells may be missing. */
  readonly problem?: Fault;
}

/**
 * Consecutive rows of a file. `header` may grow from batch to batch, because each JSON record can add columns, but its
 * columns never change.
 */
export interface RowBatch {
  readonly header: readonly string[];
  /** Line of the header, or of the record that added its last column. */
  readonly headerLine: number;
  /** True if no later batch can add a column. */
  readonly isHeaderWhole: boolean;
  /** Number of blank cells that every row has beyond the header; negative if it has fewer. Omitted if widths agree. */
  readonly surplusCells?: number | undefined;
  /** First cell of a sheet with a value right of the header, which is not read; only in one batch. */
  readonly beyondHeader?: string | undefined;
  readonly rows: readonly InputRow[];
  /** Why the rest of the file cannot be read; only in the last batch. */
  readonly end?: Fault | undefined;
  /** True if the last line lacks the line end that all others have. */
  readonly lacksLineEnd?: boolean;
  /** Notation of the file, as far as it is known; only with `keepRaw`. */
  readonly sourceFormat?: SourceFormat | undefined;
}

/** The batch that stands for a file, or the rest of one, that cannot be read. */
export function brokenBatch(problem: Fault): RowBatch {
  return { header: [], headerLine: 1, isHeaderWhole: true, rows: [], end: problem };
}

/** The notation of a file, so that its rows can be written in the same form. */
export interface SourceFormat {
  readonly format: 'csv' | 'json' | 'ndjson';
  /** True if the file is a workbook, whose rows are written as CSV that Excel does not change. */
  readonly isOfWorkbook: boolean;
  /** True if the text begins with a byte-order mark. */
  readonly hasByteOrderMark: boolean;
  /** Empty for JSON. */
  readonly delimiter: string;
  readonly lineEnd: string;
  /** Rows up to the header and the guides below it, without line ends; empty for JSON. */
  readonly head: readonly string[];
  /** Index of the header in `head`. */
  readonly headerAt: number;
  /** Number of cells that every record has beyond the header as written; negative if it has fewer. */
  readonly surplusCells: number;
  /** Index of the last column, if it holds reasons, as in rejects that are pushed again. */
  readonly reasonAt?: number | undefined;
}

/** The last column of rejects, or the last field of their objects. It is ignored on reading. */
export const reasonColumn = 'reviewctl-reason';

/** Index of the last column of a header, if it is the column of reasons. */
export function reasonIn(header: readonly string[]): number | undefined {
  return header.at(-1)?.trim() === reasonColumn ? header.length - 1 : undefined;
}

/** Writes cells as a row of CSV, without a line end. */
export function writeRow(cells: readonly Cell[], { delimiter, isOfWorkbook }: SourceFormat): string {
  const texts = cells.map((cell) => (typeof cell === 'string' ? cell : ''));
  return csvRow(isOfWorkbook ? texts.map(keptByExcel) : texts, delimiter);
}

/**
 * Matches numbers and dates, except short plain numbers. Excel converts such cells on opening, so that they lose zeros
 * or digits, or become dates.
 */
const changedByExcel = /^(?!-?(?:0|[1-9]\d{0,10})$)[-+]?\d[\d\s.,:/-]*(?:E[-+]?\d+)?$/i;

/** Protects a cell from changes by Excel. `withoutFormula` of the columns reverses it. */
function keptByExcel(cell: string): string {
  return changedByExcel.test(cell) ? `="${cell}"` : cell;
}
