import type { Notice, Problem } from '../../records/problem.ts';
import type { RowBatch } from '../../records/row-batch.ts';

/**
 * The problem of a header if all records have more or fewer cells and its columns are uncertain. Blank cells beyond the
 * header are harmless, unless one of its names that is not `used` reads as two (a delimiter is missing) or each row
 * begins with its number, as R and others write it. If rows have fewer cells, they may lack any columns.
 */
export function headerInDoubt(
  file: string,
  { header, headerLine: line, surplusCells = 0, rows }: RowBatch,
  used: ReadonlySet<number>,
  mayBeTwoNames: (column: string) => boolean,
): Problem | undefined {
  if (surplusCells === 0) return undefined;
  const isMore = surplusCells > 0;
  const isNumbered = surplusCells === 1 && areNumbered(rows);
  const isTwoNames = header.some((name, column) => !used.has(column) && mayBeTwoNames(name));
  if (isMore && !isTwoNames && !isNumbered) return undefined;
  const count = cellsOf(Math.abs(surplusCells));
  return {
    file,
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

/** Whether rows begin with their number, counted from 0 or 1, followed by an id. */
function areNumbered(rows: RowBatch['rows']): boolean {
  const records = rows.filter(({ problem }) => problem === undefined);
  const from = Number(records[0]?.cells[0]);
  if (from !== 0 && from !== 1) return false;
  return records.every(({ cells: [number, id] }, index) => {
    const isId = typeof id === 'string' && /^[^\s\d]*\d\S*$/.test(id);
    return isId && Number(number) === from + index;
  });
}

/** The notice on records that all have more cells than their header. */
export function rowEndsNotice(file: string, { surplusCells = 0 }: RowBatch): Notice {
  const count = cellsOf(surplusCells);
  const message = `every row of ${file} ends in ${count} more than the header, all blank; they are ignored`;
  return { code: 'row-ends', message };
}

function cellsOf(count: number): string {
  return count === 1 ? '1 cell' : `${count} cells`;
}
