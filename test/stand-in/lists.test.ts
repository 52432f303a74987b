import { expect, test } from 'vitest';
import { pageOf, type Route, recordsIn, standInShop } from './serve-stand-in.ts';

const products = Array.from({ length: 91 }, (_, number) => ({ id: `${number}`, originId: `P${number}` }));

/** Runs a list command against a service with this list. */
async function listed(route: Route, command = 'products list -c page-size=30') {
  const shop = await standInShop({ 'GET /admin/v2/products': route });
  const result = await shop.cli(...command.split(' '));
  return { ...result, count: recordsIn(result).length, asked: shop.asked.length };
}

/** Pages of 30 of 91 products, each with its total. */
function pagesWithTotals(totals: readonly (number | null)[], shown = products): Route {
  return ({ query }) => {
    const from = Number(query.get('after') ?? 0);
    const pageInfo = { hasNextPage: from + 30 < 91, endCursor: `${from + 30}` };
    return { totalCount: totals[from / 30], data: shown.slice(from, from + 30), pageInfo };
  };
}

test.each([
  ['is above its only total', [85, 85, 85, 85]],
  ['is below its only total', [97, 97, 97, 97]],
  ['is far below all its changing totals', [999, 1000, 1000, 1000]],
  ['is far below totals that change much', [200, 1000, 1000, 1000]],
  ['is below its totals by more than they changed', [94, 94, 95, 95]],
  ['is above its totals by more than they changed', [88, 88, 89, 89]],
  ['is below the total of its first page, the only one', [92, null, null, null]],
])('a list that %s is exit 6', async (_, totals) => {
  const { exitCode, count, stderr } = await listed(pagesWithTotals(totals));
  expect({ exitCode, count }).toEqual({ exitCode: 6, count: 91 });
  expect(stderr).toContain('the total of the service differs from the records it sent');
});

test('a record that comes twice, in place of another one or beside all, is exit 6', async () => {
  for (const replaced of [1, 0]) {
    const shifted = products.toSpliced(30, replaced, ...products.slice(29, 30));
    const { exitCode, stderr } = await listed(pagesWithTotals([91, 91, 91, 91], shifted));
    expect(exitCode).toBe(6);
    expect(stderr).toContain('records are missing or listed twice');
  }
});

test.each([
  ['grew by one that is not among its records', [91, 92, 92, 92]],
  ['lost one and got another one', [92, 93, 93, 92]],
  ['lost one that was printed', [91, 91, 90, 90]],
  ['got one that moved another to the next page', [90, 90, 91, 91]],
  ['has a total on its last page only', [null, null, null, 91]],
])('a list that %s is complete', async (_, totals) => {
  const { exitCode, count, stderr } = await listed(pagesWithTotals(totals));
  expect({ exitCode, count }).toEqual({ exitCode: 0, count: 91 });
  expect(stderr).not.toContain('differs');
});

test('a cursor with half a character is exit 6 at once, and no flag is blamed', async () => {
  const { exitCode, asked, stderr } = await listed(() => ({
    totalCount: 91,
    data: products.slice(0, 30),
    pageInfo: { hasNextPage: true, endCursor: 'next \ud800' },
  }));
  expect({ exitCode, asked }).toEqual({ exitCode: 6, asked: 1 });
  expect(stderr).toContain('an endCursor that cannot be sent back to it');
});

test('a record without an id does not take its page, and is named once', async () => {
  const strays = [{ originId: 'no id' }, { id: null }, null, 'text'];
  const { exitCode, count, stderr } = await listed(() =>
    pageOf([...products.slice(0, 5), ...strays] as object[]),
  );
  expect(count).toBe(5);
  expect(stderr.match(/records without an id/g)).toHaveLength(1);
  expect(exitCode).toBe(6);
});
