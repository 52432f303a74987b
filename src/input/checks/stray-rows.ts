import type { FieldReader } from '../mapping/binding.ts';
import type { Cell } from '../records/cell.ts';
import { isFilled } from '../records/filled.ts';
import { comparisonKey } from '../records/headers.ts';
import type { Problem } from '../records/problem.ts';
import { quoted } from '../records/quoted.ts';
import type { InputRow } from '../records/row-batch.ts';

/** A row among the records that is none. */
export interface StrayRow {
  readonly problem: Problem;
  /** Whether another table begins with it, so that nothing below belongs to the header above. */
  readonly isEnd: boolean;
}

/** Finds the rows of a table that are no records: its header once more, another one, a line of dashes, sums, what its columns take. */
export class StrayRows {
  readonly #file: string;
  readonly #header: readonly string[];
  readonly #keys: readonly string[];
  readonly #idColumns: readonly number[];
  /** Whether no name of a column of ids looks like an id. */
  readonly areNamesTelling: boolean;
  #isFirst = true;

  constructor(file: string, header: readonly string[], readers: readonly FieldReader[]) {
    this.#file = file;
    this.#header = header;
    this.#keys = header.map(comparisonKey);
    const ids = readers.filter(({ field }) => field.type === 'id');
    this.#idColumns = [...new Set(ids.flatMap(({ columns }) => columns))];
    this.areNamesTelling = !this.#idColumns.some((column) => endsInDigit(header[column] ?? ''));
  }

  /** What is wrong with a row that is no record. Rows are given in order. */
  find({ cells, line }: InputRow): StrayRow | undefined {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (!isFirst && this.areNamesTelling && this.#holdsIds(cells)) return undefined;
    const what = isFirst && isGuide(cells) ? 'guide-row' : this.#whatIs(cells);
    if (what === undefined) return undefined;
    const about = what === 'second-header' && !isFirst ? otherTable : strayRows[what];
    const remedy = about.remedy.replace('LINE', String(line));
    const value = quoted(cells.filter((cell) => typeof cell === 'string').join(' | '));
    const problem = { file: this.#file, line, value, code: what, reason: about.reason, remedy };
    return { problem, isEnd: what === 'second-header' };
  }

  /** Whether every cell where an id belongs ends in a digit, as in nearly every row; one with a blank cell is looked at. */
  #holdsIds(cells: readonly Cell[]): boolean {
    for (const column of this.#idColumns) {
      const cell = cells[column];
      if (typeof cell !== 'string' || !endsInDigit(cell)) return false;
    }
    return true;
  }

  #whatIs(cells: readonly Cell[]): keyof typeof strayRows | undefined {
    if (!this.#idColumns.some((column) => this.#isOdd(cells[column], column))) return undefined;
    if (cells.every(isRule)) return 'rule-row';
    if (this.#idColumns.some((column) => isSum(cells[column])) && isOfNumbers(cells)) return 'total-row';
    if (!this.#idColumns.some((column) => this.#mayBeName(cells[column], column))) return undefined;
    if (cells.every((cell, column) => this.#isHeaderCell(cell, column))) return 'repeated-header';
    const isOther = this.#idColumns.some((column) => isIdName(cells[column])) || this.#holdsNamesOnly(cells);
    return isOther ? 'second-header' : undefined;
  }

  /** Whether the cells are names of this header in another order; a single one may be a value as well. */
  #holdsNamesOnly(cells: readonly Cell[]): boolean {
    const texts = cells.filter((cell): cell is string => typeof cell === 'string' && cell.trim() !== '');
    return texts.length > 1 && texts.every((cell) => this.#keys.includes(comparisonKey(cell)));
  }

  /** Whether a cell where an id belongs is none at a glance: nearly all ids have a digit, and their rows leave here. */
  #isOdd(cell: Cell, column: number): boolean {
    return typeof cell !== 'string' || !hasDigit(cell) || cell === this.#header[column];
  }

  /** Whether a cell where an id belongs may be the name of one. */
  #mayBeName(cell: Cell, column: number): boolean {
    if (typeof cell !== 'string' || cell === '') return false;
    return cell === this.#header[column] || (cell.length <= longestName && this.#isOdd(cell, column));
  }

  #isHeaderCell(cell: Cell, column: number): boolean {
    if (typeof cell !== 'string') return cell === undefined;
    return cell.trim() === '' || comparisonKey(cell) === this.#keys[column];
  }
}

/** Whether a text holds a digit; nearly all ids end in one. */
function hasDigit(text: string): boolean {
  return endsInDigit(text) || /\d/.test(text);
}

function endsInDigit(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= zeroCode && last <= nineCode;
}

const zeroCode = 0x30;
const nineCode = 0x39;

/** How long the name of a column may be, in characters. */
const longestName = 40;

function isIdName(cell: Cell): boolean {
  return typeof cell === 'string' && idName.test(comparisonKey(cell));
}

/** What a column of ids is called in any export, as it is compared. */
const idName =
  /^(?:id|sku|originid|[a-z]*(?:product|item|goods|order|member|customer|category|invoice|variant)[a-z]*(?:id|code|no|number|sku|key))$|^[가-힣]*(?:상품|품목|주문|회원|구매자|주문자|분류|카테고리)[가-힣]*(?:번호|코드|아이디|id)$/;

/** Whether the cells are words for what their columns take, as templates have them right below the header. */
function isGuide(cells: readonly Cell[]): boolean {
  const filled = cells.filter(isFilled);
  return filled.length > 0 && filled.every((cell) => typeof cell === 'string' && guideWord.test(cell.trim()));
}

const guideWord =
  /^[([]?(?:필수|선택|필수 ?입력|선택 ?입력|문자|문자열|텍스트|숫자|날짜|required|optional|mandatory|str|string|text|n?varchar2?(?: ?\(\d+\))?|int|integer|bigint|long|number|numeric|decimal|float|double|bool|boolean|date|datetime|timestamp)[)\]]?\*?$/i;

/** Whether a cell where an id belongs is a word for a sum; it may be a code, too. */
function isSum(cell: Cell): boolean {
  return (
    typeof cell === 'string' &&
    /^(?:(?:sub-?|grand-?)?totals?|sum|count|합 ?계|총 ?계|소 ?계|계):?$/i.test(cell.trim())
  );
}

/** Whether the cells are numbers but for the first that is filled. */
function isOfNumbers(cells: readonly Cell[]): boolean {
  const [, ...others] = cells.filter(isFilled);
  return others.every((cell) => typeof cell === 'string' && /^[-+₩￦$€]?[\d.,]+[%원건개]?$/.test(cell));
}

/** Whether a cell holds nothing but a line, as tools for databases and text draw them; blank cells too. */
function isRule(cell: Cell): boolean {
  return cell === undefined || (typeof cell === 'string' && /^[-=_+*~:|\s─━═–—]*$/.test(cell));
}

const strayRows = {
  'rule-row': {
    reason: 'this row is a line between rows and no record',
    remedy: 'remove the row',
  },
  'guide-row': {
    reason: 'this row says what its columns take and is no record',
    remedy: 'remove the row',
  },
  'total-row': {
    reason: 'this looks like a row of sums below the records',
    remedy: 'remove the row from the file, or leave it out with --skip-invalid',
  },
  'repeated-header': {
    reason: 'this row is the header once more and no record',
    remedy: 'remove the row',
  },
  'second-header': {
    reason: 'this row is a second header and no record',
    remedy: 'remove the row; or, if it is the header to use, add --header-row LINE',
  },
} as const;

const otherTable = {
  reason: 'this row is another header: the rows below belong to another table',
  remedy:
    'put the rows below into a file of their own, under this header; or remove this row, if they belong to the table above',
};
