import { grouped } from '../terminal/totals.ts';
import { type DataTable, dataTable } from './data-table.ts';
import { type Html, html } from './html.ts';

/** Colors of a page by name, which are others in the dark. */
export const tones = [
  'good',
  'fine',
  'calm',
  'pale',
  'warn',
  'bad',
  'odd',
  'accent',
  'rate1',
  'rate2',
  'rate3',
  'rate4',
  'rate5',
] as const;
export type Tone = (typeof tones)[number];

export interface ChartSeries {
  readonly name: string;
  readonly tone: Tone;
  /** One for each label; null where there is none. */
  readonly values: readonly (number | null)[];
}

/** What a chart shows: columns that stand on each other, lines over time, or rows from the top down. */
interface ChartSpec {
  readonly kind: 'columns' | 'lines' | 'rows';
  /** What it shows, for readers who cannot see it. */
  readonly title: string;
  readonly labels: readonly string[];
  readonly series: readonly ChartSeries[];
  /** A value in words; left out, the number with its thousands apart. */
  readonly inWords?: (value: number) => string;
  /** The end of the axis of values, where it is known. */
  readonly maximum?: number;
}

/**
 * A chart, what its colors mean, and beside it the table with its values. Marks are inline SVG that is stretched to its
 * place; names and numbers are text of the page, so that they keep their size on narrow pages.
 */
export function chartFigure(spec: ChartSpec, table: DataTable): Html {
  const { kind, title } = spec;
  const drawn = kind === 'rows' ? rows(spec) : plot(spec);
  return html`<figure><div class="chart">${legend(spec)}<div class="${kind}" role="img" aria-label="${title}">
${drawn}</div></div>${dataTable(table)}</figure>`;
}

function hasLegend({ series }: ChartSpec): boolean {
  return new Set(series.map(({ name }) => name)).size > 1;
}

function legend(spec: ChartSpec): Html | undefined {
  if (!hasLegend(spec)) return undefined;
  const items = spec.series.map(({ name, tone }) => html`<li><i class="${tone}">■</i> ${name}</li>`);
  return html`<ul class="legend">${items}</ul>`;
}

function rows(spec: ChartSpec): Html {
  const end = endOf(spec);
  const lines = spec.labels.map((label, index) => {
    const bars = stackAt(spec, index).map(
      ({ tone, from, value }) =>
        html`<rect class="${tone}" x="${percent(from, end)}" width="${percent(value, end)}" height="1"/>`,
    );
    const total = hasLegend(spec) ? undefined : html`<b>${inWords(spec, totalAt(spec, index))}</b>`;
    return html`<div><span>${label}</span><svg viewBox="0 0 100 1" preserveAspectRatio="none">
<title>${valuesAt(spec, index)}</title>${bars}</svg>${total}</div>
`;
  });
  return html`${lines}`;
}

/** More labels than that would meet on a narrow page, so only the first and the last are shown. */
const namedMaximum = 6;

function plot(spec: ChartSpec): Html {
  const { kind, labels, series } = spec;
  const end = endOf(spec);
  const marks =
    kind === 'columns'
      ? labels.map((_, index) =>
          stackAt(spec, index).map(({ tone, from, value }) => {
            const height = percent(value, end);
            const top = percent(end - from - value, end);
            return html`<rect class="${tone}" x="${index + 0.1}" y="${top}" width=".8" height="${height}"/>`;
          }),
        )
      : series.map(({ tone, values }) => html`<path class="${tone}" d="${linePath(values, end)}"/>`);
  // Browsers show the values beside the pointer.
  const titles = labels.map(
    (_, index) =>
      html`<rect class="spot" x="${index}" width="1" height="100"><title>${valuesAt(spec, index)}</title></rect>`,
  );
  const isEachNamed = labels.length <= namedMaximum;
  const named = isEachNamed ? labels : [labels[0], labels.at(-1)];
  return html`<div class="values"><span>${inWords(spec, end)}</span><span>0</span></div>
<svg viewBox="0 0 ${labels.length} 100" preserveAspectRatio="none">${marks.flat()}${titles}</svg>
<div class="${isEachNamed ? 'labels each' : 'labels'}">${named.map((label) => html`<span>${label}</span>`)}</div>
`;
}

/** The lines between values that follow each other; a value between gaps is a dot. */
function linePath(values: readonly (number | null)[], end: number): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const point = `${index + 0.5} ${100 - percent(value, end)}`;
      return (values[index - 1] ?? null) === null ? `M${point}h0` : `L${point}`;
    })
    .join('');
}

function stackAt({ series }: ChartSpec, index: number) {
  let from = 0;
  return series.flatMap(({ tone, values }) => {
    const value = values[index] ?? 0;
    from += value;
    return value === 0 ? [] : [{ tone, from: from - value, value }];
  });
}

function totalAt({ series }: ChartSpec, index: number): number {
  return series.reduce((total, { values }) => total + (values[index] ?? 0), 0);
}

/** The end of the axis of values: never 0, which no bar could be a part of. */
function endOf(spec: ChartSpec): number {
  const { kind, labels, series, maximum } = spec;
  const ends =
    kind === 'lines'
      ? series.flatMap(({ values }) => values.map((value) => value ?? 0))
      : labels.map((_, index) => totalAt(spec, index));
  return maximum ?? (Math.max(0, ...ends) || 1);
}

function percent(value: number, end: number): number {
  return Math.round((10_000 * value) / end) / 100;
}

function valuesAt(spec: ChartSpec, index: number): string {
  const values = spec.series.flatMap(({ name, values: of }) => {
    const value = of[index] ?? null;
    return value === null ? [] : [`${inWords(spec, value)} ${name}`];
  });
  return `${spec.labels[index] ?? ''}: ${values.join(', ') || 'nothing'}`;
}

function inWords({ inWords: words = grouped }: ChartSpec, value: number): string {
  return words(value);
}
