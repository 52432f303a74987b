import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { entriesIn, jobsFor, pageOf, recordsIn, standInShop, textOf } from './serve-stand-in.ts';

const service = [
  ...['-c', 'create-orders=POST /admin/v2/orders/bulk'],
  ...['-c', 'get-job=GET /admin/v2/job/{jobId}'],
];

/** The order as the service stores it, with the service's ids of the order and of each item. */
function stored(order: JsonObject): JsonObject {
  const items = entriesIn(order['items']).map(({ originId, productOriginId }) => ({
    id: `item-${textOf(originId)}`,
    originId: textOf(originId),
    product: { originId: textOf(productOriginId) },
  }));
  return { ...order, id: `order-${textOf(order['originId'])}`, items };
}

/** A service that creates whole orders by jobs, lists none of them, and records the changes of items. */
async function orderShop(isOrderShown: () => boolean = () => true) {
  const orders = new Map<string, JsonObject>();
  const changed: Record<string, Json> = {};
  const shop = await standInShop({
    'POST /admin/v2/orders/bulk': ({ body }) => {
      for (const order of entriesIn(body)) orders.set(textOf(order['originId']), stored(order));
      return jobsFor(body, { status: 'PENDING', endedAt: null });
    },
    'GET /admin/v2/job/{}': ({ ids: [jobId = ''] }) => ({
      jobId,
      entryOriginId: jobId.slice(2),
      successObjectId: `order-${jobId.slice(2)}`,
      status: 'SUCCESS',
      endedAt: '2026-11-20T00:00:01Z',
    }),
    'GET /admin/v2/order/{}': ({ ids: [id = ''] }, outgoing) => {
      const order = isOrderShown() ? orders.get(id.slice('order-'.length)) : undefined;
      if (order === undefined) outgoing.writeHead(404).end('{"detail":"Not Found"}');
      return order;
    },
    'GET /admin/v2/order/{}/order-item/{}': ({ ids: [orderId = '', id] }) =>
      entriesIn(orders.get(orderId.slice('order-'.length))?.['items']).find((item) => item['id'] === id),
    'PATCH /admin/v2/order-item/{}': ({ ids: [id = ''], body }) => {
      changed[id] = isJsonObject(body) ? (body['shipment'] ?? null) : null;
      return { ...(isJsonObject(body) ? body : {}), id };
    },
    'GET /admin/v2/reviews': () => pageOf([]),
    'GET /admin/v2/rewards': () => pageOf([]),
  });
  shop.writeLines('orders.csv', [
    'orderOriginId,originId,productOriginId,orderedAt,memberOriginId',
    'O1,A,P,2026-11-20,m1',
    'O1,B,Q,2026-11-20,m1',
    'O2,O2,P,2026-11-20,m2',
  ]);
  const shipment = (id: string) => `${id},cj,0012${id}`;
  shop.writeLines('shipped.csv', [
    'originId,shipment.companyCode,shipment.trackingNumber',
    ...['A', 'B', 'O2'].map(shipment),
  ]);
  const ship = () => shop.cli('order-items', 'push', 'shipped.csv', '-o', 'ndjson');
  return { ...shop, changed, ship };
}

const shippedIds = ['item-A', 'item-B', 'item-O2'];

test.each([
  ['a push that waits for its jobs', [['orders', 'push', 'orders.csv', '--wait', ...service]]],
  [
    'a push and a later wait',
    [
      ['orders', 'push', 'orders.csv', ...service],
      ['jobs', 'wait', ...service],
    ],
  ],
])('items of whole orders made by %s can be shipped the next day', async (_, commands) => {
  const shop = await orderShop();
  for (const command of commands) expect((await shop.cli(...command)).exitCode).toBe(0);
  const reads = shop.asked.filter((request) => request.startsWith('GET /admin/v2/order/order-'));
  expect(reads.toSorted()).toEqual(['GET /admin/v2/order/order-O1', 'GET /admin/v2/order/order-O2']);
  const result = await shop.ship();
  expect(recordsIn(result).map(({ id, outcome }) => [id, outcome])).toEqual(
    shippedIds.map((id) => [id, 'updated']),
  );
  expect(result.exitCode).toBe(0);
  expect(Object.keys(shop.changed).toSorted()).toEqual(shippedIds);
});

test('so can items whose orders could not be read when their jobs ended', async () => {
  let isOrderShown = false;
  const shop = await orderShop(() => isOrderShown);
  expect((await shop.cli('orders', 'push', 'orders.csv', '--wait', ...service)).exitCode).toBe(0);
  isOrderShown = true;
  expect((await shop.ship()).exitCode).toBe(0);
  expect(Object.keys(shop.changed).toSorted()).toEqual(shippedIds);
});
