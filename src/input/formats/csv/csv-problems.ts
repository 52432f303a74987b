import { quoted } from '../../records/cell.ts';
import type { Problem } from '../../records/problem.ts';
import { rowMaximum } from './csv-rows.ts';

/** The position of a problem in a delimited text. */
interface Location {
  readonly file: string;
  readonly line: number;
}

type Words = Pick<Problem, 'reason' | 'remedy'>;

const brokenRows = {
  'unclosed-quote': {
    reason: 'a quote opened in this row is never closed',
    remedy: 'close the quote; quotes inside a quoted cell are doubled ("")',
  },
  'text-after-quote': {
    reason: 'text follows the closing quote of a cell',
    remedy: 'double the quotes inside a quoted cell (""), or look for an unclosed quote in the rows above',
  },
  'row-too-long': {
    reason: `the row that starts here is longer than ${rowMaximum} characters`,
    remedy: 'look for an unclosed quote, or shorten the row',
  },
} as const satisfies Record<string, Words>;

/** Faults that end the reading of a text, because the beginning of the next row is unknown. */
export type BrokenRow = keyof typeof brokenRows;

export function brokenRow({ file, line }: Location, code: BrokenRow): Problem {
  return { file, line, code, ...brokenRows[code] };
}

/** A row whose number of cells differs from that of the header, including blank ones at its end. */
export function raggedRow({ file, line }: Location, cells: readonly string[], headerWidth: number): Problem {
  const what = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
  const reason = `this row has ${what}, the header has ${headerWidth}`;
  const remedy =
    cells.length > headerWidth
      ? 'put the cell that holds the delimiter in quotes, or remove the surplus delimiter'
      : 'a delimiter is missing: give the row as many cells as the header, including blank ones';
  return { file, line, value: shownCells(cells), code: 'ragged-row', reason, remedy };
}

/** A row as wide as the others, with a value in a column without a name. */
export function namelessCell({ file, line }: Location, cells: readonly string[], names: number): Problem {
  return {
    file,
    line,
    value: shownCells(cells),
    code: 'ragged-row',
    reason: `this row has a value beyond the ${names === 1 ? 'column' : `${names} columns`} of the header`,
    remedy: 'name the column in the header, or put the cell that holds the delimiter in quotes',
  };
}

/** A quote within an unquoted cell, in a text whose writer quotes such cells. */
export function strayQuote({ file, line }: Location, strays: readonly string[]): Problem {
  return {
    file,
    line,
    value: shownCells(strays),
    code: 'stray-quote',
    reason:
      'there is a quote inside a cell that is not quoted: a delimiter or a quote may be missing before it',
    remedy:
      'insert the missing delimiter; a cell that contains quotes must be quoted, with its quotes doubled ("")',
  };
}

export function noHeader(file: string, headerRow: number): Problem {
  return {
    file,
    code: 'no-header',
    reason: `the file ends before line ${headerRow}, where its header should be`,
    remedy: 'give --header-row the line of the header, counted from 1',
  };
}

function shownCells(cells: readonly string[]): string {
  return quoted(cells.map((cell) => cell.trim()).join(' | '));
}
