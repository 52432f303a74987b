import type { Json } from '../../base/json.ts';

/** The most characters of a cell that a problem quotes. */
const quotedMaximum = 80;

/**
 * A cell as a problem quotes it. The text is copied, because a substring would keep the whole piece of the file in
 * memory.
 */
export function quoted(cell: Json): string {
  const written = typeof cell === 'string' ? cell : JSON.stringify(cell);
  const shown = written.length > quotedMaximum ? `${beginningOf(written)}…` : written;
  return Buffer.from(shown, 'utf16le').toString('utf16le');
}

/** The first characters, without splitting surrogate pairs. */
function beginningOf(text: string): string {
  return Array.from(text.slice(0, 2 * quotedMaximum))
    .slice(0, quotedMaximum - 1)
    .join('');
}
