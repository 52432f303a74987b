import { grouped } from '../terminal/totals.ts';
import { type Html, html } from './html.ts';

/** The text of a cell, and the number that it is sorted by. */
export interface Cell {
  readonly text: string;
  readonly value: number;
}

/** A number is shown with grouped thousands; null is an empty cell. */
export type CellValue = string | number | Cell | null;

export interface DataTable {
  readonly caption: string;
  /** The headers. Columns without texts are right-aligned and sorted as numbers. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly CellValue[])[];
}

/** A table in a frame that scrolls if it is long; the frame can be focused with the keyboard. */
export function dataTable({ caption, columns, rows }: DataTable): Html {
  const areNumbers = columns.map((_, index) => rows.every((cells) => typeof cells[index] !== 'string'));
  const headers = columns.map(
    (header, index) => html`<th scope="col"${classOf(areNumbers[index])}>${header}</th>`,
  );
  const body = rows.map(
    (cells) => html`<tr>${cells.map((cell, index) => cellOf(cell, areNumbers[index]))}</tr>
`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${headers}</tr></thead>
<tbody>
${body}</tbody></table></div>`;
}

/** A collapsed table below its caption. */
export function foldedTable(table: DataTable): Html {
  return html`<details><summary>${table.caption}</summary>${dataTable(table)}</details>
`;
}

function classOf(isNumber = false): Html {
  return isNumber ? html` class="number"` : html` class="text"`;
}

function cellOf(cell: CellValue, isNumber: boolean | undefined): Html {
  if (cell === null) return isNumber ? html`<td class="number" data-value="-1"></td>` : html`<td></td>`;
  if (typeof cell === 'string') return html`<td${classOf(isNumber)}>${cell}</td>`;
  const { text, value } = typeof cell === 'number' ? { text: grouped(cell), value: cell } : cell;
  return html`<td class="number" data-value="${value}">${text}</td>`;
}
