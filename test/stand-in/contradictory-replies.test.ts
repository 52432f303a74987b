import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { pageOf, type Route, recordsIn, standInShop } from './serve-stand-in.ts';

const count = 12;

/** Applies an update to a record, in the way of one service. */
type Take = (record: JsonObject, sent: JsonObject) => JsonObject;

const ignoring: Take = (record) => record;
const taking: Take = (record, { productOriginId: _product, ...sent }) => ({ ...record, ...sent });
/** Treats an update as the whole record. */
const replacing: Take = ({ id, originId, product }, { productOriginId: _product, ...sent }) => ({
  id,
  originId,
  product,
  ...emptyItem,
  ...sent,
});
const emptyItem = { status: null, selectedOptions: [], paidPrice: null, shipment: null };

/** A shop with records of one kind by their ids, each updated by `take`. */
async function shopOf(
  record: JsonObject,
  take: Take,
  routes: (update: Route, get: Route) => Record<string, Route>,
) {
  const records = new Map(
    Array.from({ length: count }, (_, index) => {
      const id = `${index + 1}`;
      return [id, { ...record, id, originId: `R${id}` } as JsonObject];
    }),
  );
  const update: Route = ({ ids, body }) => {
    const id = ids.at(-1) ?? '';
    const updated = take(records.get(id) ?? {}, isJsonObject(body) ? body : {});
    records.set(id, updated);
    return updated;
  };
  const shop = await standInShop(routes(update, ({ ids }) => records.get(ids.at(-1) ?? '')));
  const writes = () => shop.asked.filter((asked) => !asked.startsWith('GET'));
  return { ...shop, records, writes };
}

const reviewRoutes = (update: Route, get: Route) => ({
  'GET /admin/v2/review/{}': get,
  'PATCH /admin/v2/review/{}': update,
});

/** A command, its request, the reply, and the kind of record, the finding and the hint that the failure names. */
const single: readonly (readonly [string, string, JsonObject, string, string, string])[] = [
  [
    'products update 7 --name Cup',
    'PATCH /admin/v2/product/{}',
    { id: '7', name: 'Mug' },
    'product',
    'name was sent as "Cup", and the service shows "Mug"',
    'reviewctl products get 7',
  ],
  [
    'orders update 7 --member-origin-id m-78',
    'PATCH /admin/v2/order/{}',
    { id: '7', memberOriginId: 'm-77' },
    'order',
    'memberOriginId was sent as "m-78", and the service shows "m-77"',
    'reviewctl orders get 7',
  ],
  [
    'orders add-item 7 --origin-id I2 --product-origin-id P1',
    'POST /admin/v2/order/{}/order-item',
    { id: '7', items: [{ id: '1', originId: 'I1' }] },
    'order',
    'items was sent as ["I2"], and the service shows ["I1"]',
    'reviewctl orders get 7',
  ],
  [
    'order-items update 7 --product-origin-id P1 --shipment-tracking-number 693340618584',
    'PATCH /admin/v2/order-item/{}',
    { id: '7', product: { originId: 'P1' }, shipment: { trackingNumber: '1' } },
    'order item',
    'shipment.trackingNumber was sent as "693340618584", and the service shows "1"',
    'reviewctl orders get ORDER_ID --fields items',
  ],
  [
    'rewards update 7 --status CANCELLED --yes',
    'PATCH /admin/v2/reward/{}',
    { id: '7', status: 'QUEUED' },
    'reward',
    'status was sent as "CANCELLED", and the service shows "QUEUED"',
    'reviewctl rewards get 7',
  ],
  [
    'categories create --origin-id C1 --name Mugs --is-visible false',
    'POST /admin/v2/category',
    { id: '7', originId: 'C1', name: 'Mugs', isVisible: true },
    'category',
    'isVisible was sent as false, and the service shows true',
    'the pages of the service show it',
  ],
  [
    'product-groups add-product 7 1',
    'PUT /admin/v2/product-group/{}/products/{}',
    { id: '8', name: 'Mugs' },
    'product group',
    'id was sent as "7", and the service shows "8"',
    'reviewctl product-groups list',
  ],
  [
    'api updateReview --param reviewId=7 --body {"isVisible":false}',
    'PATCH /admin/v2/review/{}',
    { id: '7', isVisible: true },
    'review',
    'isVisible was sent as false, and the service shows true',
    'reviewctl reviews get 7',
  ],
];

test.each(single)(
  '%s: a value that was not taken is exit 6 with both values, and where to look',
  async (line, route, shown, noun, told, look) => {
    const { cli } = await standInShop({ [route]: () => shown });
    const { exitCode, stdout, stderr } = await cli(...line.split(' '));
    expect({ exitCode, shown: JSON.parse(stdout) }).toEqual({ exitCode: 6, shown });
    expect(stderr).toContain(`${noun} 7 does not have the intended values: ${told}`);
    expect(stderr).toContain(`look at it: ${look}; if it is right there`);
    const unproven = await cli(...line.split(' '), '-c', 'write-reply=earlier');
    expect(unproven.exitCode).toBe(0);
  },
);

test('of many reviews, one write finds out that the service leaves them visible', async () => {
  const review = { isVisible: true };
  const shop = await shopOf(review, ignoring, reviewRoutes);
  const result = await shop.cli('reviews', 'hide', ...shop.records.keys());
  expect({ exitCode: result.exitCode, writes: shop.writes() }).toEqual({
    exitCode: 6,
    writes: ['PATCH /admin/v2/review/1'],
  });
  expect(recordsIn(result)).toMatchObject([{ id: '1', outcome: 'failed' }]);
  expect(result.stderr).toContain('isVisible was sent as false, and the service shows true');
});

test('one review that is blocked keeps no other from being hidden', async () => {
  const take: Take = (review, sent) => (review['isBlocked'] === true ? review : taking(review, sent));
  const review = { isVisible: true, isBlocked: false };
  const shop = await shopOf(review, take, reviewRoutes);
  shop.records.set('1', { id: '1', isVisible: true, isBlocked: true });
  const result = await shop.cli('reviews', 'hide', ...shop.records.keys());
  expect(result.exitCode).toBe(6);
  expect(recordsIn(result).map(({ outcome }) => outcome)).toEqual([
    'rejected',
    ...Array(count - 1).fill('updated'),
  ]);
});

const item = {
  status: 'RETURN',
  product: { id: '1', originId: 'P1' },
  selectedOptions: [{ name: 'size', value: 'L' }],
  paidPrice: '12900',
  shipment: { companyCode: '04', trackingNumber: '693340618584', deliveredAt: null },
};

/** Pushes new prices of all items. */
async function pushPrices(take: Take) {
  const shop = await shopOf(item, take, (update, get) => ({
    'PATCH /admin/v2/order-item/{}': update,
    'GET /admin/v2/order/{}/order-item/{}': get,
  }));
  const rows = [...shop.records.keys()].map((id) => `${id},3,P1,9900`);
  shop.writeLines('items.csv', ['id,order.id,productOriginId,paidPrice', ...rows]);
  const push = (...flags: readonly string[]) => shop.cli('order-items', 'push', 'items.csv', ...flags);
  return { ...shop, push };
}

test('an update of an item that resets what it leaves out stops the push at the first item, with the way back and the setting', async () => {
  const { push, writes, cli, records } = await pushPrices(replacing);
  const result = await push();
  expect({ exitCode: result.exitCode, writes: writes() }).toEqual({
    exitCode: 6,
    writes: ['PATCH /admin/v2/order-item/1'],
  });
  expect(recordsIn(result)).toMatchObject([{ outcome: 'failed', id: '1' }]);
  expect(result.stderr).toContain('status was not sent, and changed from "RETURN" to null');
  const [, line = ''] = /restore it: reviewctl (.*?); then continue with/.exec(result.stderr) ?? [];
  await cli(...line.replaceAll("'", '').split(' '), '--paid-price', '9900');
  expect(records.get('1')).toMatchObject({
    status: 'RETURN',
    selectedOptions: [{ name: 'size', value: 'L' }],
  });
  const whole = await push('-c', 'defaults-on-update=apply');
  expect(whole.exitCode).toBe(0);
  const { deliveredAt: _, ...shipment } = item.shipment;
  const changed = { ...item, paidPrice: 9900, shipment };
  expect([...records.values()].map(({ id: _id, originId: _originId, ...has }) => has)).toEqual(
    Array(count).fill(changed),
  );
});

test('a price that is not taken stops the push at the first item, and is sent again by the next', async () => {
  const { push, writes } = await pushPrices(ignoring);
  expect((await push()).exitCode).toBe(6);
  const again = await push();
  expect({ exitCode: again.exitCode, writes: writes() }).toEqual({
    exitCode: 6,
    writes: ['PATCH /admin/v2/order-item/1', 'PATCH /admin/v2/order-item/1'],
  });
  expect(again.stderr).toContain('paidPrice was sent as 9900, and the service shows "12900"');
});

test('a category that comes out otherwise stops the push before the second', async () => {
  const { cli, writeLines, countOf } = await standInShop({
    'POST /admin/v2/category': ({ body }) => ({
      ...(isJsonObject(body) ? body : {}),
      id: '1',
      isVisible: true,
    }),
  });
  const rows = ['C1', 'C2', 'C3'].map((originId) => `${originId},Mugs,false`);
  writeLines('categories.csv', ['originId,name,isVisible', ...rows]);
  const { exitCode, stderr } = await cli('categories', 'push', 'categories.csv');
  expect({ exitCode, creations: countOf('POST /admin/v2/category') }).toEqual({ exitCode: 6, creations: 1 });
  expect(stderr).toContain('isVisible was sent as false, and the service shows true');
});

test('products that come out otherwise stop the push before the second creation', async () => {
  const { cli, writeLines, countOf } = await standInShop({
    'GET /admin/v2/products': () => pageOf([]),
    'POST /admin/v2/product': ({ body }) => ({ ...(isJsonObject(body) ? body : {}), id: '1', name: 'MUG' }),
  });
  const rows = Array.from({ length: count }, (_, index) => `P${index},Mug`);
  writeLines('products.csv', ['originId,name', ...rows]);
  const { exitCode } = await cli('products', 'push', 'products.csv');
  expect({ exitCode, creations: countOf('POST /admin/v2/product') }).toEqual({ exitCode: 6, creations: 1 });
});
