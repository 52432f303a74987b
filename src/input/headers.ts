/**
 * A header as it is compared: composed (NFC), without blanks, underscores and one parenthesis at its end, in one case.
 * So `상품구매금액(KRW)` is `상품구매금액`, and `Order Origin ID` is `orderOriginId`.
 */
export function comparisonKey(header: string): string {
  return header
    .normalize('NFC')
    .replace(/\([^()]*\)\s*$/, '')
    .replace(/[\s_]+/g, '')
    .toLowerCase();
}

/** Finds columns by name. */
export class HeaderIndex {
  readonly #byName = new Map<string, number[]>();
  readonly #byKey = new Map<string, number[]>();

  constructor(header: readonly string[]) {
    for (const [column, name] of header.entries()) {
      add(this.#byName, name, column);
      add(this.#byKey, comparisonKey(name), column);
    }
  }

  /** The columns of exactly this name, else those whose name compares equal. More than one is ambiguous. */
  columnsNamed(name: string): readonly number[] {
    return this.#byName.get(name) ?? this.#byKey.get(comparisonKey(name)) ?? [];
  }
}

function add(index: Map<string, number[]>, name: string, column: number): void {
  const columns = index.get(name);
  if (columns) columns.push(column);
  else index.set(name, [column]);
}

/** The longest names that are compared letter by letter. */
const comparedLength = 64;

/** The one of `names` that `name` was most likely meant to be, or undefined when none is near. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const key = comparisonKey(name).slice(0, comparedLength);
  let nearest: string | undefined;
  let least = Math.ceil(key.length / 3) + 1;
  for (const candidate of names) {
    const distance = editDistance(key, comparisonKey(candidate));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** How many letters must be inserted, left out or replaced to make `one` the `other`. */
function editDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const changed = Math.min((above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      current.push(Math.min(replaced, changed));
    }
    above = current;
  }
  return above[other.length] ?? 0;
}
