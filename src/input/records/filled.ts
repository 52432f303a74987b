import type { Json } from '../../base/json.ts';
import type { Cell } from './cell.ts';

/** Whether a cell says something: it is there, not null, and not text of nothing but blanks. */
export function isFilled(cell: Cell): cell is Exclude<Json, null> {
  if (cell === undefined || cell === null || cell === '') return false;
  // Few characters are blank, and hardly a cell begins with one of them.
  return typeof cell !== 'string' || !mayBeBlank(cell.charCodeAt(0)) || cell.trim() !== '';
}

function mayBeBlank(code: number): boolean {
  return code <= 0x20 || code >= 0xa0;
}
