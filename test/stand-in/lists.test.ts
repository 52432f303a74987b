import { expect, test } from 'vitest';
import { pageOf, type Route, recordsIn, standInShop } from './serve-stand-in.ts';

const products = Array.from({ length: 91 }, (_, number) => ({ id: `${number}`, originId: `P${number}` }));

/** `products list` against a service that answers the list so. */
async function listed(route: Route) {
  const shop = await standInShop({ 'GET /admin/v2/products': route });
  const result = await shop.cli('products', 'list', '--first', '30');
  return { ...result, count: recordsIn(result).length, asked: shop.asked.length };
}

test.each([
  ['the same cursor', () => 'next'],
  ['a new cursor each time', (page: number) => `next ${page}`],
])(
  'a service that ignores the parameter after, with %s, is exit 6 after the first page',
  async (_, cursor) => {
    let pages = 0;
    const { exitCode, count, stderr } = await listed(() => {
      pages += 1;
      const pageInfo = { hasNextPage: true, endCursor: cursor(pages) };
      return { totalCount: 91, data: products.slice(0, 30), pageInfo };
    });
    expect({ exitCode, count }).toEqual({ exitCode: 6, count: 30 });
    expect(stderr).toContain('so the list cannot be read to its end');
  },
);

test.each([85, 97])('a service that counts %i and sends 91 is exit 6', async (totalCount) => {
  const { exitCode, stderr } = await listed(({ query }) => {
    const from = Number(query.get('after') ?? 0);
    const pageInfo = { hasNextPage: from + 30 < 91, endCursor: `${from + 30}` };
    return { totalCount, data: products.slice(from, from + 30), pageInfo };
  });
  expect(exitCode).toBe(6);
  expect(stderr).toContain('the total of the service differs from the records it sent');
});

test('empty pages that promise more for ever end the list', async () => {
  let pages = 0;
  const { exitCode, asked } = await listed(() => {
    pages += 1;
    return { totalCount: 91, data: [], pageInfo: { hasNextPage: true, endCursor: `${pages}` } };
  });
  expect({ exitCode, isBounded: asked <= 4 }).toEqual({ exitCode: 6, isBounded: true });
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
