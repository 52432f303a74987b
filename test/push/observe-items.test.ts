import { describe, expect, it, test } from 'vitest';
import { limitWork } from '../../src/base/lists.ts';
import type { Entry, OrderItemUpdateRecord } from '../../src/input/records/record-kinds.ts';
import { createItemFinder } from '../../src/push/lookup/find-items.ts';
import { observeItems } from '../../src/push/lookup/observe-items.ts';
import { createBreaker } from '../../src/push/steps/breaker.ts';
import type { KnownRecord } from '../../src/store/journal/push-journal.ts';
import { knownRecords, listingService } from './listing-service.ts';
import { entriesOf } from './open-push.ts';

interface Shop {
  /** Items or HTTP statuses by id. */
  readonly items?: Readonly<Record<string, object | number>>;
  readonly rewards?: readonly object[];
  /** Items with accepted updates, by id. */
  readonly accepted?: Readonly<Record<string, Partial<KnownRecord>>>;
}

async function observed(
  rows: readonly Entry<OrderItemUpdateRecord>[],
  { items = {}, rewards = [], accepted = {} }: Shop = {},
) {
  const { api, asked } = listingService({
    lists: { listReviews: () => [], listRewards: () => rewards },
    records: items,
  });
  const journal = {
    known: async (kind: string, ids: readonly string[]) => {
      const known = kind === 'order-item-update' ? knownRecords(accepted) : new Map<string, KnownRecord>();
      return new Map([...known].filter(([id]) => ids.includes(id)));
    },
  };
  const sources = { api, breaker: createBreaker(), journal, inTurn: limitWork(1) };
  const found = await observeItems({ ...sources, finder: createItemFinder(api, journal) }, rows);
  return { found, asked };
}

const row = { id: 'i', productOriginId: 'P' };
const ofOrder = { ...row, order: { id: 'o' } };

describe('an item is looked at', () => {
  const shown = { id: 'i', status: 'RETURN' };

  it.each<[string, OrderItemUpdateRecord]>([
    ['whose order is known', ofOrder],
    ['of which a row says anything but its product', { id: 'i', order: { id: 'o' }, status: 'RETURN' }],
  ])('%s', async (_, record) => {
    const { found, asked } = await observed(entriesOf([record]), {
      items: { i: shown },
      accepted: { i: {} },
    });
    expect(found).toMatchObject([
      { entry: { record }, item: { id: 'i', orderId: 'o' }, shown, accepted: { fate: 'accepted' } },
    ]);
    expect(asked).toEqual(['order/o/order-item/i']);
  });

  it.each<[string, OrderItemUpdateRecord]>([
    ['whose order is not known', row],
    ['of which a row says nothing', { id: 'i', order: { id: 'o' } }],
    ['that nothing leads to', { originId: 'A', productOriginId: 'P' }],
  ])('but not one %s', async (_, record) => {
    const { found, asked } = await observed(entriesOf([record]), { items: { i: shown } });
    expect(found).toMatchObject([{ entry: { record }, accepted: undefined }]);
    expect(found[0]).not.toHaveProperty('shown');
    expect(asked.filter((path) => path.startsWith('order/'))).toEqual([]);
  });
});

describe('an item that cannot be looked at', () => {
  it.each([
    [404, 'rejected'],
    [503, 'failed'],
  ])('(%s) has an outcome: %s', async (status, outcome) => {
    const rows = entriesOf([
      { ...ofOrder, originId: 'A' },
      { ...ofOrder, id: 'j' },
    ]);
    const { found } = await observed(rows, { items: { i: status, j: { id: 'j' } } });
    const place = { file: 'input.csv', line: 2, originId: 'A' };
    expect(found).toMatchObject([{ failed: { ...place, outcome } }, { shown: { id: 'j' } }]);
  });

  test('ends the push with the fifth in a row', async () => {
    const troubled = (id: string) => ({ ...ofOrder, id });
    const ids = ['1', '2', '3', '4', 'well', '5', '6', '7', '8'];
    const items = Object.fromEntries(ids.map((id) => [id, id === 'well' ? { id } : 503]));
    const { found } = await observed(entriesOf(ids.map(troubled)), { items });
    expect(found).toHaveLength(9);
    const more = observed(entriesOf([...ids, '9'].map(troubled)), { items: { ...items, 9: 503 } });
    await expect(more).rejects.toThrow('getOrderItem');
  });
});
