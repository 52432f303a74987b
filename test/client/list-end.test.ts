import { describe, expect, it, test } from 'vitest';
import { createPageCheck, createWindowsCheck, endlessList } from '../../src/client/list-end.ts';

const page = (
  count: number,
  { totalCount = undefined as number | null | undefined, ids = [count] as unknown[] } = {},
) => ({
  envelope: { totalCount },
  count,
  outerIds: ids,
});

/** What ends a list of these pages, each with the cursor of the next one. */
function endOf(pages: readonly (readonly [ReturnType<typeof page>, string | undefined])[]) {
  const check = createPageCheck('listProducts', undefined);
  try {
    for (const [one, cursor] of pages) check(one, cursor);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

const ended = (what: string) => `listProducts: ${what}, so the list cannot be read to its end`;

describe('a list', () => {
  it.each([
    ['of one page', [[page(3), undefined]]],
    ['of no records', [[page(0), undefined]]],
    [
      'with two empty pages in a row',
      [
        [page(0), 'a'],
        [page(0), 'b'],
        [page(1), 'c'],
        [page(0), 'd'],
        [page(0), 'e'],
      ],
    ],
    [
      'whose third empty page is its last',
      [
        [page(0), 'a'],
        [page(0), 'b'],
        [page(0), undefined],
      ],
    ],
    [
      'of pages that differ in one end',
      [
        [page(2, { ids: ['1', '2'] }), 'a'],
        [page(2, { ids: ['1', '3'] }), 'b'],
        [page(2, { ids: ['2', '3'] }), undefined],
      ],
    ],
    [
      'of pages of different lengths',
      [
        [page(2, { ids: ['1', '2'] }), 'a'],
        [page(3, { ids: ['1', '2'] }), undefined],
      ],
    ],
  ] as const)('%s has an end', (_, pages) => {
    expect(endOf(pages)).toBeUndefined();
  });

  it.each([
    [
      'the same endCursor',
      [
        [page(1), 'a'],
        [page(2), 'a'],
      ],
      'the service gave the same endCursor twice',
    ],
    [
      'three empty pages',
      [
        [page(0), 'a'],
        [page(0), 'b'],
        [page(0), 'c'],
      ],
      'the service gave 3 empty pages that promise more',
    ],
    [
      'the same page',
      [
        [page(2, { ids: ['1', '2'] }), 'a'],
        [page(2, { ids: ['1', '2'] }), undefined],
      ],
      'the service gave the same page twice, as if it ignored the parameter after',
    ],
  ] as const)('that gives %s has none', (_, pages, what) => {
    expect(endOf(pages)).toBe(ended(what));
  });
});

describe('the length of a list', () => {
  const lastOf = (records: number, totalCount: number | null) =>
    endOf([[page(records, { totalCount }), 'a']]);
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
    const pages = (cursor: string | undefined) =>
      [
        [page(1, { totalCount: 0 }), 'a'],
        [page(10_000, { totalCount: 99_999 }), cursor],
      ] as const;
    expect(endOf(pages('b'))).toBe(
      ended('the service gave 10001 records on 2 pages of a list with a totalCount of 0, and promises more'),
    );
    expect(endOf(pages(undefined))).toBeUndefined();
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
    hint: 'the records before this page are complete; report this to the operator of the service',
    place: { operation: 'listReviews' },
  });
});
