import { expect, test } from 'vitest';
import { isJsonObject, type Json } from '../../src/base/json.ts';
import { entriesIn, jobsFor, pageOf, recordsIn, standInShop } from './serve-stand-in.ts';

/** A service with one bulk operation for order items, and one that changes them; notes what it is sent. */
async function itemShop(lines: readonly string[]) {
  const sent: Json[] = [];
  const changed: Record<string, Json> = {};
  const shop = await standInShop({
    'POST /admin/v2/order-items/bulk': ({ body }) => {
      sent.push(...entriesIn(body));
      return jobsFor(body);
    },
    'PATCH /admin/v2/order-item/{}': ({ ids: [id = ''], body }) => {
      changed[id] = body;
      return { ...(isJsonObject(body) ? body : {}), id };
    },
    'GET /admin/v2/reviews': () => pageOf([]),
    'GET /admin/v2/rewards': () => pageOf([]),
  });
  shop.writeLines('rows.csv', lines);
  return { ...shop, sent, changed };
}

const orders = [
  'orderOriginId,originId,productOriginId,orderedAt,memberOriginId,buyer.name',
  'O1,A,P,2026-11-20,m1,홍길동',
];

test('orders with members and dates are refused, and nothing reaches the service', async () => {
  const { cli, asked } = await itemShop(orders);
  const { exitCode, stderr } = await cli('orders', 'push', 'rows.csv');
  expect({ exitCode, asked }).toEqual({ exitCode: 3, asked: [] });
  expect(stderr).toContain('orderedAt, memberOriginId, buyer.name: sent only with whole orders');
  expect(stderr).toContain('reviewctl orders push rows.csv --without-order-fields');
});

test('with --without-order-fields the items are sent without them', async () => {
  const { cli, sent } = await itemShop(orders);
  expect((await cli('orders', 'push', 'rows.csv', '--without-order-fields')).exitCode).toBe(0);
  expect(sent).toEqual([{ orderOriginId: 'O1', originId: 'A', productOriginId: 'P' }]);
});

test('rows of a daily export that are in progress keep their status, and get their shipment', async () => {
  const { cli, changed } = await itemShop([
    'id,상품번호,주문상태,택배사,송장번호',
    '1,P,구매확정,CJ대한통운,6933',
    '2,P,배송중,CJ대한통운,6934',
    '3,P,결제완료,CJ대한통운,6935',
  ]);
  const result = await cli('order-items', 'push', 'rows.csv');
  expect(result.exitCode).toBe(0);
  expect(result.stderr).toContain('2 rows are still in progress');
  expect(recordsIn(result).map(({ outcome }) => outcome)).toEqual(['updated', 'updated', 'updated']);
  const statuses = Object.values(changed).map((body) => isJsonObject(body) && (body['status'] ?? null));
  expect(statuses).toEqual(['DELIVERED', null, null]);
});
