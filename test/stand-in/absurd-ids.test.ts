import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { pageOf, recordsIn, standInShop } from './serve-stand-in.ts';

const originIds = ['P1', 'P2', 'P3'];
const row = (originId: string) => `${originId},New,https://shop.example/${originId}.png`;

/** A shop with these products, which assigns the id `../x` to the next one. */
async function productShop(products: readonly JsonObject[]) {
  const shop = await standInShop({
    'GET /admin/v2/products': () => pageOf(products),
    'GET /admin/v2/product-groups': () => pageOf([]),
    'POST /admin/v2/product': ({ body }) => ({ ...(isJsonObject(body) ? body : {}), id: '../x' }),
    'PATCH /admin/v2/product/{}': ({ ids: [id], body }) => {
      const product = products.find((one) => one['id'] === id);
      return { ...product, ...(isJsonObject(body) ? body : {}) };
    },
  });
  shop.writeLines('products.csv', ['originId,name,imageUrl', ...originIds.map(row)]);
  const push = async () => {
    const { exitCode, ...result } = await shop.cli('products', 'push', 'products.csv');
    return { exitCode, outcomes: recordsIn(result).map(({ outcome, error }) => [outcome, error]) };
  };
  return { ...shop, push };
}

const listed = (originId: string, id: string) => ({ id, originId, name: 'Old' });
const noPath = expect.stringContaining('productId must be an id');

test('a product that is listed with an id that fits in no path is rejected, and the others are updated', async () => {
  const shop = await productShop([listed('P1', '..'), listed('P2', '2'), listed('P3', '3')]);
  expect(await shop.push()).toEqual({
    exitCode: 6,
    outcomes: [
      ['rejected', noPath],
      ['updated', undefined],
      ['updated', undefined],
    ],
  });
});

test('a product that was created with such an id is rejected by the next run, which goes on', async () => {
  const shop = await productShop([listed('P2', '2'), listed('P3', '3')]);
  expect((await shop.push()).outcomes.map(([outcome]) => outcome)).toEqual(['created', 'updated', 'updated']);
  const again = await shop.push();
  expect(again.exitCode).toBe(6);
  expect(again.outcomes.map(([outcome]) => outcome)).toEqual(['rejected', 'updated', 'updated']);
  expect(shop.countOf('POST /admin/v2/product')).toBe(1);
});
