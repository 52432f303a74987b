import type { Cell } from './place.ts';

/** How much of a cell a problem quotes, in characters. */
const quotedMaximum = 80;

/**
 * A cell as a problem quotes it. The text is copied: a piece of a piece of a file would keep the whole piece in memory
 * for as long as the problem lives.
 */
export function quoted(cell: Cell): string {
  const written = typeof cell === 'string' ? cell : JSON.stringify(cell);
  const shown = written.length > quotedMaximum ? `${written.slice(0, quotedMaximum - 1)}…` : written;
  return Buffer.from(shown, 'utf16le').toString('utf16le');
}
