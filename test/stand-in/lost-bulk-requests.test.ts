import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { entriesIn, jobsFor, pageOf, recordsIn, standInShop, textOf } from './serve-stand-in.ts';

const bulk = 'POST /admin/v2/order-items/bulk';

/** A shop whose proxy forwards the second bulk request but answers it with 503. `isShown` lets it show its orders. */
async function shopBehindProxy({ isShown }: { readonly isShown: boolean }) {
  const items: JsonObject[] = [];
  const orderOf = ({ orderOriginId }: JsonObject) => textOf(orderOriginId);
  const shop = await standInShop({
    [bulk]: ({ body }, outgoing) => {
      items.push(...entriesIn(body));
      return shop.countOf(bulk) === 2 ? outgoing.writeHead(503).end('upstream timed out') : jobsFor(body);
    },
    'GET /admin/v2/products': () => pageOf([]),
    'GET /admin/v2/reviews': () => pageOf([]),
    'GET /admin/v2/rewards': () => {
      const orders = isShown ? [...new Set(items.map(orderOf))] : [];
      return pageOf(orders.map((originId) => ({ id: `R-${originId}`, order: { id: originId, originId } })));
    },
    'GET /admin/v2/order/{}': ({ ids: [id] }) => ({
      id,
      originId: id,
      items: items
        .filter((item) => orderOf(item) === id)
        .map(({ originId, productOriginId }) => ({
          id: `item-${textOf(originId)}`,
          originId,
          product: { originId: productOriginId },
        })),
    }),
  });
  const rows = Array.from({ length: 300 }, (_, row) => `O${Math.floor(row / 50)},I${row},P`);
  shop.writeLines('items.csv', ['orderOriginId,originId,productOriginId', ...rows]);
  const push = async () => {
    const result = await shop.cli('orders', 'push', 'items.csv', '-c', 'concurrency=1');
    const counts: Record<string, number> = {};
    for (const { outcome } of recordsIn(result)) counts[outcome] = (counts[outcome] ?? 0) + 1;
    return { ...result, counts };
  };
  return { push, items, requests: () => shop.countOf(bulk) };
}

test('items of a lost bulk request that the service shows are created, in the same run', async () => {
  const { push, items, requests } = await shopBehindProxy({ isShown: true });
  const { exitCode, counts } = await push();
  expect({ exitCode, counts }).toEqual({ exitCode: 0, counts: { queued: 200, created: 100 } });
  expect((await push()).counts).toEqual({ skipped: 300 });
  expect({ requests: requests(), items: items.length }).toEqual({ requests: 3, items: 300 });
});

test('those that it does not show are unknown, and the status that lost them is named', async () => {
  const { push, items } = await shopBehindProxy({ isShown: false });
  const { exitCode, counts, stderr } = await push();
  expect({ exitCode, counts }).toEqual({ exitCode: 11, counts: { queued: 200, unknown: 100 } });
  expect(stderr).toMatch(/100 records sent without a usable answer \(.*503.*\)/);
  expect((await push()).counts).toEqual({ skipped: 200, unknown: 100 });
  expect(items.length).toBe(300);
});
