import { expect, test } from 'vitest';
import { chartFigure } from '../../src/output/reports/chart.ts';
import { allElements, elementsNamed, parseHtml, textIn } from './parse-html.ts';

const columns = [
  { header: 'paid', tone: 'good', cells: [3, 0, null] },
  { header: 'refused', tone: 'warn', cells: [1, 2, null] },
] as const;

function drawn(kind: 'columns' | 'lines' | 'rows', more: object = {}) {
  const figure = { kind, title: 'By day', of: 'Day', labels: ['Mon', 'Tue', '<b>Wed'], columns, ...more };
  const page = parseHtml(`<!doctype html>\n${chartFigure(figure).markup}`);
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
  const cells = [1, 2, null, 4];
  const { marks } = drawn('lines', { labels: ['a', 'b', 'c', 'd'], columns: [{ ...columns[0], cells }] });
  expect(marks.map(({ d }) => d)).toEqual(['M0.5 75h0L1.5 50M3.5 0h0']);
});

test.each([
  ['columns', '2 refused'],
  ['lines', '0 paid, 2 refused'],
  ['rows', '2 refused'],
] as const)('%s name each value, their meaning and nothing as such', (kind, tuesday) => {
  const { page, titles } = drawn(kind);
  expect(titles).toEqual(['Mon: 3 paid, 1 refused', `Tue: ${tuesday}`, '<b>Wed: nothing']);
  expect(textIn(page)).toContain('■ paid■ refused');
  expect(elementsNamed(page, 'b')).toEqual([]);
  const [chart] = allElements(page).filter(({ attributes }) => attributes['role'] === 'img');
  expect(chart?.attributes['aria-label']).toBe('By day');
});

test('a chart without any value has no marks', () => {
  expect(drawn('columns', { columns: [{ ...columns[0], cells: [0, 0, null] }] }).marks).toEqual([]);
});
