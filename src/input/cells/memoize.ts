import type { Json } from '../../base/json.ts';

/** The most results that a reader caches. */
const textsMaximum = 500;
const longestText = 100;

/** Caches the results of `read`, for columns with few different values in many rows. */
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

/** Caches the last result of `read`, for columns with the same value in all rows of an order. */
export function memoizeLast<T>(read: (cell: Json) => T): (cell: Json) => T {
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
