import { expect, test } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { type OrderItemRecord, orderItemRecords } from '../../src/input/records/record-kinds.ts';
import {
  orderItemEntry,
  orderItemEntryFields,
  orderItemExtraFields,
} from '../../src/push/compile/order-item-entry.ts';
import { orderFields, orderFieldsOf } from '../../src/push/fields/order-fields.ts';
import { unsentFields } from '../../src/push/flows/orders.ts';

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
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.keys(field).map((nested) => `${name}.${nested}`)
      : [name],
  );
}

const strict = { assumptions: defaultAssumptions };
const generous = { assumptions: { ...defaultAssumptions, bulkExtraFields: 'taken' } } as const;

test('the fields said to go out are those that go out', () => {
  expect(pathsOf(orderItemEntry(full, strict.assumptions))).toEqual(orderItemEntryFields);
  expect(pathsOf(orderItemEntry(full, generous.assumptions))).toEqual([
    ...orderItemEntryFields,
    ...orderItemExtraFields,
  ]);
  expect(pathsOf(orderFieldsOf([full]))).toEqual(orderFields);
});

test('order fields stay out without an operation for whole orders, item fields unless the service takes more than is documented', () => {
  const { assumptions: none } = strict;
  const { assumptions: taken } = generous;
  const createOrders = 'POST /orders';
  const all = { ofOrders: orderFields, ofItems: orderItemExtraFields };
  expect(unsentFields(paths, none)).toEqual(all);
  expect(unsentFields(paths, { ...none, createOrders })).toEqual({ ...all, ofOrders: [] });
  expect(unsentFields(paths, taken)).toEqual({ ...all, ofItems: [] });
  expect(unsentFields(paths, { ...taken, createOrders })).toEqual({ ofOrders: [], ofItems: [] });
});
