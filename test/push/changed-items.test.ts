import { expect, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import type { OrderItemRecord } from '../../src/input/records/record-kinds.ts';
import { trackJobs } from '../../src/push/track/track.ts';
import {
  addProduct,
  collect,
  countedWords,
  entriesOf,
  type OpenPush,
  openPush,
  orderItems,
  type PushOptions,
  wordsOf,
  writeReview,
} from './open-push.ts';
import { losingRequests } from './service-habits.ts';

const getJob = 'GET /admin/v2/job/{jobId}';
const createOrders = 'POST /admin/v2/orders/bulk';
const never = new AbortController().signal;

/** A service with products P1 and P2. */
async function openShop(options: PushOptions = {}): Promise<OpenPush> {
  const push = await openPush({ ...options, assumptions: { getJob, ...options.assumptions } });
  addProduct(push);
  await push.api.call('createProduct', { body: { originId: 'P2', name: '치마' } });
  return push;
}

/** Pushes items and waits for their jobs, so that the journal knows the created items. */
async function pushAndWait(push: OpenPush, records: readonly OrderItemRecord[]) {
  const { outcomes } = await push.orders(entriesOf(records));
  const tracking = { kind: 'order-item', waitMs: 60_000, concurrency: 4, stopping: never } as const;
  return collect(trackJobs(streamOf([outcomes]), { ...push, ...tracking, random: () => 0 }));
}

function patches({ requests }: OpenPush): unknown[] {
  return requests.filter(({ method }) => method === 'PATCH').map(({ body }) => JSON.parse(body ?? ''));
}

const changed = (item: OrderItemRecord): OrderItemRecord => ({ ...item, productOriginId: 'P2' });

test('an accepted item with other content is updated where its id is known, and only once', async () => {
  const push = await openShop();
  const made = await pushAndWait(push, orderItems(3));
  const items = orderItems(3).map((item) => (item.originId === 'I2' ? changed(item) : item));
  const { outcomes } = await push.orders(entriesOf(items));
  expect(wordsOf(outcomes)).toEqual({
    I1: 'skipped',
    I2: 'updated',
    I3: 'skipped',
  });
  expect(outcomes.find(({ outcome }) => outcome === 'updated')?.id).toBe(made.outcomes[1]?.id);
  expect(patches(push)).toEqual([{ productOriginId: 'P2' }]);
  expect(countedWords((await push.orders(entriesOf(items))).outcomes)).toEqual({ skipped: 3 });
  expect(patches(push)).toHaveLength(1);
});

test('an accepted item in another order is rejected: no operation moves it', async () => {
  const push = await openShop();
  await pushAndWait(push, orderItems(1));
  const moved = orderItems(1).map((item) => ({ ...item, orderOriginId: 'O9' }));
  const { outcomes } = await push.orders(entriesOf(moved));
  expect(outcomes).toMatchObject([
    { outcome: 'rejected', error: 'already accepted with other content, which no operation can change' },
  ]);
  expect(patches(push)).toEqual([]);
});

test('an accepted item whose id is not known is looked for once it changes, else rejected with that reason', async () => {
  const push = await openShop();
  await push.orders(entriesOf(orderItems(1)));
  const change = async () => (await push.orders(entriesOf(orderItems(1).map(changed)))).outcomes;
  expect(await change()).toMatchObject([
    { outcome: 'rejected', error: expect.stringContaining('is unknown') },
  ]);
  await writeReview(push, 'I1');
  expect(countedWords(await change())).toEqual({ updated: 1 });
});

test('an update that the service refuses is rejected, one that is lost on every try failed; both may be tried again', async () => {
  const push = await openShop({ around: losingRequests(2, 'updateOrderItem'), retries: 1 });
  await pushAndWait(push, orderItems(1));
  const lost = await push.orders(entriesOf(orderItems(1).map(changed)));
  expect(countedWords(lost.outcomes)).toEqual({ failed: 1 });
  const unknown = orderItems(1).map((item) => ({ ...item, productOriginId: 'P404' }));
  expect((await push.orders(entriesOf(unknown))).outcomes).toMatchObject([
    { outcome: 'rejected', error: expect.stringContaining('P404') },
  ]);
  expect(countedWords((await push.orders(entriesOf(orderItems(1).map(changed)))).outcomes)).toEqual({
    updated: 1,
  });
});

test('an update by either push counts for the other: no older product or status comes back', async () => {
  const push = await openShop({ assumptions: { bulkExtraFields: 'taken' } });
  const [row] = orderItems(1);
  await pushAndWait(push, orderItems(1));
  const returned = entriesOf([{ originId: 'I1', status: 'RETURN' as const }]);
  await push.orderItems(returned);
  const order = { ...row, productOriginId: 'P2', status: 'DELIVERED' } as OrderItemRecord;
  await push.orders(entriesOf([order]));
  expect(countedWords((await push.orderItems(returned)).outcomes)).toEqual({ updated: 1 });
  expect(patches(push).at(-1)).toEqual({ productOriginId: 'P2', status: 'RETURN' });
  await push.orders(entriesOf([{ ...order, productOriginId: 'P1' }]));
  await push.orders(entriesOf([order]));
  expect(countedWords((await push.orderItems(returned)).outcomes)).toEqual({ updated: 1 });
});

test('a plan overwrites nothing that was sent since to an item that the service cannot show', async () => {
  const push = await openShop({ assumptions: { bulkExtraFields: 'taken' } });
  await pushAndWait(push, orderItems(1));
  const items = (status: 'RETURN' | 'CANCEL') => entriesOf([{ originId: 'I1', status }]);
  const orders = (paidPrice: string) => entriesOf(orderItems(1).map((item) => ({ ...item, paidPrice })));
  const itemPlan: string[] = [];
  const orderPlan: string[] = [];
  await push.orderItems(items('RETURN'), { plan: itemPlan });
  await push.orders(orders('1000'), { plan: orderPlan });
  await push.orderItems(items('CANCEL'));
  await push.orders(orders('2000'));
  const error = expect.stringContaining('other content was sent since');
  for (const { outcomes } of [
    await push.orderItems([], { planned: itemPlan }),
    await push.orders([], { planned: orderPlan }),
  ])
    expect(outcomes).toMatchObject([{ outcome: 'rejected', error }]);
});

test.each([
  [undefined, 'rejected'],
  [createOrders, 'updated'],
])('a part of a shipment, with createOrders %s, is %s and loses nothing', async (creation, word) => {
  const push = await openShop({ assumptions: { createOrders: creation, bulkExtraFields: 'taken' } });
  const parcel = { companyCode: '04', trackingNumber: '693340618584' };
  const [item] = orderItems(1).map((one) => ({ ...one, orderedAt: '2026-01-02T03:04:05Z' }));
  const sent = (shipment: OrderItemRecord['shipment']) => [{ ...item, shipment }] as OrderItemRecord[];
  await pushAndWait(push, sent(parcel));
  const { outcomes } = await push.orders(entriesOf(sent({ deliveredAt: '2026-01-04T00:00:00Z' })));
  expect(wordsOf(outcomes)).toEqual({ I1: word });
  const held = push.sandbox.transact(({ state }) => state.orderItems.first('originId', 'I1'));
  expect(held?.shipment).toMatchObject(parcel);
});

test('the fields of an item go out in its order only where the service is said to take them', async () => {
  const details = {
    status: 'DELIVERED',
    paidPrice: '12900.50',
    selectedOptions: [{ name: '색상', value: '브라운' }],
    shipment: { companyCode: 'self', deliveredAt: '2026-01-02T03:04:05+09:00' },
  } as const;
  const sentBy = async (assumptions: PushOptions['assumptions']) => {
    const push = await openShop({ assumptions: { ...assumptions } });
    const before = push.requests.length;
    const orderedAt = '2026-01-02T03:04:05Z';
    await push.orders(entriesOf(orderItems(1).map((item) => ({ ...item, ...details, orderedAt }))));
    const [entry] = JSON.parse(push.requests[before]?.body ?? '');
    const { originId, productOriginId, ...rest } = entry.items[0];
    return { originId, productOriginId, rest };
  };
  const sent = { ...details, paidPrice: 12_900.5 };
  const ids = { originId: 'I1', productOriginId: 'P1' };
  expect(await sentBy({ createOrders })).toEqual({ ...ids, rest: {} });
  expect(await sentBy({ createOrders, bulkExtraFields: 'taken' })).toEqual({ ...ids, rest: sent });
});
