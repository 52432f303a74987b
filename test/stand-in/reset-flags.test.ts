import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { pageOf, recordsIn, standInShop, textOf } from './serve-stand-in.ts';

const update = 'PATCH /admin/v2/product/{}';
const productCount = 20;

/** A shop whose product updates apply `take`, and a file with new names of its products. */
async function updatingShop(take: (product: JsonObject, sent: JsonObject) => JsonObject) {
  const products = new Map<string, JsonObject>(
    Array.from({ length: productCount }, (_, index) => {
      const id = `${index + 1}`;
      return [id, { id, originId: `P${id}`, name: 'Mug', isAlimtalkEnabled: false, isReviewDisabled: true }];
    }),
  );
  let updates = 0;
  const shop = await standInShop({
    'GET /admin/v2/products': () => pageOf([...products.values()]),
    [update]: ({ ids: [id = ''], body }) => {
      updates += 1;
      const updated = take(products.get(id) ?? {}, isJsonObject(body) ? body : {});
      products.set(id, updated);
      return updated;
    },
  });
  const rows = [...products.values()].map(({ originId }) => `${textOf(originId)},Cup`);
  shop.writeLines('names.csv', ['originId,name', ...rows]);
  const push = (...flags: readonly string[]) => shop.cli('products', 'push', 'names.csv', ...flags);
  return { ...shop, push, products, updates: () => updates };
}

const resetting = (product: JsonObject, sent: JsonObject) => ({
  ...product,
  isAlimtalkEnabled: true,
  isReviewDisabled: false,
  ...sent,
});

test('a service whose updates reset the flags is found out at the first product, exit 6, with both values and the setting', async () => {
  const { push, products, updates } = await updatingShop(resetting);
  const result = await push();
  expect(result.exitCode).toBe(6);
  expect(updates()).toBe(1);
  expect(recordsIn(result)).toMatchObject([
    { originId: 'P1', outcome: 'failed', error: expect.stringContaining('isReviewDisabled was not sent') },
  ]);
  expect(result.stderr).toContain('changed from true to false');
  expect(result.stderr).toContain('-c defaults-on-update=apply');
  expect(products.get('2')).toMatchObject({ name: 'Mug', isReviewDisabled: true });
});

test('once that was seen, no later push sends an update until the setting is made', async () => {
  const { cli, push, products, updates } = await updatingShop(resetting);
  expect((await push()).exitCode).toBe(6);
  const before = JSON.stringify([...products]);
  for (const again of [await push(), await push()]) {
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('resets what an update leaves out');
    expect(again.stderr).toContain('reviewctl config set defaults-on-update apply');
  }
  expect({ updates: updates(), products: JSON.stringify([...products]) }).toEqual({
    updates: 1,
    products: before,
  });
  expect((await cli('config', 'set', 'defaults-on-update', 'apply')).exitCode).toBe(0);
  expect((await push()).exitCode).toBe(0);
  expect(updates()).toBe(productCount);
});

test('a service that was corrected is believed again by its setting', async () => {
  let take: (product: JsonObject, sent: JsonObject) => JsonObject = resetting;
  const { push } = await updatingShop((product, sent) => take(product, sent));
  expect((await push()).exitCode).toBe(6);
  take = (product, sent) => ({ ...product, ...sent });
  expect((await push()).exitCode).toBe(2);
  expect((await push('-c', 'defaults-on-update=keep')).exitCode).toBe(0);
});
