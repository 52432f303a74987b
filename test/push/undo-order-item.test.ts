import { expect, it, test } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { OrderItem } from '../../src/contract/resources.ts';
import { contentHash } from '../../src/push/compile/content-hash.ts';
import { itemUpdateEntry } from '../../src/push/compile/order-item-entry.ts';
import { undoOrderItem } from '../../src/push/undo/undo.ts';
import { apply, type Changes, leftAlone, place, record } from './updated-record.ts';

const shipment = { companyCode: '04', trackingNumber: '1', deliveredAt: '2026-11-20T00:00:00Z' };
const undone = (changes: Changes, item: Partial<OrderItem>) =>
  undoOrderItem(record(changes), { id: '7', product: { originId: 'P1' }, ...item }, defaultAssumptions);
const forgotten = itemUpdateEntry('7', { productOriginId: 'P1' }, contentHash({}));

it.each<[string, string, Changes[string], Partial<OrderItem>]>([
  ['status', 'status', { from: 'RETURN', to: 'CANCEL' }, { status: 'CANCEL' }],
  [
    'options, in whatever order,',
    'selectedOptions',
    { from: [], to: ['a', 'b'].map((name) => ({ name, value: '1' })) },
    { selectedOptions: ['b', 'a'].map((name) => ({ name, value: '1' })) },
  ],
  [
    'shipment, in whatever notation,',
    'shipment',
    { from: { ...shipment, trackingNumber: '2' }, to: { ...shipment, companyCode: 'CJ대한통운' } },
    { shipment: { ...shipment, deliveredAt: '2026-11-20T09:00:00+09:00' } },
  ],
  [
    'shipment, without the parts that were added,',
    'shipment',
    { from: { companyCode: '04' }, to: shipment },
    { shipment },
  ],
])('the %s of an item that is as it was sent is written back, with its product', (_, field, change, item) => {
  const { outcome, write, before, orderId, learned } = undone({ [field]: change }, item);
  const body = { productOriginId: 'P1', [field]: change.from };
  expect(outcome).toMatchObject({ ...place, outcome: 'updated', id: '7' });
  expect(write).toEqual({ kind: 'update', id: '7', body, hash: contentHash(body) });
  expect({ before, orderId, learned }).toEqual({
    before: { id: '7', product: { originId: 'P1' }, ...item },
    orderId: '3',
    learned: { entry: forgotten },
  });
});

test('the product of an item is written back', () => {
  const { write } = undone({ productOriginId: { from: 'P9', to: 'P1' } }, {});
  expect(write?.body).toEqual({ productOriginId: 'P9' });
});

test('what is as before needs no write, and the journal forgets what was sent', () => {
  const change = { status: { from: 'RETURN', to: 'CANCEL' } };
  expect(undone(change, { status: 'RETURN' })).toEqual({
    outcome: { ...place, outcome: 'unchanged', id: '7' },
    learned: { entry: forgotten },
  });
  expect(undone(change, { status: 'RETURN', product: null }).learned).toEqual({
    entry: itemUpdateEntry('7', {}, contentHash({})),
  });
});

it.each<[string, string, Changes[string], Partial<OrderItem>, string]>([
  [
    'another status',
    'status',
    { from: 'RETURN', to: 'CANCEL' },
    { status: 'FAIL' },
    'the service has "FAIL" now',
  ],
  [
    'a status that no update takes',
    'status',
    { from: 'SHIPPING', to: 'CANCEL' },
    { status: 'CANCEL' },
    'an update does not take the earlier value',
  ],
  [
    'options of another value',
    'selectedOptions',
    { from: [], to: [{ name: 'a', value: '1' }] },
    { selectedOptions: [{ name: 'a', value: '2' }] },
    'the service has [{"name":"a","value":"2"}] now',
  ],
  [
    'a shipment of another time',
    'shipment',
    { from: shipment, to: { ...shipment, deliveredAt: 'soon' } },
    { shipment: { ...shipment, deliveredAt: 'later' } },
    `the service has ${JSON.stringify({ ...shipment, deliveredAt: 'later' })} now`,
  ],
  [
    'a shipment that was none',
    'shipment',
    { from: {}, to: shipment },
    { shipment },
    'an update cannot empty it',
  ],
])(
  '%s of an item is left alone with the reason, and is what the journal knows',
  (_, field, change, item, obstacle) => {
    expect(undone({ [field]: change }, item)).toEqual({ outcome: leftAlone(field, change, obstacle) });
  },
);

test('nothing is written to one whose product is not shown, since an update names it', () => {
  const change = { status: { from: 'RETURN', to: 'CANCEL' } };
  expect(undone(change, { status: 'CANCEL', product: null })).toEqual({
    outcome: {
      ...place,
      outcome: 'rejected',
      id: '7',
      error: 'an update needs productOriginId, and the service does not show the product of this item',
    },
  });
});

test('everything else goes out with it where an update puts back what it leaves out', () => {
  const item = { id: '7', product: { originId: 'P1' }, status: 'CANCEL', paidPrice: '5' };
  const change = { status: { from: 'RETURN', to: 'CANCEL' } };
  expect(undoOrderItem(record(change), item, apply).write?.body).toEqual({
    productOriginId: 'P1',
    status: 'RETURN',
    paidPrice: 5,
  });
});
