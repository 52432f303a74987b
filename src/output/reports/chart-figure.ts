import type { ChartSpec } from './chart-spec.ts';
import { type DataTable, dataTable } from './data-table.ts';
import { type Html, html } from './html.ts';

/** A chart, what its colors mean, and beside it the table with its values. */
export async function chartFigure(spec: ChartSpec, table: DataTable): Promise<Html> {
  const { drawChart } = await import('./chart.ts');
  return html`<figure><div>${legend(spec)}${drawChart(spec)}</div>${dataTable(table)}</figure>`;
}

function legend({ series, hasLegend = true }: ChartSpec): Html | undefined {
  if (!hasLegend || series.length < 2) return undefined;
  const items = series.map(
    ({ name, tone }) => html`<li><i style="background:var(--${tone})"></i>${name}</li>`,
  );
  return html`<ul class="legend">${items}</ul>`;
}
