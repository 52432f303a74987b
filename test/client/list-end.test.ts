import { describe, expect, it, test } from 'vitest';
import { createPageCheck, createWindowsCheck, endlessList } from '../../src/client/list-end.ts';

/** A page: the number of its records, the cursor of the next page, its first and last ids, and its total. */
type SentPage = readonly [
  count: number,
  cursor: string | undefined,
  ids?: readonly string[] | undefined,
  total?: number | null,
];

/** The error that ends a list of these pages. */
function endOf(...pages: readonly SentPage[]) {
  const check = createPageCheck('listProducts', undefined);
  try {
    for (const [count, cursor, outerIds = [count], totalCount] of pages)
      check({ envelope: { totalCount }, count, outerIds }, cursor);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

const ended = (what: string) => `listProducts: ${what}, so the list cannot be read to its end`;

describe('a list', () => {
  it.each<[string, readonly SentPage[]]>([
    ['of one page', [[3, undefined]]],
    ['of no records', [[0, undefined]]],
    [
      'with two empty pages in a row',
      [
        [0, 'a'],
        [0, 'b'],
        [1, 'c'],
        [0, 'd'],
        [0, 'e'],
      ],
    ],
    [
      'whose third empty page is its last',
      [
        [0, 'a'],
        [0, 'b'],
        [0, undefined],
      ],
    ],
    [
      'of pages that differ in one end',
      [
        [2, 'a', ['1', '2']],
        [2, 'b', ['1', '3']],
        [2, undefined, ['2', '3']],
      ],
    ],
    [
      'of pages of different lengths',
      [
        [2, 'a', ['1', '2']],
        [3, undefined, ['1', '2']],
      ],
    ],
  ])('%s has an end', (_, pages) => {
    expect(endOf(...pages)).toBeUndefined();
  });

  it.each<[string, readonly SentPage[], string]>([
    [
      'the same endCursor',
      [
        [1, 'a'],
        [2, 'a'],
      ],
      'the service gave the same endCursor twice',
    ],
    [
      'three empty pages',
      [
        [0, 'a'],
        [0, 'b'],
        [0, 'c'],
      ],
      'the service gave 3 empty pages that promise more',
    ],
    [
      'the same page',
      [
        [2, 'a', ['1', '2']],
        [2, undefined, ['1', '2']],
      ],
      'the service gave the same page twice, as if it ignored the parameter after',
    ],
  ])('that gives %s has none', (_, pages, what) => {
    expect(endOf(...pages)).toBe(ended(what));
  });
});

describe('the length of a list', () => {
  const lastOf = (records: number, totalCount: number | null) => endOf([records, 'a', undefined, totalCount]);
  const tooLong = (records: number, of: string) =>
    ended(`the service gave ${records} records on 1 pages of a list ${of}, and promises more`);

  it.each([
    [10_000, 0, undefined],
    [10_001, 0, tooLong(10_001, 'with a totalCount of 0')],
    [12_000, 1000, undefined],
    [12_001, 1000, tooLong(12_001, 'with a totalCount of 1000')],
    [10_000, -5, undefined],
    [10_001, -5, tooLong(10_001, 'with a totalCount of -5')],
    [1e9, null, undefined],
  ])('of %i records is held against its total of %s', (records, total, what) => {
    expect(lastOf(records, total)).toBe(what);
  });

  test('is held against its first total, and is right where it promises no more', () => {
    const endWith = (cursor: string | undefined) =>
      endOf([1, 'a', undefined, 0], [10_000, cursor, undefined, 99_999]);
    expect(endWith('b')).toBe(
      ended('the service gave 10001 records on 2 pages of a list with a totalCount of 0, and promises more'),
    );
    expect(endWith(undefined)).toBeUndefined();
  });

  test('in windows of time may be twice as much, since neighbours share records', () => {
    const check = createWindowsCheck('listReviews', 1000);
    check(24_000);
    expect(() => check(1)).toThrow(
      expect.objectContaining({
        kind: 'inconsistent-list',
        message:
          'listReviews: the service gave 24001 records on 2 pages of a list with a totalCount of 1000, in time windows, ' +
          'so the list cannot be read to its end',
      }),
    );
    expect(() => createWindowsCheck('listReviews', undefined)(1e9)).not.toThrow();
  });
});

test('a list without an end is told with what is still right', () => {
  expect(endlessList('listReviews', 'it goes on')).toMatchObject({
    kind: 'inconsistent-list',
    message: 'listReviews: it goes on, so the list cannot be read to its end',
    hint:
      'the records before this page are complete; run the same command again; ' +
      'if this persists, report it to the operator of the service',
    place: { operation: 'listReviews' },
  });
});
