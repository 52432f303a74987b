import { describe, expect, it, test } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { OrderItemUpdateRecord } from '../../src/input/records/record-kinds.ts';
import { contentHash } from '../../src/push/compile/content-hash.ts';
import { decideItem, type ItemRules } from '../../src/push/decide/decide-item.ts';
import type { ObservedItem } from '../../src/push/lookup/observe-items.ts';

const place = { file: 'a.csv', line: 2, originId: 'I1' };
const item = { id: '7', orderId: '3', productOriginId: 'P1' };
const shown = { id: '7', originId: 'I1', product: { id: '1', originId: 'P1' }, status: 'RETURN' };
const delivered = { originId: 'I1', status: 'DELIVERED' } as const;
const statusChange = { status: { from: 'RETURN', to: 'DELIVERED' } };

type Observed = Partial<Omit<ObservedItem, 'shown'>> & { readonly shown?: ObservedItem['shown'] | undefined };

/** The decision on a row of an item; by default the service shows the item. */
function decided(record: OrderItemUpdateRecord, observed: Observed = {}, rules: Partial<ItemRules> = {}) {
  const { shown: seen, ...others } = { shown, ...observed };
  return decideItem(
    {
      entry: { file: 'a.csv', line: 2, record },
      item,
      accepted: undefined,
      ...others,
      ...(seen && { shown: seen }),
    },
    { resend: undefined, assumptions: defaultAssumptions, refusedOrders: undefined, ...rules },
  );
}

const rejected = (error: unknown) => ({ outcome: { ...place, outcome: 'rejected', error } });
const unseen = { shown: undefined } as const;
const noProduct =
  'an update needs productOriginId, which is missing here; add the column, or orderOriginId for ' +
  'items that have a review';

describe('before an item is compared', () => {
  test('its order is rejected where its counted ids are', () => {
    const refusedOrders = new Map([['O1', 'the ids have moved']]);
    expect(decided({ ...delivered, orderOriginId: 'O1' }, {}, { refusedOrders })).toEqual(
      rejected('the ids have moved'),
    );
    const row = { ...delivered, productOriginId: 'P1' };
    for (const record of [row, { ...row, orderOriginId: 'O2' }]) {
      expect(decided(record, {}, { refusedOrders })).toMatchObject({ outcome: { outcome: 'updated' } });
    }
  });

  test('one that nothing leads to is rejected, as is one that its ids contradict', () => {
    expect(decided(delivered, { item: undefined })).toEqual(
      rejected(
        "the service's id of this item is unknown; add a column `id`, or `order.id` (the service's id of its order)",
      ),
    );
    expect(decided(delivered, { item: { contradiction: 'two ids' } })).toEqual(rejected('two ids'));
  });

  test('a row that says nothing of it is unchanged, one whose item could not be looked at has that outcome', () => {
    const failed = { ...place, outcome: 'failed', error: 'lost' } as const;
    expect(decided({ originId: 'I1' }, { failed })).toEqual({
      outcome: { ...place, outcome: 'unchanged', id: '7' },
    });
    expect(decided(delivered, { failed })).toEqual({ outcome: failed });
  });
});

describe('an item that the service shows', () => {
  test('is sent what differs, with its product, under the hash of all of its row', () => {
    const before = { ...shown, paidPrice: '5' };
    const body = { productOriginId: 'P2', status: 'DELIVERED' };
    const changes = { productOriginId: { from: 'P1', to: 'P2' }, ...statusChange };
    expect(decided({ ...delivered, productOriginId: 'P2', paidPrice: '5' }, { shown: before })).toEqual({
      outcome: { ...place, outcome: 'updated', id: '7', changes },
      write: { kind: 'update', id: '7', body, hash: contentHash({ ...body, paidPrice: 5 }) },
      before,
      orderId: '3',
    });
  });

  it.each([
    ['the one the service shows', {}, 'P1'],
    ['the one the service shows, known or not,', { item: { id: '7' } }, 'P1'],
    ['the one that is known', { shown: { ...shown, product: null } }, 'P1'],
    ['the one of the row', { shown: { ...shown, product: null }, item: { id: '7' } }, 'P9', 'P9'],
  ])('has %s as its product', (_, observed, productOriginId, given?: string) => {
    const record = given === undefined ? delivered : { ...delivered, productOriginId: given };
    expect(decided(record, observed).write?.body).toEqual({ productOriginId, status: 'DELIVERED' });
  });

  test('is rejected under another originId than its own; one that has none is not', () => {
    expect(decided(delivered, { shown: { ...shown, originId: 'I9' } })).toEqual(
      rejected(
        "its id is 7, but its originId I1 is not that item's, which is I9; correct one of them or leave it out",
      ),
    );
    expect(decided(delivered, { shown: { ...shown, originId: null } }).write).toBeDefined();
    expect(decided({ id: '7', status: 'DELIVERED' }, { shown: { ...shown, originId: 'I9' } })).toMatchObject({
      outcome: { originId: '7', outcome: 'updated' },
    });
  });
});

describe('an item that the service does not show', () => {
  const body = { productOriginId: 'P1', status: 'DELIVERED' };
  const same = { fate: 'accepted', jobId: undefined, contentHash: contentHash(body) } as const;
  const skipped = { outcome: { ...place, outcome: 'skipped', id: '7', comparedWith: 'journal' } };
  const updated = {
    outcome: { ...place, outcome: 'updated', id: '7' },
    write: { kind: 'update', id: '7', body, hash: same.contentHash },
  };

  const replacing = (replaces: string) => ({ ...updated, write: { ...updated.write, replaces } });

  it.each([
    ['was never sent is sent all of the row', undefined, undefined, updated],
    ['was sent the same is skipped, by the journal alone', same, undefined, skipped],
    ['was sent the same is skipped', same, 'unknown', skipped],
    ['was sent the same is sent it again', same, 'accepted', replacing(same.contentHash)],
    ['was sent the same is sent it again', same, 'all', replacing(same.contentHash)],
    ['was sent something else is sent this', { ...same, contentHash: 'h' }, undefined, replacing('h')],
  ] as const)('and %s (%o, --resend %s)', (_, accepted, resend, entry) => {
    expect(decided(delivered, { ...unseen, accepted }, { resend })).toEqual(entry);
  });

  it.each([
    ['of the row first', 'P9', 'P2', 'P9'],
    ['it was sent with then', undefined, 'P2', 'P2'],
    ['that is known last', undefined, undefined, 'P1'],
  ])('has the product %s', (_, ofRow, sent, productOriginId) => {
    const record = ofRow === undefined ? delivered : { ...delivered, productOriginId: ofRow };
    const accepted = { ...same, contentHash: 'h', productOriginId: sent };
    expect(decided(record, { ...unseen, accepted }).write?.body['productOriginId']).toBe(productOriginId);
  });

  test('is rejected where no product is known', () => {
    expect(decided(delivered, { ...unseen, item: { id: '7' } })).toEqual(rejected(noProduct));
  });
});

describe('an id that was made with {n}', () => {
  const refusedOrders = new Map();
  const never = 'an id made with {n} is never given to another product';
  const rows = [
    [{ productOriginId: 'P2' }, `I1 is an item of product P1, and the row is of product P2; ${never}`],
    [
      {},
      `I1 is an item of product P1, and the row names no product; map its column to productOriginId; ${never}`,
    ],
  ] as const;

  it.each(rows)('stays with its product: %o', (row, error) => {
    for (const observed of [{}, unseen, { shown: { ...shown, product: null } }]) {
      expect(decided({ ...delivered, ...row }, observed, { refusedOrders })).toEqual(rejected(error));
    }
    const accepted = { fate: 'accepted', contentHash: 'h', jobId: undefined, productOriginId: 'P1' } as const;
    expect(
      decided({ ...delivered, ...row }, { ...unseen, item: { id: '7' }, accepted }, { refusedOrders }),
    ).toEqual(rejected(error));
  });

  test('is not given to an item whose product is not known', () => {
    for (const observed of [
      { ...unseen, item: { id: '7' } },
      { shown: { id: '7' }, item: { id: '7' } },
    ]) {
      expect(decided({ ...delivered, productOriginId: 'P1' }, observed, { refusedOrders })).toEqual(
        rejected(`I1 is an item whose product is not known, and the row is of product P1; ${never}`),
      );
    }
  });

  test('is updated where the product is the same', () => {
    for (const observed of [{}, unseen]) {
      expect(
        decided({ ...delivered, productOriginId: 'P1' }, observed, { refusedOrders }).write,
      ).toBeDefined();
    }
  });
});
