import { expect, test } from 'vitest';
import { type OrderItemRecord, orderItemRecords } from '../../src/input/record-kinds.ts';
import { orderItemEntry, orderItemEntryFields } from '../../src/push/order-item-entry.ts';
import { unsentFields } from '../../src/push/orders.ts';
import { wholeOrderFields, wholeOrderRowContent } from '../../src/push/whole-orders.ts';

const paths = orderItemRecords.fields.map(({ path }) => path);

const full: OrderItemRecord = {
  orderOriginId: 'O',
  originId: 'I',
  productOriginId: 'P',
  status: 'DELIVERED',
  selectedOptions: [{ name: 'size', value: 'L' }],
  paidPrice: '1',
  shipment: { companyCode: 'self', trackingNumber: '1', deliveredAt: '2026-01-01T00:00:00+09:00' },
  orderedAt: '2026-01-01T00:00:00+09:00',
  memberOriginId: 'M',
  alimtalkTemplateCode: 'T',
  buyer: { name: 'n', phone: 'p', email: 'e' },
  recipient: { name: 'n', phone: 'p' },
};

function pathsOf(value: object): string[] {
  return Object.entries(value).flatMap(([name, field]: [string, unknown]) =>
    typeof field === 'object' && field !== null
      ? Object.keys(field).map((nested) => `${name}.${nested}`)
      : [name],
  );
}

test('the fields said to go out are those that go out', () => {
  expect(pathsOf(orderItemEntry(full))).toEqual(orderItemEntryFields);
  expect(pathsOf(wholeOrderRowContent(full))).toEqual(wholeOrderFields);
});

test('order fields stay out without an operation for whole orders, item fields always', () => {
  const ofItems = [
    'status',
    'selectedOptions',
    'paidPrice',
    'shipment.companyCode',
    'shipment.trackingNumber',
    'shipment.deliveredAt',
  ];
  expect(unsentFields(paths, { supports: () => true })).toEqual({ ofOrders: [], ofItems });
  const { ofOrders } = unsentFields(paths, { supports: () => false });
  expect([...orderItemEntryFields, ...ofItems, ...ofOrders]).toEqual(paths);
});
