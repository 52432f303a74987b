import { expect, test } from 'vitest';
import type { OrderItemUpdateRecord } from '../../src/input/records/record-kinds.ts';
import { transportOf } from '../sandbox/in-process.ts';
import {
  addProduct,
  countedWords,
  entriesOf,
  heldIds,
  type OpenPush,
  openPush,
  orderItems,
  type PushOptions,
} from './open-push.ts';
import { dyingAfter } from './service-habits.ts';

/** A service with products P1 and P2 and the items I1 to I3 of order O1. */
async function openItems(options: PushOptions = {}): Promise<OpenPush> {
  const push = await openPush(options);
  addProduct(push);
  await push.api.call('createProduct', { body: { originId: 'P2', name: '치마' } });
  await push.orders(entriesOf(orderItems(3)));
  heldIds(push, 'orderItems');
  return push;
}

function itemOf({ sandbox }: OpenPush, originId: string) {
  return sandbox.transact(({ state }) => state.orderItems.first('originId', originId));
}

function idOf(push: OpenPush, originId: string): string {
  return itemOf(push, originId)?.id ?? '';
}

function orderIdOf({ sandbox }: OpenPush, originId: string): string {
  return sandbox.transact(({ state }) => state.orders.first('originId', originId)?.id ?? '');
}

/** Lets the journal know the order, as a run that made it whole would. */
async function journalOrder(push: OpenPush, originId = 'O1'): Promise<void> {
  const request = await push.journal.begin('order', []);
  const accepted = [{ entry: { originId, contentHash: '' }, objectId: orderIdOf(push, originId) }];
  await push.journal.end('order', request, { accepted });
}

/** Lets the journal know the id of an item, as a run that waited for its job would. */
async function journalItem(push: OpenPush, originId: string): Promise<void> {
  const { jobId = '' } = (await push.journal.known('order-item', [originId])).get(originId) ?? {};
  const end = { originId, jobId, state: 'succeeded', objectId: idOf(push, originId) } as const;
  await push.journal.endJobs('order-item', [end]);
}

async function writeReview({ sandbox }: OpenPush, orderItemOriginId: string): Promise<void> {
  const reply = await transportOf(sandbox)({
    operation: 'writeReview',
    isRepeatable: false,
    method: 'POST',
    path: '/sandbox/reviews',
    headers: { 'content-type': 'application/json', authorization: `Basic ${sandbox.token}` },
    body: JSON.stringify({ orderItemOriginId }),
  });
  expect(reply.status).toBe(200);
}

/** The operations called since the items were made. */
function calledIn(push: OpenPush, from: number): string[] {
  return push.requests.slice(from).map(({ operation }) => operation);
}

const delivered: Partial<OrderItemUpdateRecord> = {
  status: 'DELIVERED',
  paidPrice: '12900.50',
  shipment: { companyCode: 'self', deliveredAt: '2026-01-02T03:04:05+09:00' },
};

test('what the service shows decides, not what was sent before, where a review leads to the order', async () => {
  const push = await openItems();
  const id = idOf(push, 'I1');
  const entries = entriesOf([{ id, orderOriginId: 'O1', productOriginId: 'P1', ...delivered }]);
  await push.orderItems(entries);
  await writeReview(push, 'I1');
  await push.api.call('updateOrderItem', {
    params: { orderItemId: id },
    body: { productOriginId: 'P1', status: 'CANCEL' },
  });
  expect((await push.orderItems(entries)).outcomes).toMatchObject([
    { outcome: 'updated', changes: { status: { from: 'CANCEL', to: 'DELIVERED' } } },
  ]);
  expect((await push.orderItems(entries)).outcomes).toMatchObject([{ outcome: 'unchanged' }]);
});

test('an item known by id is changed with all the record has, and not again by the same file', async () => {
  const push = await openItems();
  const from = push.requests.length;
  const entries = entriesOf([{ id: idOf(push, 'I1'), productOriginId: 'P2', ...delivered }]);
  const { outcomes } = await push.orderItems(entries);
  expect(outcomes).toMatchObject([{ outcome: 'updated', id: idOf(push, 'I1') }]);
  expect(itemOf(push, 'I1')).toMatchObject({ status: 'DELIVERED', paidPrice: 12_900.5 });
  expect(calledIn(push, from)).toEqual(['updateOrderItem']);
  expect((await push.orderItems(entries)).outcomes).toMatchObject([
    { outcome: 'skipped', comparedWith: 'journal' },
  ]);
  expect(calledIn(push, from)).toEqual(['updateOrderItem']);
  const again = await push.orderItems(entries, { resend: 'accepted' });
  expect(countedWords(again.outcomes)).toEqual({ updated: 1 });
});

test('a row that says nothing of its item writes nothing, though its product is known from before', async () => {
  const push = await openItems();
  const id = idOf(push, 'I1');
  await push.orderItems(entriesOf([{ id, productOriginId: 'P2', ...delivered }]));
  const from = push.requests.length;
  const { outcomes } = await push.orderItems(entriesOf([{ id, orderOriginId: 'O1' }]));
  expect(outcomes).toMatchObject([{ outcome: 'unchanged', id }]);
  expect(calledIn(push, from)).not.toContain('updateOrderItem');
});

test('an item whose order is known is compared, and only what differs is sent', async () => {
  const push = await openItems();
  await journalOrder(push);
  const record = { id: idOf(push, 'I1'), orderOriginId: 'O1' };
  await push.orderItems(entriesOf([{ ...record, ...delivered }]));
  const from = push.requests.length;
  const changed = { ...record, ...delivered, paidPrice: '9900', shipment: { trackingNumber: '77' } };
  const { outcomes } = await push.orderItems(entriesOf([changed]));
  expect(outcomes).toMatchObject([
    {
      outcome: 'updated',
      changes: {
        paidPrice: { from: 12_900.5, to: 9900 },
        shipment: {
          from: { companyCode: 'self' },
          to: { companyCode: 'self', trackingNumber: '77', deliveredAt: '2026-01-02T03:04:05+09:00' },
        },
      },
    },
  ]);
  expect(calledIn(push, from)).toEqual(['getOrderItem', 'updateOrderItem']);
  expect(Object.keys(JSON.parse(push.requests.at(-1)?.body ?? ''))).toEqual([
    'productOriginId',
    'paidPrice',
    'shipment',
  ]);
});

test('what the service has already is not written, whatever offset its times are written with', async () => {
  const push = await openItems();
  await journalOrder(push);
  const record = { id: idOf(push, 'I1'), orderOriginId: 'O1', ...delivered };
  await push.orderItems(entriesOf([record]));
  const from = push.requests.length;
  const shipment = { companyCode: 'self', deliveredAt: '2026-01-01T18:04:05Z' };
  const { outcomes } = await push.orderItems(entriesOf([{ ...record, shipment }]));
  expect(outcomes).toMatchObject([{ outcome: 'unchanged', id: record.id }]);
  expect(calledIn(push, from)).toEqual(['getOrderItem']);
});

test('an item the journal knows is taken only for a row of the order it was made in', async () => {
  const push = await openItems();
  await journalItem(push, 'I2');
  const record = { originId: 'I2', productOriginId: 'P1', status: 'CANCEL' } as const;
  const other = await push.orderItems(entriesOf([{ ...record, orderOriginId: 'O9' }]));
  expect(other.outcomes).toMatchObject([{ outcome: 'rejected', error: expect.stringContaining('nothing') }]);
  expect(itemOf(push, 'I2')?.status).toBeNull();
  const same = await push.orderItems(entriesOf([{ ...record, orderOriginId: 'O1' }]));
  expect(same.outcomes).toMatchObject([{ outcome: 'updated', id: idOf(push, 'I2') }]);
});

test('a row whose id and originId lead to different items changes neither', async () => {
  const push = await openItems();
  await journalItem(push, 'I2');
  await writeReview(push, 'I3');
  const record = { id: idOf(push, 'I1'), productOriginId: 'P1', status: 'CANCEL' } as const;
  const records = [
    { ...record, originId: 'I2' },
    { ...record, originId: 'I3', orderOriginId: 'O1' },
  ];
  const { outcomes } = await push.orderItems(entriesOf(records));
  expect(outcomes).toMatchObject([
    { outcome: 'rejected', error: expect.stringContaining(`the item with id ${idOf(push, 'I2')}`) },
    { outcome: 'rejected', error: expect.stringContaining(`the item with id ${idOf(push, 'I3')}`) },
  ]);
  expect(['I1', 'I2', 'I3'].map((originId) => itemOf(push, originId)?.status)).toEqual([null, null, null]);
});

test('an item whose originId at the service is not that of the row is not changed', async () => {
  const push = await openItems();
  await journalOrder(push);
  const record = { id: idOf(push, 'I1'), originId: 'I2', orderOriginId: 'O1', status: 'CANCEL' } as const;
  const { outcomes } = await push.orderItems(entriesOf([record]));
  expect(outcomes).toMatchObject([{ outcome: 'rejected', error: expect.stringContaining('which is I1') }]);
  expect(itemOf(push, 'I1')?.status).toBeNull();
});

test('a second row of one item is rejected with the place of the first, and the file settles', async () => {
  const push = await openItems();
  await journalItem(push, 'I2');
  const records = entriesOf<OrderItemUpdateRecord>([
    { id: idOf(push, 'I2'), productOriginId: 'P1', status: 'CANCEL' },
    { originId: 'I2', status: 'DELIVERED' },
  ]);
  const rejected = {
    outcome: 'rejected',
    error: expect.stringContaining('input.csv:2 changes the same item'),
  };
  expect((await push.orderItems(records)).outcomes).toMatchObject([{ outcome: 'updated' }, rejected]);
  expect((await push.orderItems(records)).outcomes).toMatchObject([{ outcome: 'skipped' }, rejected]);
});

test('what was sent after a comparison is not sent again where nothing can be compared', async () => {
  const push = await openItems();
  await journalOrder(push);
  const record = { id: idOf(push, 'I1'), productOriginId: 'P1', ...delivered };
  await push.orderItems(entriesOf([{ ...record, orderOriginId: 'O1' }]));
  expect(countedWords((await push.orderItems(entriesOf([record]))).outcomes)).toEqual({ skipped: 1 });
});

test('an originId leads to its item, and to its product, by the journal of an earlier push', async () => {
  const push = await openItems();
  await journalItem(push, 'I2');
  const from = push.requests.length;
  const { outcomes } = await push.orderItems(entriesOf([{ originId: 'I2', status: 'CANCEL' }]));
  expect(outcomes).toMatchObject([{ originId: 'I2', outcome: 'updated', id: idOf(push, 'I2') }]);
  expect(calledIn(push, from)).toEqual(['updateOrderItem']);
});

test('a file without products leaves an item with the product that an update gave it', async () => {
  const push = await openItems();
  await journalItem(push, 'I2');
  await push.orderItems(entriesOf([{ originId: 'I2', productOriginId: 'P2', status: 'EXCHANGE' }]));
  await push.orderItems(entriesOf([{ originId: 'I2', status: 'DELIVERED' }]));
  expect(JSON.parse(push.requests.at(-1)?.body ?? '')).toEqual({
    productOriginId: 'P2',
    status: 'DELIVERED',
  });
});

test('an originId leads to its item by the reviews of its order, which also tell order and product', async () => {
  const push = await openItems();
  await writeReview(push, 'I2');
  const from = push.requests.length;
  const { outcomes } = await push.orderItems(
    entriesOf([{ originId: 'I2', orderOriginId: 'O1', status: 'CANCEL' }]),
  );
  expect(outcomes).toMatchObject([{ outcome: 'updated', changes: { status: { from: null, to: 'CANCEL' } } }]);
  expect(calledIn(push, from)).toEqual(['listReviews', 'getOrderItem', 'updateOrderItem']);
  expect(itemOf(push, 'I2')?.status).toBe('CANCEL');
});

test('an originId without an order leads to its item by the rewards, which are read once', async () => {
  const push = await openItems();
  await writeReview(push, 'I2');
  const from = push.requests.length;
  const records = [
    { originId: 'I2', status: 'CANCEL' } as const,
    ...Array.from({ length: 250 }, (_, index) => ({ originId: `X${index}`, status: 'CANCEL' }) as const),
  ];
  const { outcomes } = await push.orderItems(entriesOf(records));
  expect(countedWords(outcomes)).toEqual({ updated: 1, rejected: 250 });
  expect(calledIn(push, from).filter((operation) => operation === 'listRewards')).toHaveLength(1);
});

test('an item of another order with the same originId is not taken for it', async () => {
  const push = await openItems();
  await writeReview(push, 'I2');
  const { outcomes } = await push.orderItems(
    entriesOf([{ originId: 'I2', orderOriginId: 'O9', productOriginId: 'P1', status: 'CANCEL' }]),
  );
  expect(outcomes).toMatchObject([{ outcome: 'rejected' }]);
  expect(itemOf(push, 'I2')?.status).toBeNull();
});

test('an item that cannot be found, or whose product nothing tells, is rejected with what to add', async () => {
  const push = await openItems();
  const { outcomes } = await push.orderItems(
    entriesOf([
      { originId: 'I3', productOriginId: 'P1', status: 'CANCEL' },
      { id: idOf(push, 'I1'), status: 'CANCEL' },
    ]),
  );
  expect(outcomes).toMatchObject([
    { outcome: 'rejected', error: expect.stringContaining('add a column with its id') },
    { outcome: 'rejected', error: expect.stringContaining('needs productOriginId') },
  ]);
});

test('what the service refuses is rejected with its reason, the others are changed', async () => {
  const push = await openItems();
  const { outcomes } = await push.orderItems(
    entriesOf([
      { id: idOf(push, 'I1'), productOriginId: 'P404', status: 'CANCEL' },
      { id: '404', productOriginId: 'P1', status: 'CANCEL' },
      { id: idOf(push, 'I3'), productOriginId: 'P1', status: 'CANCEL' },
    ]),
  );
  expect(outcomes).toMatchObject([
    { outcome: 'rejected', error: expect.stringContaining('P404') },
    { outcome: 'rejected', error: expect.stringContaining('404') },
    { outcome: 'updated' },
  ]);
});

test('a dry run compares, tells what would change, and writes nothing', async () => {
  const push = await openItems();
  await journalOrder(push);
  const records = entriesOf([
    { id: idOf(push, 'I1'), orderOriginId: 'O1', ...delivered },
    { id: idOf(push, 'I2'), productOriginId: 'P1', status: 'CANCEL' } as const,
  ]);
  const from = push.requests.length;
  const { outcomes } = await push.orderItems(records, { isDryRun: true });
  expect(outcomes).toMatchObject([
    { outcome: 'updated', changes: { status: { from: null, to: 'DELIVERED' } } },
    { outcome: 'updated' },
  ]);
  expect(calledIn(push, from)).toEqual(['getOrderItem']);
  expect((await push.journal.known('order-item-update', [idOf(push, 'I2')])).size).toBe(0);
});

test('a service that dies stops the push, and nothing is taken for unknown: an update may be repeated', async () => {
  const push = await openItems({ around: dyingAfter(3), retries: 0 });
  const ids = Array.from({ length: 200 }, (_, index) => String(index + 1));
  const { outcomes, error } = await push.orderItems(
    entriesOf(ids.map((id) => ({ id, productOriginId: 'P1', status: 'CANCEL' }) as const)),
  );
  expect(error).toMatchObject({ kind: 'unreachable' });
  expect(countedWords(outcomes)).toMatchObject({ failed: expect.any(Number) });
  expect(outcomes.some(({ outcome }) => outcome === 'unknown')).toBe(false);
});

test('a second row of one item contradicts the first, which is named, in whatever file it is', async () => {
  const push = await openItems();
  const of = (
    file: string,
    line: number,
    originId: string,
    record: OrderItemUpdateRecord = { originId },
  ) => ({
    file,
    line,
    record: { status: 'CANCEL' as const, productOriginId: 'P1', id: idOf(push, originId), ...record },
  });
  async function* batches() {
    yield [of('a.csv', 2, 'I1'), of('a.csv', 3, 'I2')];
    yield [of('b.csv', 2, 'I3'), of('b.csv', 3, 'I2', {}), of('b.csv', 4, 'I3', {})];
  }
  const { outcomes } = await push.orderItems(batches(), { isDryRun: true });
  const repeated = (place: string, originId: string) => ({
    outcome: 'rejected',
    error: `${place} changes the same item, whose id is ${idOf(push, originId)}; keep one of the two rows`,
  });
  expect(outcomes).toMatchObject([
    ...['I1', 'I2', 'I3'].map((originId) => ({ originId, outcome: 'updated' })),
    repeated('a.csv:3', 'I2'),
    repeated('b.csv:2', 'I3'),
  ]);
});
