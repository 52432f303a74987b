import { expect, test } from 'vitest';
import { pageOf, type Routes, recordsIn, standInShop } from './serve-stand-in.ts';

const originIds = ['P1', 'P2', 'P3'];
const once = ['-c', 'retries=0'];

/** A shop with these products that answers every write with this status. */
async function overloadedShop(status: number, products: readonly object[] = [], routes: Routes = {}) {
  const refuse: Routes[string] = (_, outgoing) => outgoing.writeHead(status).end();
  const shop = await standInShop({
    'GET /admin/v2/products': () => pageOf(products),
    'GET /admin/v2/product-groups': () => pageOf([]),
    'POST /admin/v2/product': refuse,
    ...routes,
    'PATCH /admin/v2/product/{}': refuse,
    'GET /admin/v2/review/{}': () => ({ id: 'R1', isVisible: true }),
    'PATCH /admin/v2/review/{}': refuse,
  });
  const rows = originIds.map((originId) => `${originId},New,https://shop.example/${originId}.png`);
  shop.writeLines('products.csv', ['originId,name,imageUrl', ...rows]);
  return shop;
}

const wordsIn = (result: { readonly stdout: string }) => recordsIn(result).map(({ outcome }) => outcome);
const listed = originIds.map((originId, index) => ({ id: `${index + 1}`, originId, name: 'Old' }));

test.each([
  ['creations are asked to slow down', 429, []],
  ['updates are asked to slow down', 503, listed],
  ['updates fail', 500, listed],
] as const)('a push of a few products whose %s is exit 5, with the failure', async (_, status, products) => {
  const shop = await overloadedShop(status, products);
  const result = await shop.cli('products', 'push', 'products.csv', ...once);
  expect({ exitCode: result.exitCode, words: wordsIn(result) }).toEqual({
    exitCode: 5,
    words: ['failed', 'failed', 'failed'],
  });
  expect(result.stderr).toContain('hint: run the same command again later');
});

test('where others were refused, exit 5 says that the same command goes on', async () => {
  const refused: Routes = {
    'POST /admin/v2/product': (_, outgoing) => {
      outgoing.writeHead(422);
      return { detail: 'no such category' };
    },
  };
  const shop = await overloadedShop(503, listed.slice(0, 1), refused);
  const result = await shop.cli('products', 'push', 'products.csv', ...once);
  expect({ exitCode: result.exitCode, words: wordsIn(result) }).toEqual({
    exitCode: 5,
    words: ['failed', 'rejected', 'rejected'],
  });
});

test.each([429, 500, 503])('a review that cannot be hidden because of %i is exit 5', async (status) => {
  const { cli } = await overloadedShop(status);
  const result = await cli('reviews', 'hide', 'R1', ...once);
  expect({ exitCode: result.exitCode, words: wordsIn(result) }).toEqual({ exitCode: 5, words: ['failed'] });
});

test('so is one whose service cannot be reached', async () => {
  const { cli } = await overloadedShop(500);
  const result = await cli('reviews', 'hide', 'R1', '-c', 'base-url=http://127.0.0.1:9', ...once);
  expect({ exitCode: result.exitCode, words: wordsIn(result) }).toEqual({ exitCode: 5, words: ['failed'] });
});
