import { type Cell, quoted, refuse } from '../../records/cell.ts';
import type { Fault, Notice } from '../../records/problem.ts';
import type { RowBatch } from '../../records/row-batch.ts';
import { rowMaximum } from './csv-rows.ts';

/* Faults that end the reading of a text, because the start of the next row is unknown. */

export const unclosedQuote = refuse(
  'unclosed-quote',
  'a quote opened in this row is never closed',
  'close the quote; quotes inside a quoted cell are doubled ("")',
);
export const textAfterQuote = refuse(
  'text-after-quote',
  'text follows the closing quote of a cell',
  'double the quotes inside a quoted cell (""), or look for an unclosed quote in the rows above',
);
export const rowTooLong = refuse(
  'row-too-long',
  `the row that starts here is longer than ${rowMaximum} characters`,
  'look for an unclosed quote, or shorten the row',
);

export const dividingLine = refuse('rule-row', 'this row is a dividing line, not a record', 'remove the row');

/** True if a cell is blank or part of a dividing line, as database tools print them. */
export function isRule(cell: Cell): boolean {
  return cell === undefined || (typeof cell === 'string' && /^[-=_+*~:|\s─━═–—]*$/.test(cell));
}

/** The fault of a row with more or fewer cells than the header, counting blank ones at its end. */
export function raggedRow(line: number, cells: readonly string[], headerWidth: number): Fault {
  if (cells.every(isRule)) return { line, value: shownCells(cells), ...dividingLine };
  const reason = `this row has ${cellsOf(cells.length)}, the header has ${headerWidth}`;
  const remedy =
    cells.length > headerWidth
      ? 'put the cell that contains the delimiter in quotes, or remove the surplus delimiter'
      : 'a delimiter is missing: give the row as many cells as the header, including blank ones';
  return { line, value: shownCells(cells), code: 'ragged-row', reason, remedy };
}

/** The fault of a row that is as wide as the others but has a value in a column without a name. */
export function namelessCell(line: number, cells: readonly string[], names: number): Fault {
  return {
    line,
    value: shownCells(cells),
    code: 'ragged-row',
    reason: `this row has a value beyond the ${names === 1 ? 'column' : `${names} columns`} of the header`,
    remedy: 'name the column in the header, or put the cell that contains the delimiter in quotes',
  };
}

/** The fault of a quote within an unquoted cell, in a text that otherwise quotes such cells. */
export function strayQuote(line: number, strays: readonly string[]): Fault {
  return {
    line,
    value: shownCells(strays),
    code: 'stray-quote',
    reason:
      'there is a quote inside a cell that is not quoted: a delimiter or a quote may be missing before it',
    remedy:
      'insert the missing delimiter; a cell that contains quotes must be quoted, with its quotes doubled ("")',
  };
}

export function noHeader(headerRow: number, isSheet = false): Fault {
  const [what, line] = isSheet ? ['sheet', 'row'] : ['file', 'line'];
  return {
    code: 'no-header',
    reason: `the ${what} ends before ${line} ${headerRow}, where its header should be`,
    remedy: `set --header-row to the ${line} of the header, counted from 1`,
  };
}

function shownCells(cells: readonly string[]): string {
  return quoted(cells.map((cell) => cell.trim()).join(' | '));
}

/**
 * The problem of a header if all records have more or fewer cells, so that the columns are uncertain. Blank cells
 * beyond the header are harmless, with two exceptions: an unused name reads as two (a delimiter is missing), or each
 * row begins with its number, as R and others write it. If rows have fewer cells, any column may be missing.
 */
export function headerInDoubt(
  { header, headerLine: line, surplusCells = 0, rows }: RowBatch,
  used: ReadonlySet<number>,
  mayBeTwoNames: (column: string) => boolean,
): Fault | undefined {
  if (surplusCells === 0) return undefined;
  const isMore = surplusCells > 0;
  const isNumbered = surplusCells === 1 && areNumbered(rows);
  const isTwoNames = header.some((name, column) => !used.has(column) && mayBeTwoNames(name));
  if (isMore && !isTwoNames && !isNumbered) return undefined;
  const count = cellsOf(Math.abs(surplusCells));
  return {
    line,
    value: header.slice(-3).join(' | '),
    code: 'header-width',
    reason:
      `every row has ${count} ${isMore ? 'more' : 'fewer'} than the header, so it is uncertain ` +
      'which name belongs to which column',
    remedy: isMore
      ? 'if every row ends in a surplus delimiter, end the header with one as well; otherwise ' +
        'insert the missing delimiter in the header'
      : 'if the rows have another delimiter than the header, or quotes around a whole row, correct that; if they ' +
        'leave out the last columns, remove their names from the header',
  };
}

/** True if each row begins with its number, counted from 0 or 1, followed by an id. */
function areNumbered(rows: RowBatch['rows']): boolean {
  const records = rows.filter(({ problem }) => problem === undefined);
  const from = Number(records[0]?.cells[0]);
  if (from !== 0 && from !== 1) return false;
  return records.every(({ cells: [number, id] }, index) => {
    const isId = typeof id === 'string' && /^[^\s\d]*\d\S*$/.test(id);
    return isId && Number(number) === from + index;
  });
}

/** The notice if all records have more cells than their header. */
export function rowEndsNotice(file: string, { surplusCells = 0 }: RowBatch): Notice {
  const count = cellsOf(surplusCells);
  const message = `every row of ${file} ends in ${count} more than the header, all blank; they are ignored`;
  return { code: 'row-ends', message };
}

function cellsOf(count: number): string {
  return count === 1 ? '1 cell' : `${count} cells`;
}
