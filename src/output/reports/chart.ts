import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { terminalText } from '../terminal/terminal-text.ts';
import { grouped } from '../terminal/totals.ts';
import type { ChartSeries, ChartSpec } from './chart-spec.ts';
import { Html, html } from './html.ts';

/*
 * Charts as inline SVG. The colors are variables of the page, so that one drawing serves light, dark and paper. The
 * library is large, so this file is imported when a page has something to draw.
 */

use([BarChart, LineChart, GridComponent, SVGRenderer]);

/** A chart is drawn for wide pages and for narrow ones, on which the same letters would be too small. */
const widths = { wide: 640, narrow: 330 } as const;
const columnsHeight = 260;
const rowHeight = 26;
const rowsMargin = 34;
/** Longest label, in UTF-16 units: no name from outside pushes the chart away. */
const labelLength = 40;
const fontSize = 12;
/** Lines of more points have no mark on each of them. */
const markedPoints = 40;

/** Draws a chart. Each of its marks has its value as a title, which browsers show beside the pointer. */
export function drawChart(spec: ChartSpec): Html {
  const drawings = Object.entries(widths).map(
    ([name, width]) =>
      html`<div class="${name}" role="img" aria-label="${spec.title}">${drawing(spec, width)}</div>`,
  );
  return html`${drawings}`;
}

function drawing(spec: ChartSpec, width: number): Html {
  const height = spec.kind === 'rows' ? rowHeight * spec.labels.length + rowsMargin : columnsHeight;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(optionOf(spec, width));
    return new Html(withTitles(chart.renderToSVGString(), spec));
  } finally {
    chart.dispose();
  }
}

function optionOf(spec: ChartSpec, width: number): EChartsCoreOption {
  const labels = spec.labels.map(shownLabel);
  const ofLabels = {
    type: 'category',
    data: labels,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: 'var(--rule)' } },
    axisLabel: { color: 'var(--dim)', fontSize, hideOverlap: true },
  };
  const ofValues = {
    type: 'value',
    max: spec.maximum,
    splitNumber: width === widths.narrow ? 3 : 5,
    splitLine: { lineStyle: { color: 'var(--rule)' } },
    axisLabel: {
      color: 'var(--dim)',
      fontSize,
      hideOverlap: true,
      formatter: (value: number) => inWords(spec, value),
    },
  };
  const isRows = spec.kind === 'rows';
  return {
    animation: false,
    textStyle: { fontFamily: 'inherit' },
    grid: {
      left: 4,
      right: 16,
      top: 12,
      bottom: 4,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    xAxis: isRows ? ofValues : ofLabels,
    yAxis: isRows
      ? {
          ...ofLabels,
          inverse: true,
          axisLabel: { ...ofLabels.axisLabel, interval: 0, width: width / 3, overflow: 'truncate' },
        }
      : ofValues,
    series: spec.series.map((series) => seriesOption(spec, series)),
  };
}

function seriesOption({ kind, labels }: ChartSpec, { name, tone, values }: ChartSeries) {
  const color = `var(--${tone})`;
  const data = values.map((value) => value ?? '-');
  if (kind === 'lines') {
    const isMarked = labels.length <= markedPoints;
    return {
      type: 'line',
      name,
      data,
      color,
      lineStyle: { color, width: 2 },
      itemStyle: { color },
      symbol: 'circle',
      symbolSize: 5,
      showSymbol: isMarked,
    };
  }
  return {
    type: 'bar',
    name,
    data,
    color,
    itemStyle: { color },
    stack: 'all',
    barMaxWidth: 28,
    barCategoryGap: '25%',
  };
}

const path = /(<path [^<>]*)><\/path>/g;
/** Marks of the library name the place of their value; of these attributes nothing else is left. */
const mark = / ecmeta_series_index="(\d+)" ecmeta_data_index="(\d+)" ecmeta_ssr_type="[^"]*"/;

/** What the library adds for pages that have its script: styles that would meet those of other drawings. */
const foreign = / class="zr[^"]*"|<style >[\s\S]*?(?:<\/style>|$)/g;

function withTitles(svg: string, spec: ChartSpec): string {
  const { labels, series } = spec;
  return svg.replaceAll(foreign, '').replace(path, (drawn: string, tag: string) => {
    const [marked, seriesIndex, dataIndex] = mark.exec(tag) ?? [];
    if (marked === undefined) return drawn;
    const of = series[Number(seriesIndex)];
    const value = of?.values[Number(dataIndex)] ?? 0;
    const title = `${labels[Number(dataIndex)] ?? ''}: ${inWords(spec, value)} ${of?.name ?? ''}`;
    return `${tag.replace(marked, '')}>${html`<title>${title}</title>`.markup}</path>`;
  });
}

function inWords({ inWords: words = grouped }: ChartSpec, value: number): string {
  return words(value);
}

function shownLabel(label: string): string {
  const shown = terminalText(label);
  return shown.length > labelLength ? `${shown.slice(0, labelLength)}…` : shown;
}
