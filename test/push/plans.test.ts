import { expect, test } from 'vitest';
import type { CategoryRecord, OrderItemRecord } from '../../src/input/records/record-kinds.ts';
import {
  addProduct,
  countedWords,
  entriesOf,
  heldIds,
  openPush,
  orderItems,
  wordsOf,
  writesOf,
} from './open-push.ts';
import { losingAnswers } from './service-habits.ts';

const nothing: readonly never[] = [];

/** Products A and B at the service, and a plan that creates N, renames A and disables reviews of B. */
async function openPlannedProducts() {
  const push = await openPush();
  await push.products(
    entriesOf([
      { originId: 'A', name: '니트', isReviewDisabled: false },
      { originId: 'B', name: '치마' },
    ]),
  );
  const plan: string[] = [];
  const records = entriesOf([
    { originId: 'N', name: '모자', groupName: '봄' },
    { originId: 'A', name: '니트 2', groupName: '봄' },
    { originId: 'B', name: '치마', isReviewDisabled: true },
    { originId: 'X' },
  ]);
  const before = push.requests.length;
  const foretold = await push.products(records, { plan });
  return { push, plan, foretold, before };
}

test('a plan writes nothing when it is made, then exactly what was planned, and a second time nothing', async () => {
  const { push, plan, foretold, before } = await openPlannedProducts();
  expect(wordsOf(foretold.outcomes)).toEqual({ N: 'created', A: 'updated', B: 'updated', X: 'rejected' });
  expect(push.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
  const sent = await push.products(nothing, { planned: plan });
  expect(wordsOf(sent.outcomes)).toEqual(wordsOf(foretold.outcomes));
  expect(
    push.sandbox.transact(({ state }) => [...state.productGroups.values()].map(({ name }) => name)),
  ).toEqual(['봄']);
  const writes = writesOf(push).length;
  const again = await push.products(nothing, { planned: plan });
  expect(wordsOf(again.outcomes)).toEqual({ N: 'unchanged', A: 'unchanged', B: 'unchanged', X: 'rejected' });
  expect(writesOf(push)).toHaveLength(writes);
});

test('a limit counts what is written alone, in requests of many too', async () => {
  const push = await openPush();
  addProduct(push);
  await push.orders(entriesOf(orderItems(3)));
  const { outcomes } = await push.orders(entriesOf(orderItems(200)), { limit: 50, batchSize: 40 });
  expect(countedWords(outcomes)).toEqual({ skipped: 3, queued: 50 });
  const rest = await push.orders(entriesOf(orderItems(200)));
  expect(countedWords(rest.outcomes)).toEqual({ skipped: 53, queued: 147 });
});

test('a limit never cuts an order that is created whole', async () => {
  const push = await openPush({ assumptions: { createOrders: 'POST /admin/v2/orders/bulk' } });
  addProduct(push);
  const items = orderItems(9).map((item) => ({ ...item, orderedAt: '2026-11-01T00:00:00Z' }));
  const { outcomes } = await push.orders(entriesOf(items), { limit: 4 });
  expect(countedWords(outcomes)).toEqual({ queued: 6 });
});

test.each([undefined, 'POST /admin/v2/orders/bulk'])(
  'a plan of orders sends each item once, with createOrders %s',
  async (createOrders) => {
    const push = await openPush({ assumptions: { createOrders } });
    addProduct(push);
    const items: OrderItemRecord[] = orderItems(8).map((item) => ({
      ...item,
      orderedAt: '2026-11-01T00:00:00Z',
    }));
    const plan: string[] = [];
    await push.orders(entriesOf(items), { plan, batchSize: 3 });
    expect(writesOf(push)).toEqual([]);
    await push.orders(nothing, { planned: plan, limit: 3 });
    const { outcomes } = await push.orders(nothing, { planned: plan });
    expect(countedWords(outcomes)).toEqual({ skipped: 3, queued: 5 });
    const again = await push.orders(nothing, { planned: plan });
    expect(countedWords(again.outcomes)).toEqual({ skipped: 8 });
    expect(heldIds(push, 'orderItems').toSorted()).toEqual(items.map(({ originId }) => originId).toSorted());
  },
);

test('a plan of orders whose items are partly there keeps the items of an order together', async () => {
  const push = await openPush({ assumptions: { createOrders: 'POST /admin/v2/orders/bulk' } });
  addProduct(push);
  const itemsOf = (orders: readonly number[], items: readonly number[]) =>
    orders.flatMap((order) =>
      items.map((item) => ({
        orderOriginId: `O${order}`,
        originId: `O${order}-${item}`,
        productOriginId: 'P1',
        orderedAt: '2026-11-01T00:00:00Z',
      })),
    );
  await push.orders(entriesOf(itemsOf([1, 2, 3], [1, 3])));
  const plan: string[] = [];
  await push.orders(entriesOf(itemsOf([1, 2, 3, 4], [1, 2, 3])), { plan });
  const { outcomes } = await push.orders(nothing, { planned: plan });
  expect(countedWords(outcomes)).toEqual({ skipped: 6, queued: 6 });
});

test('an item that was sent otherwise since its plan was made is rejected, and one of unknown fate stays unknown', async () => {
  const push = await openPush({ around: losingAnswers((_, count) => count === 2) });
  addProduct(push);
  const plan: string[] = [];
  await push.orders(entriesOf(orderItems(3)), { plan });
  const [first, second] = orderItems(2);
  if (first === undefined || second === undefined) throw new Error('no items');
  await push.orders(entriesOf([{ ...first, productOriginId: 'P1', orderOriginId: 'OTHER' }]));
  await push.orders(entriesOf([second]));
  const { outcomes } = await push.orders(nothing, { planned: plan });
  expect(wordsOf(outcomes)).toEqual({ I1: 'rejected', I2: 'unknown', I3: 'queued' });
});

test('a plan of categories makes parents before their children, however it is cut', async () => {
  const push = await openPush();
  const records: CategoryRecord[] = [
    { originId: 'C3', name: '셔츠', parentOriginId: 'C2' },
    { originId: 'C2', name: '상의', parentOriginId: 'C1' },
    { originId: 'C1', name: '의류' },
    { originId: 'C4', name: '신발' },
  ];
  const plan: string[] = [];
  await push.categories(entriesOf(records), { plan });
  for (const _ of records) await push.categories(nothing, { planned: plan, limit: 1 });
  const { outcomes } = await push.categories(nothing, { planned: plan });
  expect(countedWords(outcomes)).toEqual({ skipped: 4 });
  expect(heldIds(push, 'categories').toSorted()).toEqual(['C1', 'C2', 'C3', 'C4']);
});
