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

test('a push ends with what became of its records', () => {
  const outcomes = { created: 0, queued: 18_000, skipped: 1990, unknown: 10 };
  expect(pushTotal({ noun: 'order item', outcomes, elapsedMs: 12_345 })).toBe(
    '20,000 order items: 18,000 queued, 1,990 skipped, 10 unknown in 12.3 s',
  );
  expect(pushTotal({ noun: 'category', outcomes: { created: 1 }, elapsedMs: 125_000 })).toBe(
    '1 category: 1 created in 2 min 5 s',
  );
  expect(pushTotal({ noun: 'category', outcomes: { created: 0 }, elapsedMs: 10 })).toBe('no categories');
});

test('minutes begin at sixty seconds, also when rounded', () => {
  const total = (elapsedMs: number) => pushTotal({ noun: 'product', outcomes: { created: 2 }, elapsedMs });
  expect(total(59_940)).toBe('2 products: 2 created in 59.9 s');
  expect(total(59_960)).toBe('2 products: 2 created in 1 min 0 s');
});

test('counts read as a sentence would', () => {
  expect([0, 1, 2, 1_234_567].map((count) => counted(count, 'product group'))).toEqual([
    'no product groups',
    '1 product group',
    '2 product groups',
    '1,234,567 product groups',
  ]);
});
