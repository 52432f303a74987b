import type { Json } from '../../base/json.ts';

/** How many texts one reader remembers. */
const textsMaximum = 500;
const longestText = 100;

/** `read`, which remembers what it made of a text: for columns that say few different things in many rows. */
export function memoize<T>(read: (cell: Json) => T): (cell: Json) => T {
  const known = new Map<Json, T>();
  return (cell) => {
    const before = known.get(cell);
    if (before !== undefined) return before;
    const value = read(cell);
    const isKept = typeof cell === 'string' && cell.length <= longestText && known.size < textsMaximum;
    if (isKept) known.set(cell, value);
    return value;
  };
}

/** `read`, which remembers what it made of the last text: for columns that say the same in all rows of an order. */
export function memoizeLast<T extends NonNullable<unknown>>(read: (cell: Json) => T): (cell: Json) => T {
  let last: Json | undefined;
  let value: T | undefined;
  return (cell) => {
    if (value === undefined || cell !== last) {
      value = read(cell);
      last = cell;
    }
    return value;
  };
}
