import { grouped } from '../terminal/totals.ts';
import { type CellValue, dataTable } from './data-table.ts';
import { type Html, html } from './html.ts';

/** Names of the colors of a page; light and dark mode define them separately. */
export const tones = [
  'good',
  'fine',
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

/** A column of a figure's table; a column with a tone is drawn as well. */
interface FigureColumn {
  readonly header: string;
  /** One for each label; null is a gap. */
  readonly cells: readonly CellValue[];
  /** The drawn values, if they differ from the cells. */
  readonly drawn?: readonly number[];
  /** Its color, or one for each label. */
  readonly tone?: Tone | readonly Tone[];
}

/** A table whose columns are drawn: as stacked columns, as lines over time, or as rows from the top down. */
interface Figure {
  readonly kind: 'columns' | 'lines' | 'rows';
  /** A description for readers who cannot see the chart. */
  readonly title: string;
  /** The header of the labels. */
  readonly of: string;
  readonly labels: readonly string[];
  readonly columns: readonly FigureColumn[];
  /** Formats a value; by default a number with grouped thousands. */
  readonly inWords?: (value: number) => string;
  /** The end of the value axis, if fixed. */
  readonly maximum?: number;
}

interface ChartSeries {
  readonly name: string;
  readonly tones: readonly Tone[];
  readonly values: readonly (number | null)[];
}

interface ChartSpec extends Pick<Figure, 'kind' | 'labels' | 'maximum'> {
  readonly inWords: (value: number) => string;
  readonly series: readonly ChartSeries[];
}

/**
 * A chart, its legend, and beside it the table of its values. Marks are inline SVG that is stretched to fit; names and
 * numbers are text of the page, so that they keep their size on narrow pages.
 */
export function chartFigure({ title, of, columns, inWords = grouped, ...figure }: Figure): Html {
  const { kind, labels } = figure;
  const spec: ChartSpec = { ...figure, inWords, series: columns.flatMap(seriesOf) };
  const table = dataTable({
    caption: title,
    columns: [of, ...columns.map(({ header }) => header)],
    rows: labels.map((label, index) => [label, ...columns.map(({ cells }) => cells[index] ?? null)]),
  });
  const marks = kind === 'rows' ? rows(spec) : plot(spec);
  return html`<figure><div class="chart">${legend(spec)}<div class="${kind}" role="img" aria-label="${title}">
${marks}</div></div>${table}</figure>`;
}

function seriesOf({ header, cells, drawn, tone }: FigureColumn): ChartSeries[] {
  if (tone === undefined) return [];
  const tones = typeof tone === 'string' ? cells.map(() => tone) : tone;
  return [{ name: header, tones, values: drawn ?? cells.map(drawnValue) }];
}

function drawnValue(cell: CellValue): number | null {
  return typeof cell === 'object' ? (cell?.value ?? null) : Number(cell);
}

function hasLegend({ series }: ChartSpec): boolean {
  return new Set(series.map(({ name }) => name)).size > 1;
}

function legend(spec: ChartSpec): Html | undefined {
  if (!hasLegend(spec)) return undefined;
  const items = spec.series.map(({ name, tones: [tone] }) => html`<li><i class="${tone}">■</i> ${name}</li>`);
  return html`<ul class="legend">${items}</ul>`;
}

function rows(spec: ChartSpec): Html {
  const end = endOf(spec);
  const lines = spec.labels.map((label, index) => {
    const bars = stackAt(spec, index).map(
      ({ tone, from, value }) =>
        html`<rect class="${tone}" x="${percent(from, end)}" width="${percent(value, end)}" height="1"/>`,
    );
    const total = hasLegend(spec) ? undefined : html`<b>${spec.inWords(totalAt(spec, index))}</b>`;
    return html`<div><span>${label}</span><svg viewBox="0 0 100 1" preserveAspectRatio="none">
<title>${valuesAt(spec, index)}</title>${bars}</svg>${total}</div>
`;
  });
  return html`${lines}`;
}

/** More labels would overlap on a narrow page, so only the first and the last are shown. */
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
      : series.map(({ tones: [tone], values }) => html`<path class="${tone}" d="${linePath(values, end)}"/>`);
  // Browsers show the values beside the pointer.
  const titles = labels.map(
    (_, index) =>
      html`<rect class="spot" x="${index}" width="1" height="100"><title>${valuesAt(spec, index)}</title></rect>`,
  );
  const isEachNamed = labels.length <= namedMaximum;
  const named = isEachNamed ? labels : [labels[0], labels.at(-1)];
  return html`<div class="values"><span>${spec.inWords(end)}</span><span>0</span></div>
<svg viewBox="0 0 ${labels.length} 100" preserveAspectRatio="none">${marks.flat()}${titles}</svg>
<div class="${isEachNamed ? 'labels each' : 'labels'}">${named.map((label) => html`<span>${label}</span>`)}</div>
`;
}

/** Connects consecutive values; a value between gaps is a dot. */
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
  return series.flatMap(({ tones, values }) => {
    const value = values[index] ?? 0;
    from += value;
    return value === 0 ? [] : [{ tone: tones[index], from: from - value, value }];
  });
}

function totalAt({ series }: ChartSpec, index: number): number {
  return series.reduce((total, { values }) => total + (values[index] ?? 0), 0);
}

/** The end of the value axis; never 0, because bars are fractions of it. */
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
    const isShown = spec.kind === 'lines' ? value !== null : Boolean(value);
    return isShown ? [`${spec.inWords(value ?? 0)} ${name}`] : [];
  });
  return `${spec.labels[index] ?? ''}: ${values.join(', ') || 'nothing'}`;
}
