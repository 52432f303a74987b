import type { Json } from '../../base/json.ts';

/** How much of a cell a problem quotes, in characters. */
const quotedMaximum = 80;

/**
 * A cell as a problem quotes it. The text is copied: a piece of a piece of a file would keep the whole piece in memory
 * for as long as the problem lives.
 */
export function quoted(cell: Json): string {
  const written = typeof cell === 'string' ? cell : JSON.stringify(cell);
  const shown = written.length > quotedMaximum ? `${beginningOf(written)}…` : written;
  return Buffer.from(shown, 'utf16le').toString('utf16le');
}

/** Whole characters, also of those that take two code units. */
function beginningOf(text: string): string {
  return Array.from(text.slice(0, 2 * quotedMaximum))
    .slice(0, quotedMaximum - 1)
    .join('');
}
