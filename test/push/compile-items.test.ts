import { describe, expect, it, test } from 'vitest';
import { type Assumptions, defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { OrderItemRecord } from '../../src/input/records/record-kinds.ts';
import { entryCompiler } from '../../src/push/compile/compiler.ts';
import { orderItemCompiler } from '../../src/push/compile/order-items.ts';
import { textOf } from '../../src/push/compile/sendable-record.ts';
import { orderFieldsOf, ownerValues } from '../../src/push/fields/order-fields.ts';
import { entriesOf } from './open-push.ts';

const ids = { orderOriginId: 'O1', originId: 'I1', productOriginId: 'P1' };
const whole = { createOrders: 'POST /admin/v2/orders/bulk' } as const;
const extra = { bulkExtraFields: 'taken' } as const;

/** The compiled items, encoded to columns and decoded again. */
function compiled(records: readonly OrderItemRecord[], taken: Partial<Assumptions> = {}) {
  const compiler = orderItemCompiler({ ...defaultAssumptions, ...taken });
  const entries = entriesOf(records);
  const batch = {
    file: 'a.csv',
    lines: entries.map(({ line }) => line),
    columns: compiler.columnsOf(entries),
  };
  return { compiler, batch, items: compiler.recordsOf(batch) };
}

const hashOf = (record: OrderItemRecord, taken: Partial<Assumptions> = {}) =>
  compiled([record], taken).items[0]?.contentHash;

describe('an order item waits to be sent', () => {
  const status = 'DELIVERED' as const;
  const orderedAt = '2026-01-02T03:04:05Z';
  const row = { ...ids, status, paidPrice: '5', orderedAt, memberOriginId: 'm1' };

  it.each<[string, OrderItemRecord, Partial<Assumptions>, object]>([
    ['its ids', ids, {}, ids],
    ['its ids, escaped', { ...ids, originId: 'a"b\\' }, {}, { ...ids, originId: 'a"b\\' }],
    ['its ids alone, where nothing else is taken', row, {}, ids],
    ['its fields, where they are taken', row, extra, { ...ids, status, paidPrice: 5 }],
    ['all of its row, where orders are made whole', row, whole, row],
  ])('as the text of %s', (_, record, taken, sent) => {
    const { items } = compiled([record], taken);
    expect(items.map((item) => JSON.parse(textOf(item)))).toEqual([sent]);
    expect(items).toMatchObject([{ file: 'a.csv', line: 2, ...idsOf(record) }]);
  });

  const idsOf = ({ originId, orderOriginId, productOriginId }: OrderItemRecord) => ({
    originId,
    orderOriginId,
    productOriginId,
  });

  test('and a plan keeps all of it', () => {
    const [item] = compiled([ids]).items;
    const kept = JSON.parse(JSON.stringify(item));
    expect(kept).toEqual({ file: 'a.csv', line: 2, ...ids, contentHash: item?.contentHash });
    expect(JSON.parse(textOf(kept))).toEqual(ids);
  });
});

describe('the hash of an item', () => {
  test('is that of what is sent, but for its own id', () => {
    const [one, same] = [hashOf(ids), hashOf({ ...ids, originId: 'I2' })];
    expect(same).toBe(one);
    expect(hashOf({ ...ids, status: 'CANCEL' })).toBe(one);
    expect(hashOf(ids, extra)).toBe(one);
    for (const change of [{ orderOriginId: 'O2' }, { productOriginId: 'P2' }]) {
      expect(hashOf({ ...ids, ...change })).not.toBe(one);
    }
    expect(hashOf({ ...ids, status: 'CANCEL' }, extra)).not.toBe(one);
  });

  test('says nothing of what only the creation of its order takes', () => {
    const ofOrder = { orderedAt: '2026-01-02T03:04:05Z', memberOriginId: 'm1', buyer: { phone: '010' } };
    expect(hashOf({ ...ids, ...ofOrder }, whole)).toBe(hashOf(ids));
    expect(hashOf({ ...ids, ...ofOrder, status: 'CANCEL' }, { ...whole, ...extra })).toBe(
      hashOf({ ...ids, status: 'CANCEL' }, extra),
    );
  });
});

describe('the fields of an order', () => {
  test('are put together from its rows, with the earliest of their times', () => {
    const rows: readonly OrderItemRecord[] = [
      { ...ids, orderedAt: '2026-01-02T12:00:00+09:00', buyer: { name: 'Kim' } },
      { ...ids, orderedAt: '2026-01-02T04:00:00Z', memberOriginId: 'm1', buyer: { phone: '1' } },
      { ...ids, orderedAt: '2026-01-02T02:00:00Z', alimtalkTemplateCode: null, recipient: { name: 'Lee' } },
    ];
    expect(orderFieldsOf(rows)).toEqual({
      orderedAt: '2026-01-02T02:00:00Z',
      memberOriginId: 'm1',
      alimtalkTemplateCode: null,
      buyer: { name: 'Kim', phone: '1' },
      recipient: { name: 'Lee' },
    });
    expect(JSON.stringify(orderFieldsOf([ids]))).toBe('{}');
  });

  test('that say whose it is are named by their paths', () => {
    const row: OrderItemRecord = {
      ...ids,
      memberOriginId: 'm',
      alimtalkTemplateCode: 't',
      buyer: { name: 'bn', phone: 'bp', email: 'be' },
      recipient: { name: 'rn', phone: 'rp' },
    };
    const read = (of: OrderItemRecord) =>
      Object.entries(ownerValues).map(([name, value]) => [name, value(of)]);
    expect(Object.fromEntries(read(row))).toEqual({
      memberOriginId: 'm',
      alimtalkTemplateCode: 't',
      'buyer.name': 'bn',
      'buyer.phone': 'bp',
      'buyer.email': 'be',
      'recipient.name': 'rn',
      'recipient.phone': 'rp',
    });
    expect(read(ids).every(([, value]) => value === undefined)).toBe(true);
  });
});

test('other records are kept as they are', () => {
  const compiler = entryCompiler<{ readonly name: string }>();
  const entries = entriesOf([{ name: 'a' }, { name: 'b' }]);
  const batch = { file: 'input.csv', lines: [2, 3], columns: compiler.columnsOf(entries) };
  expect(compiler.recordsOf(batch)).toEqual(entries);
});
