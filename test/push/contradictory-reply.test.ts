import { expect, it, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { type Assumptions, defaultAssumptions } from '../../src/contract/assumptions.ts';
import { contradictoryReply } from '../../src/push/fields/contradictory-reply.ts';
import type { Write } from '../../src/push/fields/reply-differences.ts';

function judged(write: Write, reply: unknown, taken: Partial<Assumptions> = {}) {
  return contradictoryReply(write, reply, { assumptions: { ...defaultAssumptions, ...taken } });
}

const goOn =
  'if it is right there, continue with -c write-reply=earlier, so that no reply to a write is compared; ' +
  'otherwise ask the operator of the service about this field';

it.each<[Write, JsonObject, string, string]>([
  [
    {
      operation: 'updateOrderItem',
      params: { orderItemId: '5' },
      body: { productOriginId: 'P1', status: 'CANCEL', paidPrice: 5 },
    },
    { id: '5', status: 'RETURN', paidPrice: 6 },
    'order item 5 does not have the intended values: status was sent as "CANCEL", and the service shows "RETURN"; ' +
      'paidPrice was sent as 5, and the service shows 6',
    `look at it: reviewctl orders get ORDER_ID --fields items; ${goOn}`,
  ],
  [
    {
      operation: 'updateOrder',
      params: { orderId: '3' },
      body: { memberOriginId: 'm1' },
      before: { id: '3', alimtalkTemplateCode: 'T1' },
    },
    { memberOriginId: 'm1', alimtalkTemplateCode: 'T2' },
    'order 3 does not have the intended values: alimtalkTemplateCode was not sent, and changed from "T1" to "T2"',
    `look at it: reviewctl orders get 3; ${goOn}`,
  ],
  [
    { operation: 'createProduct', body: { originId: 'P1', name: 'Mug' } },
    { id: 7, name: 'Cup' },
    'product 7 does not have the intended values: name was sent as "Mug", and the service shows "Cup"',
    `look at it: reviewctl products get 7; ${goOn}`,
  ],
  [
    { operation: 'bulkCreateOrderItems', body: { status: 'CANCEL' } },
    { status: 'RETURN' },
    'bulkCreateOrderItems does not have the intended values: status was sent as "CANCEL", and the service shows "RETURN"',
    `look at it; ${goOn}`,
  ],
])('a reply that contradicts %o is told with the command to look', (write, reply, message, hint) => {
  const failure = judged(write, reply);
  expect(failure).toMatchObject({
    kind: 'contradictory-reply',
    message,
    hint,
    place: { operation: write.operation },
  });
});

const update: Write = {
  operation: 'updateProduct',
  params: { productId: '7' },
  body: { name: 'Mug' },
  before: { id: '7', name: 'Cup', group: { id: '3' }, isAlimtalkEnabled: false },
};

test('a field that an update changed unasked is told with the command that puts it back', () => {
  const reset = { id: '7', name: 'Mug', group: { id: '4' }, isAlimtalkEnabled: true };
  const failure = judged(update, reset);
  expect(failure?.message).toBe(
    'product 7 does not have the intended values: groupId was not sent, and changed from "3" to "4"; isAlimtalkEnabled was ' +
      'not sent, and changed from false to true',
  );
  expect(failure?.hint).toBe(
    'restore it: reviewctl products update 7 --group-id 3 --is-alimtalk-enabled false; then continue with -c ' +
      'defaults-on-update=apply, so that every update also sends the fields that it would leave out',
  );
});

test('a field that was sent is not put back beside one that was not', () => {
  const failure = judged(update, { id: '7', name: 'Jug', isAlimtalkEnabled: true });
  expect(failure?.hint).toContain('reviewctl products update 7 --is-alimtalk-enabled false; then');
});

test('of an item its shipment is put back part by part, with the product that an update demands', () => {
  const failure = judged(
    {
      operation: 'updateOrderItem',
      params: { orderItemId: '5' },
      body: { productOriginId: 'P1', status: 'CANCEL' },
      before: {
        id: '5',
        shipment: { companyCode: '04', trackingNumber: null, deliveredAt: '2026-11-20T00:00:00Z' },
      },
    },
    { id: '5', status: 'CANCEL', shipment: { companyCode: '05', deliveredAt: '2026-11-21T00:00:00Z' } },
  );
  expect(failure?.hint).toContain(
    'reviewctl order-items update 5 --product-origin-id P1 --shipment-company-code 04 ' +
      '--shipment-delivered-at 2026-11-20T00:00:00Z; then',
  );
});

it.each<[string, Write, unknown, Partial<Assumptions>]>([
  ['shows what was meant', update, { ...(update.before as JsonObject), name: 'Mug' }, {}],
  ['is no record', update, [{ name: 'Jug' }], {}],
  ['is nothing', update, null, {}],
  ['may be of an earlier state', update, { id: '7', name: 'Jug' }, { writeReply: 'earlier' }],
])('a reply that %s contradicts nothing', (_, write, reply, assumptions) => {
  expect(judged(write, reply, assumptions)).toBeUndefined();
});
