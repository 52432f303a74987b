import { expect, test } from 'vitest';
import { openSandbox } from './open-sandbox.ts';

/** A sandbox with two products and the order O of one item I1. */
async function withOrder() {
  const opened = await openSandbox();
  const { product } = opened;
  await product('P1');
  await product('P2');
  const [{ successObjectId: itemId }] = await opened.jobsNow(await opened.items('P1', 'I1'));
  const [order] = opened.sandbox.state.orders.values();
  return { ...opened, itemId, orderId: order?.id ?? '' };
}

test('an order comes into being with its first bulk item, empty but for that', async () => {
  const { ask, orderId, itemId } = await withOrder();
  expect(await ask('GET', `/admin/v2/order/${orderId}`)).toEqual({
    id: orderId,
    originId: 'O',
    orderedAt: '2026-01-01T00:00:00Z',
    memberOriginId: null,
    alimtalkTemplateCode: null,
    buyer: null,
    recipient: null,
    items: [
      {
        id: itemId,
        originId: 'I1',
        status: null,
        product: expect.objectContaining({ originId: 'P1' }),
        selectedOptions: [],
        paidPrice: null,
        shipment: null,
      },
    ],
  });
});

test('an order update keeps what it leaves out, and null takes the template away', async () => {
  const { ask, orderId } = await withOrder();
  const path = `/admin/v2/order/${orderId}`;
  await ask('PATCH', path, {
    memberOriginId: 'M1',
    orderedAt: '2025-12-24T10:00:00+09:00',
    buyer: { name: '김민서', phone: '010-1' },
    recipient: { name: '이서준' },
    alimtalkTemplateCode: 'T1',
  });
  expect(await ask('PATCH', path, { memberOriginId: 'M2' })).toMatchObject({
    memberOriginId: 'M2',
    orderedAt: '2025-12-24T10:00:00+09:00',
    buyer: { name: '김민서', phone: '010-1', email: null },
    recipient: { name: '이서준', phone: null },
    alimtalkTemplateCode: 'T1',
  });
  expect(await ask('PATCH', path, { alimtalkTemplateCode: null })).toMatchObject({
    alimtalkTemplateCode: null,
    memberOriginId: 'M2',
  });
});

test('items of an order update are added or updated by originId; sent twice they do the same once', async () => {
  const { ask, orderId } = await withOrder();
  const path = `/admin/v2/order/${orderId}`;
  const body = {
    items: [
      { originId: 'I1', productOriginId: 'P2', paidPrice: 9900 },
      { originId: 'I2', productOriginId: 'P1' },
    ],
  };
  const first = await ask('PATCH', path, body);
  expect(first.items).toMatchObject([
    { originId: 'I1', product: { originId: 'P2' }, paidPrice: '9900' },
    { originId: 'I2', product: { originId: 'P1' } },
  ]);
  expect(await ask('PATCH', path, body)).toEqual(first);
});

test('an order update with one bad item changes nothing and names the item', async () => {
  const { ask, call, orderId } = await withOrder();
  const path = `/admin/v2/order/${orderId}`;
  const before = await ask('GET', path);
  const { status, body } = await call('PATCH', path, {
    memberOriginId: 'M1',
    items: [
      { originId: 'I2', productOriginId: 'P1' },
      { originId: 'I3', productOriginId: 'P9' },
    ],
  });
  expect(status).toBe(422);
  expect(body.detail[0].loc).toEqual(['body', 'items', '1', 'productOriginId']);
  expect(await ask('GET', path)).toEqual(before);
});

test('an item is added with everything it carries, and the answer is the order with its items', async () => {
  const { ask, orderId, itemId } = await withOrder();
  const order = await ask('POST', `/admin/v2/order/${orderId}/order-item`, {
    originId: 'I2',
    productOriginId: 'P2',
    status: 'DELIVERED',
    selectedOptions: [{ name: '색상', value: '차콜' }],
    paidPrice: 12.5,
    shipment: { companyCode: 'self', deliveredAt: '2026-01-01T00:00:00Z' },
  });
  expect(order.items.map(({ originId }: { originId: string }) => originId)).toEqual(['I1', 'I2']);
  const [, added] = order.items;
  expect(added).toMatchObject({
    status: 'DELIVERED',
    selectedOptions: [{ name: '색상', value: '차콜' }],
    paidPrice: '12.5',
    shipment: { companyCode: 'self', trackingNumber: null, deliveredAt: '2026-01-01T00:00:00Z' },
  });
  expect(await ask('GET', `/admin/v2/order/${orderId}/order-item/${added.id}`)).toEqual(added);
  expect(added.id).not.toBe(itemId);
});

test('an item of an unknown product is refused, as is one of an unknown order', async () => {
  const { call, orderId } = await withOrder();
  const body = { originId: 'I2', productOriginId: 'P9' };
  const unknownProduct = await call('POST', `/admin/v2/order/${orderId}/order-item`, body);
  expect(unknownProduct.status).toBe(422);
  expect(unknownProduct.body.detail[0].loc).toEqual(['body', 'productOriginId']);
  expect((await call('POST', '/admin/v2/order/1/order-item', body)).status).toBe(404);
});

test('an item is found under its own order only', async () => {
  const { ask, call, itemId, orderId } = await withOrder();
  await ask('POST', '/admin/v2/order-items/bulk', [
    { orderOriginId: 'O2', originId: 'I9', productOriginId: 'P1' },
  ]);
  await ask('GET', `/admin/v2/order/${orderId}/order-item/${itemId}`);
  const other = await call('GET', `/admin/v2/order/${itemId}/order-item/${itemId}`);
  expect(other.status).toBe(404);
});

test('an item update replaces what it names and keeps the rest', async () => {
  const { ask, call, itemId } = await withOrder();
  const path = `/admin/v2/order-item/${itemId}`;
  await ask('PATCH', path, { productOriginId: 'P1', status: 'DELIVERED', paidPrice: 5000 });
  expect(
    await ask('PATCH', path, { productOriginId: 'P2', shipment: { trackingNumber: '0012' } }),
  ).toMatchObject({
    originId: 'I1',
    status: 'DELIVERED',
    paidPrice: '5000',
    product: { originId: 'P2' },
    shipment: { companyCode: null, trackingNumber: '0012', deliveredAt: null },
  });
  expect((await call('PATCH', path, { status: 'DELIVERED' })).body.detail).toEqual([
    { loc: ['body', 'productOriginId'], msg: 'this field is required', type: 'missing' },
  ]);
  expect((await call('PATCH', path, { productOriginId: 'P9' })).status).toBe(422);
  expect((await call('PATCH', '/admin/v2/order-item/1', { productOriginId: 'P1' })).status).toBe(404);
});
