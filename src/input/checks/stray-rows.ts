import { rowOfTotals } from '../cells/id.ts';
import { dividingLine, isRule } from '../formats/csv/csv-problems.ts';
import type { Column } from '../mapping/column.ts';
import { type Cell, isFilled, quoted, type Refusal, refuse } from '../records/cell.ts';
import { comparisonKey } from '../records/headers.ts';
import type { Fault } from '../records/problem.ts';
import type { InputRow } from '../records/row-batch.ts';

/** A row between the records that is not a record. */
export interface StrayRow {
  readonly problem: Fault;
  /** True if another table begins here, so that the header above does not apply to the rows below. */
  readonly isEnd: boolean;
}

/**
 * Finds the rows of a table that are not records: a repeated or another header, a dividing line, totals, a guide to the
 * columns. The function returned must see the rows in order; it returns undefined for a record.
 */
export function strayRowFinder(
  header: readonly string[],
  columns: readonly Column[],
): (row: InputRow) => StrayRow | undefined {
  const keys = header.map(comparisonKey);
  const ids = columns.filter(({ field }) => field.type === 'id');
  const idColumns = [...new Set(ids.flatMap(({ indexes }) => indexes))];
  let isFirst = true;

  /** True if an id cell has no digit, unlike nearly all ids, or equals its header. */
  const isOdd = (cell: Cell, column: number) =>
    typeof cell !== 'string' || !/\d/.test(cell) || cell === header[column];
  /** True if an id cell may be the name of an id column. */
  const mayBeName = (cell: Cell, column: number) =>
    typeof cell === 'string' &&
    cell !== '' &&
    (cell === header[column] || (cell.length <= longestName && isOdd(cell, column)));
  const isHeaderCell = (cell: Cell, column: number) =>
    typeof cell === 'string'
      ? cell.trim() === '' || comparisonKey(cell) === keys[column]
      : cell === undefined;
  /** True if the cells are names of this header, in any order. A single name may be a value. */
  const areNames = (cells: readonly Cell[]) => {
    const texts = cells.filter((cell): cell is string => typeof cell === 'string' && cell.trim() !== '');
    return texts.length > 1 && texts.every((cell) => keys.includes(comparisonKey(cell)));
  };
  const refusalOf = (cells: readonly Cell[]): Refusal | undefined => {
    if (!idColumns.some((column) => isOdd(cells[column], column))) return undefined;
    if (cells.every(isRule)) return dividingLine;
    if (idColumns.some((column) => isSum(cells[column])) && isOfNumbers(cells)) return rowOfTotals;
    if (!idColumns.some((column) => mayBeName(cells[column], column))) return undefined;
    if (cells.every(isHeaderCell)) return repeatedHeader;
    const isOther = idColumns.some((column) => isIdName(cells[column])) || areNames(cells);
    return isOther ? secondHeader : undefined;
  };

  return ({ cells, line }) => {
    const wasFirst = isFirst;
    isFirst = false;
    const found = wasFirst && isGuide(cells) ? guideRow : refusalOf(cells);
    if (found === undefined) return undefined;
    const isEnd = found === secondHeader;
    const { remedy, ...about } = isEnd && !wasFirst ? otherTable : found;
    const value = quoted(cells.filter((cell) => typeof cell === 'string').join(' | '));
    return { problem: { line, value, ...about, remedy: remedy.replace('LINE', String(line)) }, isEnd };
  };
}

/** Maximum length of a column's name, in characters. */
const longestName = 40;

function isIdName(cell: Cell): boolean {
  if (typeof cell !== 'string') return false;
  const key = comparisonKey(cell);
  // A single expression would backtrack: it would try every noun with every ending.
  const isLong = longIdNames.some(([noun, end]) => noun.test(key) && end.test(key.replace(noun, '')));
  return isLong || shortIdName.test(key);
}

/** Names of id columns in any export, as `comparisonKey` writes them. */
const shortIdName = /^(?:id|sku|originid)$/;
const longIdNames = [
  [
    /^[a-z]*?(?:product|item|goods|order|member|customer|category|invoice|variant)/,
    /^[a-z]*(?:id|code|no|number|sku|key)$/,
  ],
  [/^[가-힣]*?(?:상품|품목|주문|회원|구매자|분류|카테고리)/, /^[가-힣]*(?:번호|코드|아이디|id)$/],
] as const;

/** True if the cells describe their columns, as templates do right below the header. */
function isGuide(cells: readonly Cell[]): boolean {
  const filled = cells.filter(isFilled);
  return filled.length > 0 && filled.every((cell) => typeof cell === 'string' && guideWord.test(cell.trim()));
}

const guideWords = [
  '필수|선택|필수 ?입력|선택 ?입력|문자|문자열|텍스트|숫자|날짜',
  'required|optional|mandatory|str|string|text|n?varchar2?(?: ?\\(\\d+\\))?',
  'int|integer|bigint|long|number|numeric|decimal|float|double|bool|boolean|date|datetime|timestamp',
];
const guideWord = new RegExp(`^[([]?(?:${guideWords.join('|')})[)\\]]?\\*?$`, 'i');

/** True if an id cell is a word for a total, which may also be a code. */
function isSum(cell: Cell): boolean {
  return (
    typeof cell === 'string' &&
    /^(?:(?:sub-?|grand-?)?totals?|sum|count|합 ?계|총 ?계|소 ?계|계):?$/i.test(cell.trim())
  );
}

/** True if all filled cells except the first are numbers. */
function isOfNumbers(cells: readonly Cell[]): boolean {
  const [, ...others] = cells.filter(isFilled);
  return others.every((cell) => typeof cell === 'string' && /^[-+₩￦$€]?[\d.,]+[%원건개]?$/.test(cell));
}

const removeIt = 'remove the row';
const guideRow = refuse('guide-row', 'this row describes its columns and is not a record', removeIt);
const repeatedHeader = refuse('repeated-header', 'this row repeats the header and is not a record', removeIt);
const secondHeader = refuse(
  'second-header',
  'this row is a second header, not a record',
  'remove the row; or, if it is the header to use, add --header-row LINE',
);
const otherTable = refuse(
  'second-header',
  'this row is another header: the rows below belong to another table',
  'put the rows below into a file of their own, under this header; or remove this row, if they ' +
    'belong to the table above',
);
