import type { Json } from '../../base/json.ts';
import type { Cell } from './cell.ts';

/** Whether a cell has a value: it exists, and is neither null nor blank text. */
export function isFilled(cell: Cell): cell is Exclude<Json, null> {
  if (cell === undefined || cell === null || cell === '') return false;
  // Checking the first character avoids trimming nearly all cells.
  return typeof cell !== 'string' || !mayBeBlank(cell.charCodeAt(0)) || cell.trim() !== '';
}

function mayBeBlank(code: number): boolean {
  return code <= 0x20 || code >= 0xa0;
}
