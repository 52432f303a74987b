import { expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { memoize, memoizeLast } from '../../src/input/cells/memoize.ts';

/** A reader that counts how often it is asked, and numbers its answers. */
function counted(keep: (read: (cell: Json) => number) => (cell: Json) => number) {
  let reads = 0;
  const read = keep(() => {
    reads += 1;
    return reads;
  });
  return (cells: readonly Json[]) => {
    const before = reads;
    return { answers: cells.map(read), reads: reads - before };
  };
}

const texts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

test('a text that comes again is read once, with one answer', () => {
  expect(counted(memoize)(['Y', 'N', 'Y', 'N', 'N'])).toEqual({ answers: [1, 2, 1, 2, 2], reads: 2 });
});

test('no more than 500 texts are kept; those keep their answers', () => {
  const read = counted(memoize);
  expect(read(texts(501)).reads).toBe(501);
  expect(read(texts(500)).reads).toBe(0);
  expect(read(['text 500', 'text 500']).reads).toBe(2);
});

test.each<[string, Json, number]>([
  ['a text of 100 characters is kept', 'x'.repeat(100), 1],
  ['a longer one is read each time', 'x'.repeat(101), 2],
  ['a number is read each time', 1, 2],
  ['an object is read each time', {}, 2],
  ['a list is read each time', [], 2],
])('%s', (_, cell, reads) => {
  expect(counted(memoize)([cell, cell]).reads).toBe(reads);
});

test('of a column that is the same in all rows of an order only the last value is kept', () => {
  const read = counted(memoizeLast);
  expect(read(['A', 'A', 'A', 'B', 'B'])).toEqual({ answers: [1, 1, 1, 2, 2], reads: 2 });
  expect(read(['A']).reads).toBe(1);
});
