import { expect, test } from 'vitest';
import { chunk, streamOf } from '../../src/base/lists.ts';
import { findMissingProducts } from '../../src/push/lookup/check-products.ts';
import { addProduct, compiledItems, entriesOf, openPush } from './open-push.ts';

function itemsOf(productOriginIds: readonly string[]) {
  const items = productOriginIds.map((productOriginId, index) => ({
    orderOriginId: 'O',
    originId: `I${index}`,
    productOriginId,
  }));
  return compiledItems(streamOf(chunk(entriesOf(items), 500)));
}

test('products the service does not know are told once each, with how many items and where the first stand', async () => {
  const push = await openPush();
  addProduct(push);
  const ids = ['P1', 'P9', 'P8', 'P9', 'P1', 'P9', 'P9'];
  expect(await findMissingProducts(push.api, itemsOf(ids))).toEqual([
    {
      productOriginId: 'P9',
      count: 4,
      first: [3, 5, 7].map((line) => ({ file: 'input.csv', line })),
    },
    { productOriginId: 'P8', count: 1, first: [{ file: 'input.csv', line: 4 }] },
  ]);
});

test('products are looked up a hundred at a time, each once, after one question whether lookups can be believed; nothing is written', async () => {
  const push = await openPush();
  const ids = Array.from({ length: 5000 }, (_, index) => `P${index % 250}`);
  expect(await findMissingProducts(push.api, itemsOf(ids))).toHaveLength(250);
  expect(push.requests.map(({ operation }) => operation)).toEqual(Array(3 + 1).fill('listProducts'));
});

test('of a catalog larger than what is kept, so many products are told as are kept, each counted whole', async () => {
  const push = await openPush();
  const ids = Array.from({ length: 24_000 }, (_, index) => `P${index % 12_000}`);
  const missing = await findMissingProducts(push.api, itemsOf(ids));
  expect(missing).toHaveLength(10_000);
  expect(missing.every(({ count }) => count === 2)).toBe(true);
});
