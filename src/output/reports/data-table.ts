import { grouped } from '../terminal/totals.ts';
import { type Html, html } from './html.ts';
import type { Tone } from './page-style.ts';

/** A value in words. The bar below it fills `share` of the column, from 0 to 1. */
interface Value {
  readonly text: string;
  readonly bar?: { readonly share: number; readonly tone: Tone };
}

/** A text, a number, which is shown with grouped thousands, a value in words, or null for an empty cell. */
export type Cell = string | number | Value | null;

export interface DataTable {
  readonly caption: string;
  /** The headers. Columns without texts are right-aligned. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A table in a frame that scrolls if it is long; the frame can be focused with the keyboard. */
export function dataTable({ caption, columns, rows }: DataTable): Html {
  const classes = columns.map((_, index) =>
    rows.every((cells) => typeof cells[index] !== 'string') ? 'number' : 'text',
  );
  const headers = columns.map(
    (header, index) => html`<th scope="col" class="${classes[index]}">${header}</th>`,
  );
  const body = rows.map(
    (
      cells,
    ) => html`<tr>${cells.map((cell, index) => html`<td class="${classes[index]}">${contentOf(cell)}</td>`)}</tr>
`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${headers}</tr></thead>
<tbody>
${body}</tbody></table></div>`;
}

function contentOf(cell: Cell): Html | string | undefined {
  if (cell === null) return undefined;
  if (typeof cell === 'number') return grouped(cell);
  if (typeof cell === 'string') return cell;
  const { text, bar } = cell;
  if (bar === undefined) return text;
  const width = Math.round(10_000 * Math.min(1, bar.share)) / 100;
  const drawn = html`<rect class="${bar.tone}" width="${width}" height="1"/>`;
  return html`${text}<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${drawn}</svg>`;
}
