import { describe, expect, it, test } from 'vitest';
import { withHintTexts } from '../../src/base/hint.ts';
import type { OrderItemUpdateRecord } from '../../src/input/records/record-kinds.ts';
import { createItemFinder } from '../../src/push/lookup/find-items.ts';
import type { JournaledKind, KnownRecord } from '../../src/store/journal/push-journal.ts';
import { knownRecords, listingService, type NamedReview, reviewsAsked } from './listing-service.ts';

interface Shop {
  readonly reviews?: readonly NamedReview[];
  readonly rewards?: readonly object[];
  readonly journaled?: Partial<Record<JournaledKind, Readonly<Record<string, Partial<KnownRecord>>>>>;
}

/** An item finder for a shop with these reviews and rewards. */
function finderIn({ reviews = [], rewards = [], journaled = {} }: Shop) {
  const { api, asked } = listingService({
    lists: { listReviews: (query) => reviewsAsked(query, reviews), listRewards: () => rewards },
  });
  const finder = createItemFinder(api, {
    known: async (kind, originIds) => {
      const known = knownRecords(journaled[kind] ?? {});
      return new Map([...known].filter(([originId]) => originIds.includes(originId)));
    },
  });
  const find = async (...records: readonly OrderItemUpdateRecord[]) =>
    records.map(await finder.find(records));
  return { find, asked };
}

const order = { id: 'o-O', originId: 'O' };
const reviewsOfO = 'reviews?first=100&orderOriginIds=O';
const allRewards = 'rewards?first=100';
/** Item A of order O, in a review and in a reward. */
const review = { id: 'r', order, orderItem: { id: 'i-A', originId: 'A', product: { originId: 'P' } } };
const reward = { id: 'w', order, orderItem: { id: 'i-A', originId: 'A' } };
const made = { objectId: 'i-A', orderOriginId: 'O', productOriginId: 'P' };
const journaledOrder = { O: { objectId: 'o-O' } };

describe('an item is found by its id', () => {
  it.each<[string, OrderItemUpdateRecord, Shop, object, readonly string[]]>([
    ['alone, with its product', { id: 'i-A', productOriginId: 'P' }, {}, { id: 'i-A' }, []],
    ['with that of its order', { id: 'i-A', order: { id: 'o' } }, {}, { id: 'i-A', orderId: 'o' }, []],
    [
      'with an order that the journal knows',
      { id: 'i-A', orderOriginId: 'O' },
      { journaled: { order: journaledOrder } },
      { id: 'i-A', orderId: 'o-O' },
      [],
    ],
    [
      'with an order and its product, which is enough',
      { id: 'i-A', orderOriginId: 'O', productOriginId: 'P' },
      { reviews: [review] },
      { id: 'i-A' },
      [],
    ],
    [
      'with an order, whose reviews tell the product',
      { id: 'i-A', orderOriginId: 'O' },
      { reviews: [review] },
      { id: 'i-A', orderId: 'o-O', productOriginId: 'P' },
      [reviewsOfO],
    ],
    [
      'with an order, whose reviews name the product beside the item',
      { id: 'i-A', orderOriginId: 'O' },
      { reviews: [{ ...reward, ...{ product: { originId: 'Q' } } }] },
      { id: 'i-A', orderId: 'o-O', productOriginId: 'Q' },
      [reviewsOfO],
    ],
    [
      'with an order, where a review shows neither the product nor the id of the order',
      { id: 'i-A', orderOriginId: 'O' },
      { reviews: [{ id: 'r', order: { originId: 'O', id: null }, orderItem: { id: 'i-A', originId: 'A' } }] },
      { id: 'i-A' },
      [reviewsOfO],
    ],
    [
      'with an order, where a review shows a product without an originId',
      { id: 'i-A', orderOriginId: 'O' },
      { reviews: [{ ...reward, product: { originId: null } }] },
      { id: 'i-A', orderId: 'o-O' },
      [reviewsOfO],
    ],
    [
      'with an order, whose reviews may name no item or none that has an originId',
      { id: 'i-A', orderOriginId: 'O' },
      {
        reviews: [
          { id: 'r', order, orderItem: null },
          { id: 's', order, orderItem: { id: 'i-A' } },
        ],
      },
      { id: 'i-A' },
      [reviewsOfO],
    ],
    [
      'with an order that has no reviews',
      { id: 'i-A', orderOriginId: 'O' },
      { rewards: [reward] },
      { id: 'i-A' },
      [reviewsOfO],
    ],
    [
      'with an order, which is looked for where an update was sent before',
      { id: 'i-A', orderOriginId: 'O', productOriginId: 'P' },
      { reviews: [review], journaled: { 'order-item-update': { 'i-A': {} } } },
      { id: 'i-A', orderId: 'o-O', productOriginId: 'P' },
      [reviewsOfO],
    ],
    [
      'with an originId, which is looked for where the journal does not know it',
      { id: 'i-A', originId: 'A', orderOriginId: 'O', productOriginId: 'P' },
      { reviews: [review] },
      { id: 'i-A', orderId: 'o-O', productOriginId: 'P' },
      [reviewsOfO],
    ],
    [
      'with an originId that the journal knows to be its',
      { id: 'i-A', originId: 'A', orderOriginId: 'O' },
      { reviews: [review], journaled: { 'order-item': { A: made } } },
      { id: 'i-A', productOriginId: 'P' },
      [],
    ],
  ])('%s', async (_, record, shop, item, lists) => {
    const { find, asked } = finderIn(shop);
    expect(withHintTexts(await find(record), String)).toEqual([item]);
    expect(asked).toEqual(lists);
  });
});

describe('an item is found by its originId', () => {
  it.each<[string, OrderItemUpdateRecord, Shop, object | undefined, readonly string[]]>([
    [
      'in the journal',
      { originId: 'A' },
      { journaled: { 'order-item': { A: made } } },
      { id: 'i-A', productOriginId: 'P' },
      [],
    ],
    [
      'in the journal, with its order',
      { originId: 'A' },
      { journaled: { 'order-item': { A: made }, order: journaledOrder } },
      { id: 'i-A', orderId: 'o-O', productOriginId: 'P' },
      [],
    ],
    [
      'in the journal; its product in the reviews of the order that was sent',
      { originId: 'A' },
      { reviews: [review], journaled: { 'order-item': { A: { ...made, productOriginId: undefined } } } },
      { id: 'i-A', orderId: 'o-O', productOriginId: 'P' },
      [reviewsOfO],
    ],
    [
      'in the reviews of its order, which tell its product better than the journal',
      { originId: 'A' },
      { reviews: [review], journaled: { 'order-item': { A: { orderOriginId: 'O', productOriginId: 'Q' } } } },
      { id: 'i-A', orderId: 'o-O', productOriginId: 'P' },
      [reviewsOfO],
    ],
    [
      'in the reviews of its order, be the id of that known or not',
      { originId: 'A', orderOriginId: 'O', order: { id: 'o-O' } },
      { reviews: [review] },
      { id: 'i-A', orderId: 'o-O', productOriginId: 'P' },
      ['order/o-O', reviewsOfO],
    ],
    [
      'in the rewards, on whatever page',
      { originId: 'A' },
      {
        rewards: [
          ...Array.from({ length: 150 }, (_, index) => ({
            id: `${index}`,
            order,
            orderItem: { id: `${index}`, originId: `I${index}` },
          })),
          reward,
        ],
      },
      { id: 'i-A', orderId: 'o-O' },
      [allRewards, 'rewards?first=100&after=100'],
    ],
    [
      'in the rewards',
      { originId: 'A', productOriginId: 'P' },
      { rewards: [reward] },
      { id: 'i-A', orderId: 'o-O' },
      [allRewards],
    ],
    [
      'in the rewards, one that names no order',
      { originId: 'A' },
      { rewards: [{ ...reward, order: null }] },
      { id: 'i-A' },
      [allRewards],
    ],
    [
      'nowhere but in another order',
      { originId: 'A', orderOriginId: 'X' },
      { rewards: [reward], journaled: { 'order-item': { A: made } } },
      undefined,
      ['reviews?first=100&orderOriginIds=X', allRewards],
    ],
    [
      'nowhere, where its item has no id',
      { originId: 'A' },
      { rewards: [{ ...reward, orderItem: { originId: 'A' } }] },
      undefined,
      [allRewards],
    ],
    [
      'nowhere, where no item is named',
      { originId: 'A' },
      { rewards: [{ ...reward, orderItem: null }] },
      undefined,
      [allRewards],
    ],
    [
      'nowhere, where no originId is named',
      { originId: 'A' },
      { rewards: [{ ...reward, orderItem: { id: 'i-A' } }] },
      undefined,
      [allRewards],
    ],
    [
      'nowhere, while its job is under way',
      { originId: 'A' },
      { journaled: { 'order-item': { A: { jobId: 'J' } } } },
      { contradiction: expect.stringMatching(/its job J, .* follow it with reviewctl jobs wait/) },
      [allRewards],
    ],
  ])('%s', async (_, record, shop, item, lists) => {
    const { find, asked } = finderIn(shop);
    expect(withHintTexts(await find(record), String)).toEqual([item]);
    expect(asked).toEqual(lists);
  });
});

const contradiction =
  'its id is i-B, but its originId A is the item with id i-A; correct one of them or leave it out';

it.each<[string, Shop]>([
  ['journal', { journaled: { 'order-item': { A: made } } }],
  ['reviews of its order', { reviews: [review] }],
  ['rewards', { rewards: [reward] }],
])(
  'an id and an originId contradict each other where the %s know the originId as that of another item',
  async (_, shop) => {
    const { find } = finderIn(shop);
    // Another row makes the finder read rewards.
    const [item] = await find({ id: 'i-B', originId: 'A', orderOriginId: 'O' }, { originId: 'Z' });
    expect(item).toEqual({ contradiction });
  },
);

test('an id that the rewards show in another order than the row says is taken without that order', async () => {
  const { find } = finderIn({ rewards: [reward] });
  const rows = [{ id: 'i-A', orderOriginId: 'X' }, { id: 'i-A', orderOriginId: 'O' }, { originId: 'Z' }];
  expect(await find(...rows)).toEqual([{ id: 'i-A' }, { id: 'i-A', orderId: 'o-O' }, undefined]);
});

test('reviews are asked for only of orders that something is lacking of, each once; rewards are read once', async () => {
  const { find, asked } = finderIn({ reviews: [review], rewards: [reward] });
  await find(
    { id: '1', orderOriginId: 'X', productOriginId: 'P' },
    { originId: 'A', orderOriginId: 'O' },
    { originId: 'A', orderOriginId: 'O' },
  );
  expect(asked).toEqual([reviewsOfO]);
  await find({ originId: 'B' });
  await find({ originId: 'C' });
  expect(asked).toEqual([reviewsOfO, allRewards]);
});

test('items of one order are told apart by their ids, whatever their originIds', async () => {
  const { find } = finderIn({
    reviews: ['undefined', '?', ''].map((originId, index) => ({
      id: `r${index}`,
      order,
      orderItem: { id: `i-${index}`, originId, product: { originId: `P${index}` } },
    })),
  });
  const rows = ['i-0', 'i-1', 'i-9'].map((id) => ({ id, orderOriginId: 'O' }));
  expect(await find(...rows)).toEqual([
    { id: 'i-0', orderId: 'o-O', productOriginId: 'P0' },
    { id: 'i-1', orderId: 'o-O', productOriginId: 'P1' },
    { id: 'i-9' },
  ]);
});
