import { expect, test } from 'vitest';
import type { OrderItemRecord } from '../../src/input/records/record-kinds.ts';
import {
  addProduct,
  countedWords,
  entriesOf,
  type OpenPush,
  openPush,
  orderItems,
  type PushOptions,
  wordsOf,
} from './open-push.ts';
import { entryIdsOf, losingAnswers } from './service-habits.ts';

const orderedAt = '2026-01-02T03:04:05+09:00';
const createOrders = 'POST /admin/v2/orders/bulk';

async function openWhole(options: PushOptions = {}): Promise<OpenPush> {
  const assumptions = { ...options.assumptions, createOrders };
  const push = await openPush({ ...options, assumptions });
  addProduct(push);
  return push;
}

/** `order/item` words as rows of orders with a time. */
function rows(words: readonly string[], more: Partial<OrderItemRecord> = {}): OrderItemRecord[] {
  return words.map((word) => {
    const [orderOriginId = '', originId = ''] = word.split('/');
    return { orderOriginId, originId, productOriginId: 'P1', orderedAt, ...more };
  });
}

/** Each request: its operation and its entries. */
function sent({ requests }: OpenPush) {
  return requests.map((request) => [request.operation, entryIdsOf(request)]);
}

function bodyOf({ requests }: OpenPush, index: number) {
  return JSON.parse(requests[index]?.body ?? '');
}

function itemsByOrder({ sandbox }: OpenPush): Record<string, string[]> {
  return sandbox.transact(({ state }) =>
    Object.fromEntries(
      [...state.orders.values()].map(({ id, originId }) => [
        originId,
        state.orderItems.find('orderId', id).map((item) => item.originId),
      ]),
    ),
  );
}

test('rows that stand together make one order with all its fields', async () => {
  const push = await openWhole();
  const owner = {
    memberOriginId: 'M1',
    alimtalkTemplateCode: null,
    buyer: { name: '김민서' },
    recipient: { phone: '010' },
  };
  const { outcomes } = await push.orders(entriesOf(rows(['O1/A', 'O1/B', 'O2/C'], owner)));
  expect(countedWords(outcomes)).toEqual({ queued: 3 });
  expect(bodyOf(push, 0)).toEqual([
    {
      originId: 'O1',
      orderedAt,
      ...owner,
      items: ['A', 'B'].map((originId) => ({ originId, productOriginId: 'P1' })),
    },
    { originId: 'O2', orderedAt, ...owner, items: [{ originId: 'C', productOriginId: 'P1' }] },
  ]);
  expect(itemsByOrder(push)).toEqual({ O1: ['A', 'B'], O2: ['C'] });
});

test('orders are sent at most a hundred a request', async () => {
  const push = await openWhole();
  await push.orders(entriesOf(orderItems(750).map((row) => ({ ...row, orderedAt }))), { concurrency: 1 });
  expect(sent(push).map(([operation, entries]) => [operation, entries?.length])).toEqual([
    ['createOrders', 100],
    ['createOrders', 100],
    ['createOrders', 50],
  ]);
});

test('orders of many items make smaller requests; one order is never torn apart', async () => {
  const push = await openWhole();
  const items = (order: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${order}/${order}-${n}`);
  await push.orders(entriesOf(rows([...items('O1', 1500), ...items('O2', 700), ...items('O3', 3)])), {
    concurrency: 1,
  });
  expect(sent(push)).toEqual([
    ['createOrders', ['O1', 'O2']],
    ['createOrders', ['O3']],
  ]);
  expect(itemsByOrder(push)['O2']).toHaveLength(700);
});

test('an order without orderedAt is rejected, the others are created', async () => {
  const push = await openWhole();
  const [bare, ...others] = rows(['O1/A', 'O2/B']);
  const { orderedAt: _, ...timeless } = bare as OrderItemRecord;
  const { outcomes } = await push.orders(entriesOf([timeless, ...others]));
  expect(outcomes).toMatchObject([
    { originId: 'A', outcome: 'rejected', error: 'orderedAt is needed to create an order' },
    { originId: 'B', outcome: 'queued' },
  ]);
});

test('rows of one order that disagree on whose it is are rejected, because one of them is wrong', async () => {
  const push = await openWhole();
  const records = ['O1/A', 'O1/B', 'O2/C'].flatMap((word, row) =>
    rows([word], { buyer: { name: 'a', phone: `${row}` } }),
  );
  const { outcomes } = await push.orders(entriesOf(records));
  const error = 'the rows of order O1 disagree on buyer.phone: lines 2 and 3';
  expect(outcomes).toMatchObject([
    { originId: 'A', outcome: 'rejected', error },
    { originId: 'B', outcome: 'rejected', error },
    { originId: 'C', outcome: 'queued' },
  ]);
});

test('a row that comes after its order was sent is rejected with the remedy', async () => {
  const push = await openWhole();
  const { outcomes } = await push.orders(entriesOf(rows(['O1/A', 'O2/B', 'O1/C'])));
  expect(countedWords(outcomes)).toEqual({ queued: 2, rejected: 1 });
  expect(outcomes.find(({ originId }) => originId === 'C')).toMatchObject({
    outcome: 'rejected',
    error: 'the rows of order O1 must be adjacent, at most 10000; sort the file by order',
  });
});

test('more than 10,000 rows of one order are rejected from there on', async () => {
  const push = await openWhole();
  const many = Array.from({ length: 10_001 }, (_, n) => `O1/${n}`);
  const { outcomes } = await push.orders(entriesOf(rows(many)));
  expect(countedWords(outcomes)).toEqual({ queued: 10_000, rejected: 1 });
});

test('items that are new in an accepted order are added to it', async () => {
  const push = await openWhole();
  await push.orders(entriesOf(rows(['O1/A', 'O1/B'])));
  const { outcomes } = await push.orders(entriesOf(rows(['O1/A', 'O1/B', 'O1/C', 'O2/D'])), {
    concurrency: 1,
  });
  expect(countedWords(outcomes)).toEqual({ skipped: 2, queued: 2 });
  expect(sent(push).slice(1)).toEqual([
    ['createOrders', ['O2']],
    ['bulkCreateOrderItems', ['C']],
  ]);
  expect(itemsByOrder(push)).toEqual({ O1: ['A', 'B', 'C'], O2: ['D'] });
});

test('later rows of an order may leave its owner blank or write it another way, and add nothing to it', async () => {
  const push = await openWhole();
  const ofM1 = { memberOriginId: 'M1', buyer: { name: 'Kim', phone: '010-1234-5678' } };
  await push.orders(entriesOf(rows(['O1/A'], ofM1)));
  const outcomeOf = async (...row: OrderItemRecord[]) => (await push.orders(entriesOf(row))).outcomes;
  const later = { orderedAt: '2026-01-03T00:00:00+09:00', buyer: { phone: '+82 10 1234 5678' } };
  const next = await outcomeOf(...rows(['O1/A', 'O1/B'], later), ...rows(['O1/C']));
  expect(wordsOf(next)).toEqual({ A: 'skipped', B: 'queued', C: 'queued' });
  const other = { ...ofM1, memberOriginId: 'M2', buyer: { email: 'a@b.kr' } };
  const error =
    'its order was sent with another memberOriginId, buyer.email, which no push changes; leave it blank, or set it ' +
    'with reviewctl orders update origin:O1 --member-origin-id VALUE --buyer-email VALUE, then push again';
  expect(await outcomeOf(...rows(['O1/A', 'O1/D'], other))).toMatchObject([
    { outcome: 'rejected', error },
    { outcome: 'rejected', error },
  ]);
  expect(await outcomeOf(...rows(['O1/B']), ...rows(['O1/E'], other), ...rows(['O1/F'], ofM1))).toMatchObject(
    [
      { outcome: 'skipped' },
      { outcome: 'rejected', error: 'the rows of order O1 disagree on memberOriginId: lines 3 and 4' },
      { outcome: 'rejected' },
    ],
  );
  expect(itemsByOrder(push)).toEqual({ O1: ['A', 'B', 'C'] });
});

test('items that were sent before whole orders could be made are skipped, and new ones join them', async () => {
  const plain = await openPush();
  addProduct(plain);
  await plain.orders(entriesOf(rows(['O1/A'])));
  const before = { journal: plain.journal };
  const push = await openWhole();
  for (const [words, outcome] of [
    [['O1/A', 'O1/B'], { A: 'skipped', B: 'queued' }],
    [['O1/C'], { C: 'queued' }],
  ] as const) {
    const { outcomes } = await push.orders(entriesOf(rows(words, { memberOriginId: 'M1' })), before);
    expect(wordsOf(outcomes)).toEqual(outcome);
  }
  expect(sent(push)).toEqual(['B', 'C'].map((item) => ['bulkCreateOrderItems', [item]]));
});

test('nothing is added to an order whose job may have failed, since that would make it without its fields', async () => {
  const push = await openWhole({ assumptions: { getJob: 'GET /admin/v2/job/{jobId}' } });
  const unknownProduct = { productOriginId: 'none', memberOriginId: 'M1' };
  await push.orders(entriesOf(rows(['O1/A'], unknownProduct)));
  const { outcomes } = await push.orders(
    entriesOf([...rows(['O1/A'], unknownProduct), ...rows(['O1/B'], { memberOriginId: 'M1' })]),
  );
  expect(outcomes).toMatchObject([
    { originId: 'A', outcome: 'skipped' },
    { originId: 'B', outcome: 'rejected', error: expect.stringContaining('reviewctl jobs wait') },
  ]);
  expect(itemsByOrder(push)).toEqual({});
});

test('nothing is added to an order of which nobody knows whether it is there', async () => {
  const push = await openWhole({ around: losingAnswers((_, count) => count === 1) });
  const first = await push.orders(entriesOf(rows(['O1/A', 'O1/B'])));
  expect(countedWords(first.outcomes)).toEqual({ unknown: 2 });
  const { outcomes } = await push.orders(entriesOf(rows(['O1/A', 'O1/B', 'O1/C'])));
  expect(outcomes).toMatchObject([
    { originId: 'A', outcome: 'unknown' },
    { originId: 'B', outcome: 'unknown' },
    { originId: 'C', outcome: 'rejected', error: expect.stringContaining('--resend unknown') },
  ]);
  expect(push.requests.map(({ operation }) => operation)).toEqual([
    'createOrders',
    'listReviews',
    'listRewards',
  ]);
});
