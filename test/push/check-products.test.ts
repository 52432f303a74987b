import { expect, test } from 'vitest';
import { chunk, streamOf } from '../../src/base/lists.ts';
import { findMissingProducts } from '../../src/push/lookup/check-products.ts';
import { addProduct, compiledItems, entriesOf, type OpenPush, openPush } from './open-push.ts';

function itemsOf(productOriginIds: readonly string[]) {
  const items = productOriginIds.map((productOriginId, index) => ({
    orderOriginId: 'O',
    originId: `I${index}`,
    productOriginId,
  }));
  return compiledItems(streamOf(chunk(entriesOf(items), 500)));
}

/** The products that the service does not know, with the line of their first item. */
async function missingIn(push: OpenPush, ids: readonly string[]) {
  const missing: string[] = [];
  for await (const { productOriginId, line } of findMissingProducts(push.api, itemsOf(ids)))
    missing.push(`${productOriginId}:${line}`);
  return missing;
}

test('products the service does not know are told once each, with where they are needed first', async () => {
  const push = await openPush();
  addProduct(push);
  const ids = ['P1', 'P9', 'P8', 'P9', 'P1', 'P9', 'P9'];
  expect(await missingIn(push, ids)).toEqual(['P9:3', 'P8:4']);
});

test('products are looked up a hundred at a time, each once, after one question whether lookups can be believed; nothing is written', async () => {
  const push = await openPush();
  const ids = Array.from({ length: 5000 }, (_, index) => `P${index % 250}`);
  expect(await missingIn(push, ids)).toHaveLength(250);
  expect(push.requests.map(({ operation }) => operation)).toEqual(Array(3 + 1).fill('listProducts'));
});
