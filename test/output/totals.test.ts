import { expect, test } from 'vitest';
import { counted, listTotal, pushTotal } from '../../src/output/terminal/totals.ts';

test.each([
  [120, 3400, '120 of 3,400 reviews'],
  [3400, 3400, '3,400 of 3,400 reviews'],
  [1, 1, '1 of 1 review'],
  [0, 0, 'no reviews'],
  [0, 12, '0 of 12 reviews'],
  [101, 100, '101 of 101 reviews'],
  [120, undefined, '120 reviews'],
  [0, null, 'no reviews'],
])('a list of %i of %s ends with "%s"', (shown, total, line) => {
  expect(listTotal(shown, total, 'review')).toBe(line);
});

test.each([
  [
    'order item',
    { created: 0, queued: 18_000, skipped: 1990, unknown: 10 },
    12_345,
    '20,000 order items: 18,000 queued, 1,990 skipped, 10 unknown in 12.3 s',
  ],
  ['category', { created: 1 }, 125_000, '1 category: 1 created in 2 min 5 s'],
  ['category', { created: 0 }, 10, 'no categories'],
  ['product', { created: 2 }, 59_940, '2 products: 2 created in 59.9 s'],
  ['product', { created: 2 }, 59_960, '2 products: 2 created in 1 min 0 s'],
] as const)(
  'a push whose records, each a %s, became %o in %i ms ends with "%s"',
  (noun, outcomes, elapsedMs, line) => {
    expect(pushTotal({ noun, outcomes, elapsedMs })).toBe(line);
  },
);

test('counts read as a sentence would', () => {
  expect([0, 1, 2, 1_234_567].map((count) => counted(count, 'product group'))).toEqual([
    'no product groups',
    '1 product group',
    '2 product groups',
    '1,234,567 product groups',
  ]);
});
