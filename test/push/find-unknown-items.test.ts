import { describe, expect, it, test } from 'vitest';
import { createUnknownItemSearch, type LookupEvent } from '../../src/push/lookup/find-unknown-items.ts';
import type { JournaledKind, KnownRecord, RequestEnd } from '../../src/store/journal/push-journal.ts';
import { knownRecords, listingService, type NamedReview, reviewsAsked } from './listing-service.ts';

interface Shop {
  readonly reviews?: readonly NamedReview[] | number;
  /** True if its list of reviews applies the filter by order. */
  readonly isFiltered?: boolean;
  readonly rewards?: readonly object[] | number;
  /** By the service's ids. */
  readonly orders?: Readonly<Record<string, object | number>>;
  /** The journal's records of whole orders. */
  readonly journaled?: Readonly<Record<string, Partial<KnownRecord>>>;
  /** The error of the journal. */
  readonly broken?: Error;
}

/** A search at a shop with these reviews of the requested orders, and these rewards. */
function searchIn(shop: Shop) {
  const { reviews = [], isFiltered = true, rewards = [], orders = {}, journaled = {}, broken } = shop;
  const { api, asked } = listingService({
    lists: {
      listReviews: (query) =>
        typeof reviews === 'number' || !isFiltered ? reviews : reviewsAsked(query, reviews),
      listRewards: () => rewards,
    },
    records: orders,
  });
  const looked: (readonly string[])[] = [];
  const written: (readonly [JournaledKind, RequestEnd])[] = [];
  const events: LookupEvent[] = [];
  const search = createUnknownItemSearch({
    api,
    journal: {
      known: async (kind, originIds) => {
        looked.push(originIds);
        if (broken !== undefined) throw broken;
        const known = kind === 'order' ? knownRecords(journaled) : new Map<string, KnownRecord>();
        return new Map([...known].filter(([originId]) => originIds.includes(originId)));
      },
      record: async (kind, accepted) => {
        await new Promise(setImmediate);
        written.push([kind, { accepted }]);
      },
    },
    onLookup: (event) => events.push(event),
  });
  return { search, asked, written, events, looked };
}

/** Items of product P whose creation is unknown, with their orders. */
function unknownItems(orders: Readonly<Record<string, string>>): ReadonlyMap<string, KnownRecord> {
  return knownRecords(
    Object.fromEntries(
      Object.entries(orders).map(([originId, orderOriginId]) => [originId, { ...unknown, orderOriginId }]),
    ),
  );
}
const unknown = { fate: 'unknown', productOriginId: 'P' } as const;

const item = (originId: string, productOriginId = 'P') => ({
  id: `i-${originId}`,
  originId,
  product: { originId: productOriginId },
});
const order = (originId: string, ...items: readonly object[]) => ({ id: `o-${originId}`, originId, items });
const named = (originId: string) => ({ id: `o-${originId}`, originId });

/** The result of a search: the ids of found items, and the fate of the others. */
function told(known: ReadonlyMap<string, KnownRecord>) {
  return Object.fromEntries([...known].map(([originId, { fate, objectId }]) => [originId, objectId ?? fate]));
}

describe('an item of unknown outcome is found in its order', () => {
  const orders = { 'o-O': order('O', item('A')) };

  it.each<[string, Shop, readonly string[]]>([
    ['the journal', { orders, journaled: { O: { objectId: 'o-O' } } }, ['order/o-O']],
    [
      'a review',
      { orders, reviews: [{ id: 'r', order: named('O') }] },
      ['reviews?first=100&orderOriginIds=O', 'order/o-O'],
    ],
    [
      'a reward',
      { orders, rewards: [{ id: 'r', order: named('O') }] },
      ['reviews?first=100&orderOriginIds=O', 'rewards?first=100', 'order/o-O'],
    ],
  ])('whose id is known from %s', async (_, shop, asked) => {
    const { search, events, written, ...service } = searchIn(shop);
    expect(await search.find(unknownItems({ A: 'O' }))).toEqual(
      new Map([
        [
          'A',
          {
            fate: 'accepted',
            contentHash: 'h',
            jobId: undefined,
            objectId: 'i-A',
            productOriginId: 'P',
            orderOriginId: 'O',
          },
        ],
      ]),
    );
    expect(events).toEqual([{ kind: 'found', count: 1 }]);
    expect(service.asked).toEqual(asked);
    expect(written).toEqual([]);
  });

  it.each([
    ['of the item', { orderItem: item('A') }],
    ['beside the item', { orderItem: { id: 'i-A', originId: 'A' }, product: { originId: 'P' } }],
  ])('or in a review, which names the product %s', async (_, review) => {
    const { search, asked } = searchIn({ reviews: [{ id: 'r', order: { originId: 'O' }, ...review }] });
    expect(told(await search.find(unknownItems({ A: 'O' })))).toEqual({ A: 'i-A' });
    expect(asked).toEqual(['reviews?first=100&orderOriginIds=O']);
  });
});

it.each<[string, Shop]>([
  ['of another product', { orders: { 'o-O': order('O', item('A', 'Q')) } }],
  ['of another order', { orders: { 'o-O': order('X', item('A')) } }],
  ['of another originId', { orders: { 'o-O': order('O', item('B')) } }],
  ['without an id', { orders: { 'o-O': order('O', { ...item('A'), id: null }) } }],
  ['without an originId', { orders: { 'o-O': order('O', { ...item('A'), originId: null }) } }],
  ['of no product', { orders: { 'o-O': order('O', { ...item('A'), product: null }) } }],
  ['in an order that is not found', {}],
  ['in an order that is refused', { orders: { 'o-O': 422 } }],
  ['in an order that shows no items', { orders: { 'o-O': { ...order('O'), items: null } } }],
  ['in a review without an order', { reviews: [{ id: 'r', order: null, orderItem: item('A') }] }],
  ['in a review without an item', { reviews: [{ id: 'r', order: named('O'), orderItem: null }] }],
])('an item stays unknown that is %s', async (_, shop) => {
  const { search, events, written } = searchIn({ journaled: { O: { objectId: 'o-O' } }, ...shop });
  const items = unknownItems({ A: 'O' });
  expect(await search.find(items)).toEqual(items);
  await search.record();
  expect({ events, written }).toEqual({ events: [], written: [] });
});

test('an item that was sent without its order is not looked for, nor taken for one without', async () => {
  const { search, asked } = searchIn({
    reviews: [
      { id: 'r', order: { id: 'o-O', originId: 'O' } },
      { id: 's', orderItem: item('A') },
    ],
  });
  const items = knownRecords({ A: unknown, B: { ...unknown, orderOriginId: 'O' } });
  expect(told(await search.find(items))).toEqual({ A: 'unknown', B: 'unknown' });
  expect(asked[0]).toBe('reviews?first=100&orderOriginIds=O');
});

test('nothing is asked where nothing is unknown', async () => {
  const { search, asked, looked } = searchIn({});
  const items = knownRecords({ A: { orderOriginId: 'O' } });
  expect(await search.find(items)).toBe(items);
  expect([...asked, ...looked]).toEqual([]);
});

test('each order is looked into once, and none that an item is not missing in', async () => {
  const { search, asked } = searchIn({
    journaled: { O1: { objectId: 'o-O1' } },
    reviews: [{ id: 'r', order: named('O2'), orderItem: item('C') }],
    orders: { 'o-O1': order('O1', item('A'), item('B')) },
  });
  const items = new Map([
    ...unknownItems({ A: 'O1', B: 'O1', C: 'O2' }),
    ...knownRecords({ D: { orderOriginId: 'O3' } }),
  ]);
  expect(told(await search.find(items))).toEqual({ A: 'i-A', B: 'i-B', C: 'i-C', D: 'accepted' });
  expect(asked).toEqual(['reviews?first=100&orderOriginIds=O2', 'order/o-O1']);
});

test('what was found is not looked for again, and is told of no item that was taken since', async () => {
  const { search, asked, events } = searchIn({
    reviews: [{ id: 'r', order: named('O'), orderItem: item('A') }],
  });
  const items = unknownItems({ A: 'O' });
  await search.find(items);
  expect(told(await search.find(items))).toEqual({ A: 'i-A' });
  const taken = knownRecords({ A: { jobId: 'J2' }, B: {} });
  expect(await search.find(taken)).toEqual(taken);
  expect(asked).toHaveLength(1);
  expect(events).toEqual([{ kind: 'found', count: 1 }]);
});

test('rewards are read once, and no more than the newest 2,000', async () => {
  const rewards = Array.from({ length: 2001 }, (_, index) => ({
    id: `r${index}`,
    order: named(`O${index}`),
  }));
  const { search, asked } = searchIn({
    rewards: [
      { id: 'a', order: null },
      ...rewards.slice(1, 7),
      { id: 'b', order: { originId: 'O5' } },
      ...rewards.slice(8),
    ],
    orders: {
      'o-O5': order('O5', item('A')),
      'o-O1999': order('O1999', item('B')),
      'o-O2000': order('O2000', item('C')),
    },
  });
  expect(told(await search.find(unknownItems({ A: 'O5', B: 'O1999', C: 'O2000' })))).toEqual({
    A: 'i-A',
    B: 'i-B',
    C: 'unknown',
  });
  await search.find(unknownItems({ D: 'O9' }));
  expect(asked.filter((path) => path.startsWith('rewards'))).toHaveLength(20);
});

test('orders are looked for a hundred at a time, by 1,000 of their reviews', async () => {
  const count = 101;
  const names = Array.from({ length: count }, (_, index) => `O${index}`);
  const { search, asked } = searchIn({
    reviews: Array.from({ length: 1001 }, (_, index) => ({
      id: `r${index}`,
      order: index === 1000 ? named('O1') : { originId: 'O0' },
    })),
    orders: { 'o-O1': order('O1', item('A1')) },
  });
  const items = unknownItems(Object.fromEntries(names.map((name, index) => [`A${index}`, name])));
  expect(told(await search.find(items))['A1']).toBe('unknown');
  const lookups = asked.filter((path) => path.startsWith('reviews'));
  expect(lookups.filter((path) => path.includes('=O99')).length).toBe(10);
  expect(lookups.filter((path) => path.includes('=O100'))).toEqual(['reviews?first=100&orderOriginIds=O100']);
});

test('so many orders are looked for at a time as fit into an address', async () => {
  const { search, asked } = searchIn({});
  await search.find(unknownItems({ A: 'x'.repeat(3500), B: 'y'.repeat(3500) }));
  expect(asked.filter((path) => path.startsWith('reviews'))).toHaveLength(2);
});

test('where the service lists reviews of other orders, none are read any more, but rewards are', async () => {
  const { search, asked, events } = searchIn({
    reviews: [{ id: 'r', order: named('X') }],
    isFiltered: false,
    rewards: [{ id: 'r', order: named('O') }],
    orders: { 'o-O': order('O', item('A')) },
  });
  expect(told(await search.find(unknownItems({ A: 'O' })))).toEqual({ A: 'i-A' });
  await search.find(unknownItems({ B: 'O2' }));
  expect(asked).toEqual(['reviews?first=100&orderOriginIds=O', 'rewards?first=100', 'order/o-O']);
  expect(events).toEqual([{ kind: 'found', count: 1 }]);
});

describe('a lookup that fails', () => {
  it.each<[string, Shop]>([
    ['at the reviews', { reviews: 401 }],
    ['at the rewards', { rewards: 401 }],
    ['at an order', { orders: { 'o-O2': 401 } }],
  ])('%s is told, and ends the lookups, but not what was found', async (_, shop) => {
    const { search, asked, events } = searchIn({
      journaled: { O1: { objectId: 'o-O1' }, O2: { objectId: 'o-O2' } },
      ...shop,
      orders: { 'o-O1': order('O1', item('A')), ...shop.orders },
    });
    const unfound = 'orders' in shop ? { B: 'O2' } : { B: 'O3' };
    const found = told(await search.find(unknownItems({ A: 'O1', ...unfound })));
    expect(found['B']).toBe('unknown');
    expect(events[0]).toMatchObject({ kind: 'failed', failure: { kind: 'not-authenticated' } });
    if ('orders' in shop) {
      expect(found['A']).toBe('i-A');
      expect(events[1]).toEqual({ kind: 'found', count: 1 });
    }
    const before = asked.length;
    await search.find(unknownItems({ C: 'O1' }));
    expect(asked).toHaveLength(before);
  });

  test('as no service fails ends the push', async () => {
    const broken = new Error('nobody foresaw it');
    const { search } = searchIn({ broken });
    await expect(search.find(unknownItems({ A: 'O' }))).rejects.toBe(broken);
  });
});

test('what was found is recorded once, with the orders of unknown outcome that it shows', async () => {
  const { search, written } = searchIn({
    journaled: {
      O1: { objectId: 'o-O1', fate: 'unknown', contentHash: 'h1' },
      O2: { ...unknown, contentHash: 'h2' },
      O3: {},
    },
    reviews: [
      { id: 'r', order: { originId: 'O2' }, orderItem: item('B') },
      { id: 's', order: { originId: 'O3' }, orderItem: item('C') },
      { id: 't', order: { originId: 'O3' }, orderItem: { id: 'i-E', originId: 'E' } },
    ],
    orders: { 'o-O1': order('O1', item('A')) },
  });
  await search.find(
    new Map([
      ...unknownItems({ A: 'O1', B: 'O2', C: 'O3', D: 'O1' }),
      ...knownRecords({ E: { fate: 'unknown', orderOriginId: 'O3' } }),
    ]),
  );
  await Promise.all([search.record(), search.record()]);
  const entryOf = (originId: string, orderOriginId: string) => ({
    entry: { originId, contentHash: 'h', productOriginId: 'P', orderOriginId },
    objectId: `i-${originId}`,
  });
  expect(written).toEqual([
    [
      'order-item',
      {
        accepted: [
          entryOf('A', 'O1'),
          entryOf('B', 'O2'),
          entryOf('C', 'O3'),
          { entry: { originId: 'E', contentHash: 'h', orderOriginId: 'O3' }, objectId: 'i-E' },
          { entry: { originId: 'O1', contentHash: 'h1', kind: 'order' }, objectId: 'o-O1' },
          { entry: { originId: 'O2', contentHash: 'h2', kind: 'order' } },
        ],
      },
    ],
  ]);
});
