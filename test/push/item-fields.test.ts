import { describe, expect, it, test } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { OrderItem } from '../../src/contract/resources.ts';
import type { OrderItemUpdateRecord } from '../../src/input/records/record-kinds.ts';
import { decideItem } from '../../src/push/decide/decide-item.ts';
import { itemFields } from '../../src/push/fields/tables.ts';
import { entriesOf } from './open-push.ts';

const brown = { name: 'color', value: 'brown' };
const shipment = { companyCode: '한진', trackingNumber: '123456789012', deliveredAt: '2026-11-20T00:00:00Z' };
const item: OrderItem = {
  id: '5',
  originId: 'I1',
  status: 'RETURN',
  product: { id: '7', originId: 'P1' },
  selectedOptions: [brown],
  paidPrice: '12900.50',
  shipment,
};
const bare: OrderItem = { id: '5' };
/** Every field of the item that an update can send. */
const everything = { status: 'RETURN', selectedOptions: [brown], paidPrice: 12_900.5, shipment };

const changesOf = (
  record: OrderItemUpdateRecord,
  shown: OrderItem = item,
  defaultsOnUpdate: 'keep' | 'apply' = 'keep',
) => {
  const [entry] = entriesOf<OrderItemUpdateRecord>([{ originId: 'I1', ...record }]);
  if (entry === undefined) throw new Error('there is a row');
  const observed = {
    entry,
    item: { id: '5', orderId: '3', productOriginId: 'P1' },
    accepted: undefined,
    shown,
  };
  const rules = {
    resend: undefined,
    refusedOrders: undefined,
    assumptions: { ...defaultAssumptions, defaultsOnUpdate },
  };
  const { outcome, write } = decideItem(observed, rules);
  const { productOriginId: _, ...details } = write?.body ?? {};
  return { details, changes: outcome.changes ?? {} };
};

describe('of an item nothing is changed by', () => {
  it.each<[string, OrderItemUpdateRecord, OrderItem]>([
    ['no options, where none are shown', { selectedOptions: [] }, bare],
    ['a part of its shipment', { shipment: { trackingNumber: '123456789012' } }, item],
    [
      'the same day, told by its date',
      { shipment },
      { ...item, shipment: { ...shipment, deliveredAt: '2026-11-20' } },
    ],
    [
      'the same words in place of a time',
      { shipment: { deliveredAt: 'soon' } },
      { ...item, shipment: { deliveredAt: 'soon' } },
    ],
  ])('%s', (_, record, shown) => {
    expect(changesOf(record, shown)).toEqual({ details: {}, changes: {} });
  });
});

describe('of an item an update sends', () => {
  it.each<[string, OrderItemUpdateRecord, object]>([
    ['other options', { selectedOptions: [] }, { selectedOptions: [] }],
    [
      'another carrier, with the rest of its shipment',
      { shipment: { companyCode: '04' } },
      { shipment: { ...shipment, companyCode: '04' } },
    ],
    [
      'another number, with the carrier as it is shown',
      { shipment: { companyCode: '05', trackingNumber: '9' } },
      { shipment: { ...shipment, trackingNumber: '9' } },
    ],
  ])('%s', (_, record, sent) => {
    const [[field, to] = ['', undefined]] = Object.entries(sent);
    const from = { ...everything }[field];
    expect(changesOf(record)).toEqual({ details: sent, changes: { [field]: { from, to } } });
  });

  test('what it does not have yet', () => {
    expect(changesOf({ status: 'CANCEL', paidPrice: '1', shipment: { companyCode: '05' } }, bare)).toEqual({
      details: { status: 'CANCEL', paidPrice: 1, shipment: { companyCode: '05' } },
      changes: {
        status: { from: null, to: 'CANCEL' },
        paidPrice: { from: null, to: 1 },
        shipment: { from: {}, to: { companyCode: '05' } },
      },
    });
  });

  test('a time in words where a time was, and the other way round', () => {
    const [soon, then] = [{ deliveredAt: 'soon' }, { deliveredAt: '2026-11-20T00:00:00Z' }];
    expect(changesOf({ shipment: soon }, { ...bare, shipment: then }).details).toEqual({ shipment: soon });
    expect(changesOf({ shipment: then }, { ...bare, shipment: soon }).details).toEqual({ shipment: then });
  });

  test('another product, which the body names anyway', () => {
    expect(changesOf({ productOriginId: 'P2' })).toEqual({
      details: {},
      changes: { productOriginId: { from: 'P1', to: 'P2' } },
    });
    expect(changesOf({ productOriginId: 'P2' }, bare).changes).toEqual({
      productOriginId: { from: null, to: 'P2' },
    });
  });
});

describe('where an update puts back what it leaves out', () => {
  test('all goes out that the service shows', () => {
    const { details, changes } = changesOf({ paidPrice: '1' }, item, 'apply');
    expect(details).toEqual({ ...everything, paidPrice: 1 });
    expect(Object.keys(changes)).toEqual(['paidPrice']);
  });

  test('nothing goes out that it does not show, or that an update does not take', () => {
    const shown = { ...bare, status: 'SHIPPING', shipment: { companyCode: null }, paidPrice: null };
    expect(changesOf({ paidPrice: '1' }, shown, 'apply').details).toEqual({ paidPrice: 1 });
    const nameless = { ...bare, selectedOptions: [{ name: null, value: null }] };
    expect(changesOf({ paidPrice: '1' }, nameless, 'apply').details).toEqual({
      paidPrice: 1,
      selectedOptions: [{ name: '', value: '' }],
    });
  });
});

const orderItemValues = (shown: OrderItem) =>
  Object.fromEntries(itemFields.map(({ name, read }) => [name, read(shown)]));

test('what the service has of an item is told field by field, null where it has nothing', () => {
  expect(orderItemValues(item)).toEqual({ ...everything, productOriginId: 'P1' });
  expect(orderItemValues({ ...bare, selectedOptions: [{}], paidPrice: '0' })).toEqual({
    productOriginId: null,
    status: null,
    selectedOptions: [{ name: null, value: null }],
    paidPrice: 0,
    shipment: {},
  });
});
