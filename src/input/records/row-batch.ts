import { csvRow } from '../../base/csv-row.ts';
import type { Cell, TypedCell } from './cell.ts';
import type { Fault } from './problem.ts';

/** A record of the file: cells in the order of the header. */
export interface InputRow {
  readonly line: number;
  readonly cells: readonly Cell[];
  /** By column, the workbook cells that are not text; without it all are text or whole numbers as typed. */
  readonly typed?: ReadonlyMap<number, TypedCell>;
  /** By column, the ranges of merged cells of a workbook that begin above the row and give it their value. */
  readonly merged?: ReadonlyMap<number, string>;
  /** The text that the row was read from; of JSON and workbooks only with `keepRaw`. */
  readonly raw?: string;
  /** Why the row cannot be read; its cells may be missing. */
  readonly problem?: Fault;
}

/**
 * Consecutive rows of a file. From batch to batch `header` may grow (each JSON record can add columns), but its columns
 * never change.
 */
export interface RowBatch {
  readonly header: readonly string[];
  /** The line of the header, or of the record that added its last column. */
  readonly headerLine: number;
  /** Whether no later batch can add a column. */
  readonly isHeaderWhole: boolean;
  /**
   * How many cells every row has beyond the header, all blank; negative if it has fewer. Omitted if the widths agree.
   */
  readonly surplusCells?: number | undefined;
  /** The first cell of a workbook with a value right of its header, which is not read; given once. */
  readonly beyondHeader?: string | undefined;
  readonly rows: readonly InputRow[];
  /** Why the rest of the file cannot be read; only of the last batch. */
  readonly end?: Fault | undefined;
  /** Whether the last line lacks the line end that all others have. */
  readonly lacksLineEnd?: boolean;
  /** How the file is written, as far as it is known; only with `keepRaw`. */
  readonly sourceFormat?: SourceFormat | undefined;
}

/** The batch of a file, or of its rest, that cannot be read. */
export function brokenBatch(problem: Fault): RowBatch {
  return { header: [], headerLine: 1, isHeaderWhole: true, rows: [], end: problem };
}

/** How a file is written, so that its rows can be written in the same form. */
export interface SourceFormat {
  readonly format: 'csv' | 'json' | 'ndjson';
  /** Whether the file is a workbook: its rows are written as CSV in which Excel leaves each cell unchanged. */
  readonly isOfWorkbook: boolean;
  /** Whether the text begins with a byte-order mark. */
  readonly hasByteOrderMark: boolean;
  /** Empty for JSON. */
  readonly delimiter: string;
  readonly lineEnd: string;
  /** The rows up to the header and the guides below it, without line ends; empty for JSON. */
  readonly head: readonly string[];
  /** The index of the header in `head`. */
  readonly headerAt: number;
  /** How many cells every record has beyond the header as it is written; negative if it has fewer. */
  readonly surplusCells: number;
  /** The last column, if it holds reasons, as in rejects that are pushed again. */
  readonly reasonAt?: number | undefined;
}

/** The last column of rejects, or the last field of their objects. It is ignored wherever it is read. */
export const reasonColumn = 'reviewctl-reason';

/** The last column of a header, if it is that of reasons. */
export function reasonIn(header: readonly string[]): number | undefined {
  return header.at(-1)?.trim() === reasonColumn ? header.length - 1 : undefined;
}

/** The text of a row of CSV with these cells, without a line end. */
export function writeRow(cells: readonly Cell[], { delimiter, isOfWorkbook }: SourceFormat): string {
  const texts = cells.map((cell) => (typeof cell === 'string' ? cell : ''));
  return csvRow(isOfWorkbook ? texts.map(keptByExcel) : texts, delimiter);
}

/**
 * Matches numbers and dates except short plain numbers: Excel converts such cells on opening, so that they lose zeros
 * or digits, or become dates.
 */
const changedByExcel = /^(?!-?(?:0|[1-9]\d{0,10})$)[-+]?\d[\d\s.,:/-]*(?:E[-+]?\d+)?$/i;

/** A cell in a form that Excel does not change; `withoutFormula` of the columns reverses it. */
function keptByExcel(cell: string): string {
  return changedByExcel.test(cell) ? `="${cell}"` : cell;
}
