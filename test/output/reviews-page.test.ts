import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { checkedPage, tablesOf } from './check-page.ts';
import { pageOf, reviewOf } from './make-reviews-page.ts';
import { textIn } from './parse-html.ts';

const tableOf = (text: string, caption: string) => tablesOf(text).get(caption)?.slice(1);

const times = (count: number, review: JsonObject) => Array.from({ length: count }, () => review);

test('ratings, months and products are what the reviews say', async () => {
  const text = await pageOf([
    ...times(6, reviewOf(5, 'A', '좋아요', { images: [{ url: 'x' }] })),
    ...times(3, reviewOf(1, 'B', '배송이 느려요')),
    reviewOf(4, 'B', '무난해요', { createdAt: '2026-10-31T16:00:00Z', videos: [{ url: 'y' }] }),
  ]);
  expect(tableOf(text, 'Reviews by rating')).toEqual([
    ['rated 5', '6', '60.0 %'],
    ['rated 4', '1', '10.0 %'],
    ['rated 1', '3', '30.0 %'],
  ]);
  expect(tableOf(text, 'Ratings by month')).toEqual([
    ['2026-11', '10', '3.70', '30.0 %', '60.0 %', '10.0 %'],
  ]);
  expect(textIn(checkedPage(text))).toContain('photo 60.0 %, video 10.0 %');
  expect(tableOf(text, 'Products, the worst first')?.map(([, ...cells]) => cells)).toEqual([
    ['B', '4', '1.75', '75.0 %', '0.0 %', '25.0 %'],
    ['A', '6', '5.00', '0.0 %', '100.0 %', '0.0 %'],
  ]);
});

test('one bad review of a product weighs less than many', async () => {
  const text = await pageOf([
    ...times(200, reviewOf(5, 'A', '좋아요')),
    ...times(50, reviewOf(2, 'B', '별로예요')),
    reviewOf(1, 'C', '별로예요'),
    { id: '1', product: { originId: 'D' } },
  ]);
  // An unrated product is listed, too, as the page says of how many products its reviews are.
  expect(tableOf(text, 'Products, the worst first')?.map(([, id]) => id)).toEqual(['B', 'C', 'D', 'A']);
});

test('no text of a consumer or a catalog becomes markup or acts', async () => {
  const strings = JSON.parse(readFileSync('fixtures/blns/blns.json', 'utf8')) as readonly string[];
  const text = await pageOf(strings.flatMap((hostile) => times(3, reviewOf(1, `${hostile} x`, hostile))));
  checkedPage(text);
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/);
});

test('no review at all is a page that says so', async () => {
  expect(textIn(checkedPage(await pageOf([])))).toContain('No review matches the filters.');
});
