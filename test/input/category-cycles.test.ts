import { expect, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import { findCyclicCategories } from '../../src/input/records/category-cycles.ts';

/** The reasons against categories with these parents, by originId. */
async function refused(parents: Readonly<Record<string, string>>) {
  const categories = Object.entries(parents).map(([originId, parentOriginId]) => ({
    originId,
    parentOriginId,
  }));
  const conflicts = await findCyclicCategories(streamOf(categories));
  return Object.fromEntries([...conflicts].map(([originId, { refusal }]) => [originId, refusal.reason]));
}

test('two cycles are told apart, and of a long one ten members are named', async () => {
  const ring = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [index, `${(index + 1) % 30}`]));
  const reasons = await refused({ ...ring, X: 'Y', Y: 'X' });
  const named = '0 > 1 > 2 > 3 > 4 > 5 > 6 > 7 > 8 > 9 > … > 0';
  expect([reasons['7'], reasons['X']]).toEqual([
    `its parents form a cycle: ${named}`,
    'its parents form a cycle: X > Y > X',
  ]);
});
