import { describe, expect, it, test } from 'vitest';
import { limitWork } from '../../src/base/lists.ts';
import type { ProductRecord } from '../../src/input/records/record-kinds.ts';
import { createProductLookup } from '../../src/push/lookup/find-products.ts';
import { observeProducts } from '../../src/push/lookup/observe-products.ts';
import { createProductGroups } from '../../src/push/lookup/product-groups.ts';
import { createBreaker } from '../../src/push/steps/breaker.ts';
import type { KnownRecord } from '../../src/store/journal/push-journal.ts';
import { knownRecords, listingService } from './listing-service.ts';
import { entriesOf } from './open-push.ts';

interface Shop {
  /** Products in the list. */
  readonly listed?: readonly object[];
  /** Products or HTTP statuses by the service's id. */
  readonly records?: Readonly<Record<string, object | number>>;
  readonly groups?: readonly object[] | number;
  readonly journaled?: Readonly<Record<string, Partial<KnownRecord>>>;
  readonly makesGroups?: boolean;
}

/** Observes rows at a shop whose list also has two other products. */
async function observed(rows: readonly ProductRecord[], shop: Shop = {}) {
  const { listed = [], records = {}, groups = [], journaled = {}, makesGroups = true } = shop;
  const all: readonly { readonly originId?: unknown }[] = [
    ...listed,
    { id: 'x', originId: 'X' },
    { id: 'y', originId: 'Y' },
  ];
  const { api, asked } = listingService({
    lists: {
      listProducts: (query) => {
        const originIds: readonly unknown[] = query.getAll('originIds');
        return all.filter(({ originId }) => originIds.length === 0 || originIds.includes(originId));
      },
      listProductGroups: () => groups,
    },
    records,
  });
  const products = await observeProducts(
    {
      api,
      breaker: createBreaker(),
      lookup: createProductLookup(api),
      groups: createProductGroups(api),
      journal: {
        known: async () => knownRecords(journaled),
      },
      inTurn: limitWork(1),
      makesGroups,
    },
    entriesOf(rows),
  );
  return {
    products,
    asked: asked.filter((path) => !path.startsWith('products?')),
  };
}

const mug = { id: '7', originId: 'A' };
const spring = { id: 'g', name: '봄' };

describe('a product that the service lists', () => {
  it.each<[string, Partial<ProductRecord>, Shop, string | undefined, readonly string[]]>([
    ['is known from that', {}, {}, undefined, []],
    ['with its id, too', { id: '8' }, {}, undefined, []],
    [
      'is to be put into the group of its name',
      { groupName: '봄' },
      { groups: [spring] },
      'g',
      ['product-groups?first=100&name=봄'],
    ],
    [
      'is to be put into a group that there is not',
      { groupName: '봄' },
      {},
      undefined,
      ['product-groups?first=100&name=봄'],
    ],
    [
      'is to be put into the group of its id, whatever the name',
      { groupName: '봄', groupId: 'h' },
      { groups: [spring] },
      undefined,
      [],
    ],
  ])('%s', async (_, row, shop, groupId, asked) => {
    const { products, ...did } = await observed([{ originId: 'A', ...row }], { listed: [mug], ...shop });
    expect(products).toMatchObject([{ existing: [mug], known: undefined }]);
    expect(products[0]?.groupId).toBe(groupId);
    expect(did).toEqual({ asked });
  });

  it.each([true, false])('twice is put into no group (made where it is missing: %s)', async (makesGroups) => {
    const { products, asked } = await observed([{ originId: 'A', groupName: '봄' }], {
      makesGroups,
      listed: [mug, { id: '8', originId: 'A' }],
      groups: [spring],
    });
    expect(products).toMatchObject([{ existing: [{ id: '7' }, { id: '8' }] }]);
    expect(products[0]?.groupId).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('a product that the service does not list', () => {
  it.each<[string, Partial<ProductRecord>, Shop, object, readonly string[]]>([
    ['is not asked for without an id', {}, {}, { existing: [] }, []],
    [
      'is found by the id of its row',
      { id: '7' },
      { records: { 7: mug } },
      { existing: [mug] },
      ['product/7'],
    ],
    [
      'is found by the id it was created under',
      {},
      { records: { 7: mug }, journaled: { A: { objectId: '7' } } },
      { existing: [mug] },
      ['product/7'],
    ],
    [
      'is gone where neither shows it',
      {},
      { journaled: { A: { objectId: '7' } } },
      { existing: [] },
      ['product/7'],
    ],
    [
      'is not the one that it was created as and has another originId by now',
      {},
      { records: { 7: { id: '7', originId: 'B' } }, journaled: { A: { objectId: '7' } } },
      { existing: [] },
      ['product/7'],
    ],
    [
      'is that of the id of its row, be it another one',
      { id: '7' },
      { records: { 7: { id: '7', originId: 'B' } } },
      { existing: [{ id: '7', originId: 'B' }] },
      ['product/7'],
    ],
    ['makes its group', { groupName: '봄' }, { groups: [spring] }, { existing: [] }, []],
    [
      'needs its group where it cannot make it',
      { groupName: '봄' },
      { groups: [spring], makesGroups: false },
      { existing: [], groupId: 'g' },
      ['product-groups?first=100&name=봄'],
    ],
    ['needs none where it names none', {}, { groups: [spring], makesGroups: false }, { existing: [] }, []],
    [
      'and is gone by its id makes its group',
      { id: '7', groupName: '봄' },
      { groups: [spring] },
      { existing: [] },
      ['product/7'],
    ],
    [
      'but has by its id is put into its group',
      { id: '7', groupName: '봄' },
      { groups: [spring], records: { 7: mug } },
      { existing: [mug], groupId: 'g' },
      ['product/7', 'product-groups?first=100&name=봄'],
    ],
  ])('%s', async (_, row, shop, found, asked) => {
    const { products, ...did } = await observed([{ originId: 'A', ...row }], shop);
    expect(products).toMatchObject([found]);
    expect(products[0]?.groupId !== undefined).toBe('groupId' in found);
    expect(products[0]?.failed).toBeUndefined();
    expect(did).toEqual({ asked });
  });

  test('comes with what the journal knows', async () => {
    const { products } = await observed([{ originId: 'A' }], { journaled: { A: { fate: 'unknown' } } });
    expect(products).toMatchObject([{ known: { fate: 'unknown' } }]);
  });
});

describe('where the service cannot be asked for a product', () => {
  test('its record has failed, and the others are asked for', async () => {
    const { products } = await observed(
      [
        { originId: 'A', id: '7' },
        { originId: 'B', id: '8' },
      ],
      {
        records: { 7: 503, 8: { id: '8', originId: 'B' } },
      },
    );
    expect(products).toMatchObject([
      { failed: { file: 'input.csv', line: 2, originId: 'A', outcome: 'failed', error: expect.any(String) } },
      { existing: [{ id: '8' }] },
    ]);
  });

  test('for its group, likewise', async () => {
    const { products } = await observed([{ originId: 'A', groupName: '봄' }], { listed: [mug], groups: 503 });
    expect(products).toMatchObject([{ existing: [mug], failed: { outcome: 'failed' } }]);
  });

  it.each([
    ['after five in a row', 503, 5],
    ['at once where it is no fault of a record', 401, 1],
  ])('the push ends %s', async (_, status, count) => {
    const rows = Array.from({ length: count }, (_each, index) => ({ originId: `A${index}`, id: '7' }));
    await expect(observed(rows, { records: { 7: status } })).rejects.toThrow('getProduct');
    if (count > 1) await expect(observed(rows.slice(1), { records: { 7: status } })).resolves.toBeDefined();
  });
});
