import { nearestName } from '../../base/nearest-name.ts';

/**
 * Normalizes a header for comparison: NFC, lower case, without blanks, underscores, invisible characters and a trailing
 * parenthesis. So `상품구매금액(KRW)` equals `상품구매금액`, and `Order Origin ID` equals `orderOriginId`.
 */
export function comparisonKey(header: string): string {
  return spellingKey(header.normalize('NFC').replace(/\([^()]*\)\s*$/, ''));
}

function spellingKey(header: string): string {
  return header
    .normalize('NFC')
    .replace(/[\s_\p{Cf}]+/gu, '')
    .toLowerCase();
}

/** Finds the columns of a header by name. */
export class HeaderIndex {
  readonly #header: readonly string[];
  readonly #byName = new Map<string, number[]>();
  readonly #byKey = new Map<string, number[]>();

  constructor(header: readonly string[]) {
    this.#header = header;
    for (const [column, name] of header.entries()) {
      add(this.#byName, name, column);
      add(this.#byKey, comparisonKey(name), column);
    }
  }

  /** The columns with exactly this name, else those with an equal `comparisonKey`. More than one is ambiguous. */
  columnsNamed(name: string): readonly number[] {
    return this.#byName.get(name) ?? this.#byKey.get(comparisonKey(name)) ?? [];
  }

  /** The columns of `columnsNamed`, and those that differ only in case, blanks and underscores: `Name` and `name`. */
  columnsSpelled(name: string): readonly number[] {
    const found = this.columnsNamed(name);
    const alike = this.#byKey.get(comparisonKey(name)) ?? [];
    const spellings = new Set(found.map((column) => spellingKey(this.#header[column] ?? '')));
    return alike.filter((column) => spellings.has(spellingKey(this.#header[column] ?? '')));
  }
}

function add(index: Map<string, number[]>, name: string, column: number): void {
  const columns = index.get(name);
  if (columns) columns.push(column);
  else index.set(name, [column]);
}

/** The name most similar to the header `name`; undefined if none is similar. */
export function nearestHeader(name: string, names: readonly string[]): string | undefined {
  return nearestName(name, names, comparisonKey);
}

/** Trimmed names of the columns. Blank names at the end, left by empty spreadsheet columns, are dropped. */
export function columnNames(cells: readonly string[]): string[] {
  const names = cells.map((name) => name.trim());
  while (names.at(-1) === '') names.pop();
  return names;
}
