import { expect, test } from 'vitest';
import { chartFigure } from '../../src/output/reports/chart.ts';
import { allElements, elementsNamed, parseHtml, textIn } from './parse-html.ts';

const table = { caption: 'as a table', columns: [{ header: 'Day' }], rows: [] };
const series = [
  { name: 'paid', tone: 'good', values: [3, 0, null] },
  { name: 'refused', tone: 'warn', values: [1, 2, null] },
] as const;

function drawn(kind: 'columns' | 'lines' | 'rows', more: object = {}) {
  const spec = { kind, title: 'By day', labels: ['Mon', 'Tue', '<b>Wed'], series, ...more };
  const page = parseHtml(`<!doctype html>\n${chartFigure(spec, table).markup}`);
  const marks = allElements(page)
    .filter(({ name, attributes }) => ['rect', 'path'].includes(name) && attributes['class'] !== 'spot')
    .map(({ attributes: { class: tone, x, y, width, height, d } }) => ({ tone, x, y, width, height, d }));
  const titles = elementsNamed(page, 'title').map(({ children: [text] }) => text);
  return { page, marks, titles };
}

test('columns stand on each other, in proportion to the highest', () => {
  const { marks } = drawn('columns');
  expect(marks).toMatchObject([
    { tone: 'good', x: '0.1', y: '25', height: '75' },
    { tone: 'warn', x: '0.1', y: '0', height: '25' },
    { tone: 'warn', x: '1.1', y: '50', height: '50' },
  ]);
});

test('rows begin where the one before ends, up to a maximum that is known', () => {
  expect(drawn('rows', { maximum: 8 }).marks).toMatchObject([
    { tone: 'good', x: '0', width: '37.5' },
    { tone: 'warn', x: '37.5', width: '12.5' },
    { tone: 'warn', x: '0', width: '25' },
  ]);
});

test('a line is broken where a value is missing, and one value alone is a dot', () => {
  const values = [1, 2, null, 4];
  const { marks } = drawn('lines', { labels: ['a', 'b', 'c', 'd'], series: [{ ...series[0], values }] });
  expect(marks.map(({ d }) => d)).toEqual(['M0.5 75h0L1.5 50M3.5 0h0']);
});

test.each(['columns', 'lines', 'rows'] as const)(
  '%s name each value, their meaning and nothing as such',
  (kind) => {
    const { page, titles } = drawn(kind);
    expect(titles).toEqual(['Mon: 3 paid, 1 refused', 'Tue: 0 paid, 2 refused', '<b>Wed: nothing']);
    expect(textIn(page)).toContain('■ paid■ refused');
    expect(elementsNamed(page, 'b')).toEqual([]);
    const [chart] = allElements(page).filter(({ attributes }) => attributes['role'] === 'img');
    expect(chart?.attributes['aria-label']).toBe('By day');
  },
);

test('a chart without any value has no marks', () => {
  expect(drawn('columns', { series: [{ ...series[0], values: [0, 0, null] }] }).marks).toEqual([]);
});
