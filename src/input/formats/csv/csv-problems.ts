import type { Problem } from '../../records/problem.ts';
import { quoted } from '../../records/quoted.ts';
import { rowMaximum } from './csv-rows.ts';

/** Where a problem of a delimited text stands. */
interface Location {
  readonly file: string;
  readonly line: number;
}

type Words = Pick<Problem, 'reason' | 'remedy'>;

const brokenRows = {
  'unclosed-quote': {
    reason: 'a quote opened in this row is never closed',
    remedy: 'close the quote; a quote inside a quoted cell is written twice ("")',
  },
  'text-after-quote': {
    reason: 'text follows the closing quote of a cell',
    remedy: 'write a quote inside a quoted cell twice (""), or look for an unclosed quote in the rows above',
  },
  'row-too-long': {
    reason: `the row that starts here is longer than ${rowMaximum} characters`,
    remedy: 'look for a quote that is opened and never closed, or shorten the row',
  },
} as const satisfies Record<string, Words>;

/** What ends the reading of a text: beyond it nobody knows where a row begins. */
export type BrokenRow = keyof typeof brokenRows;

export function brokenRow({ file, line }: Location, code: BrokenRow): Problem {
  return { file, line, code, ...brokenRows[code] };
}

/** A row with another number of cells than the header, blank ones at its end included. */
export function raggedRow({ file, line }: Location, cells: readonly string[], headerWidth: number): Problem {
  const what = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
  const reason = `this row has ${what}, the header has ${headerWidth}`;
  const remedy =
    cells.length > headerWidth
      ? 'put the cell that holds the delimiter in quotes, or remove the surplus delimiter'
      : 'give the row as many cells as the header, blank ones too: a delimiter is missing';
  return { file, line, value: shownCells(cells), code: 'ragged-row', reason, remedy };
}

/** A row that is as wide as the others and has a value where the header has no name. */
export function namelessCell({ file, line }: Location, cells: readonly string[], names: number): Problem {
  return {
    file,
    line,
    value: shownCells(cells),
    code: 'ragged-row',
    reason: `this row has a value beyond the ${names === 1 ? 'column' : `${names} columns`} the header names`,
    remedy: 'name the column in the header, or put the cell that holds the delimiter in quotes',
  };
}

/** A quote within an unquoted cell, which the writer of this text would have put in quotes. */
export function strayQuote({ file, line }: Location, strays: readonly string[]): Problem {
  return {
    file,
    line,
    value: shownCells(strays),
    code: 'stray-quote',
    reason: 'a quote is inside a cell that is not quoted: a delimiter or a quote may be missing before it',
    remedy:
      'put the missing delimiter back; a cell that holds quotes is put in quotes, and they are written twice ("")',
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
