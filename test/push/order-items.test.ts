import { expect, test } from 'vitest';
import {
  addProduct,
  entriesOf,
  heldIds,
  type OpenPush,
  openPush,
  orderItems,
  wordsOf,
  writeReview,
} from './open-push.ts';

/** A service with the items I1 to I3 of order O1. */
async function openItems(): Promise<OpenPush> {
  const push = await openPush();
  addProduct(push);
  await push.orders(entriesOf(orderItems(3)));
  heldIds(push, 'orderItems');
  return push;
}

function itemOf({ sandbox }: OpenPush, originId: string) {
  return sandbox.transact(({ state }) => state.orderItems.first('originId', originId));
}

function idOf(push: OpenPush, originId: string): string {
  return itemOf(push, originId)?.id ?? '';
}

test('a part of a shipment leaves the rest as it is, and is rejected if nothing shows the rest', async () => {
  const push = await openItems();
  const row = { originId: 'I1', id: idOf(push, 'I1'), orderOriginId: 'O1' };
  const parcel = { companyCode: '04', trackingNumber: '693340618584' };
  const delivered = { ...row, shipment: { deliveredAt: '2026-11-02T00:00:00Z' } };
  await push.orderItems(entriesOf([{ ...row, shipment: parcel }]));
  expect((await push.orderItems(entriesOf([delivered]))).outcomes).toMatchObject([
    { outcome: 'rejected', error: expect.stringContaining('give shipment.companyCode and') },
  ]);
  await writeReview(push, 'I1');
  expect(wordsOf((await push.orderItems(entriesOf([delivered]))).outcomes)).toEqual({ I1: 'updated' });
  expect(itemOf(push, 'I1')?.shipment).toEqual({ ...parcel, ...delivered.shipment });
});

test('a row whose id is that of another item than its originId stops the push as the reply shows it', async () => {
  const push = await openItems();
  const canceled = { productOriginId: 'P1', status: 'CANCEL' } as const;
  const [first, second] = [idOf(push, 'I1'), idOf(push, 'I2')];
  const rows = [
    { ...canceled, id: first, originId: 'I2' },
    { ...canceled, id: second, originId: 'I1' },
  ];
  const { outcomes, error } = await push.orderItems(entriesOf(rows));
  const told = `order item ${first} is not the intended one: its originId is "I1", but the row has "I2"`;
  expect(outcomes).toMatchObject([{ originId: 'I2', outcome: 'failed', error: `updated, but ${told}` }]);
  expect(error).toMatchObject({
    message: told,
    hint: expect.stringMatching(/^correct the id .+: reviewctl orders get ORDER_ID --fields items$/),
  });
  expect(itemOf(push, 'I2')?.status).not.toBe('CANCEL');
});

test('a second row of one item contradicts the first, which is named, in whatever file it is', async () => {
  const push = await openItems();
  const of = (file: string, line: number, name: string, originId?: string) => {
    const row = { id: idOf(push, name), productOriginId: 'P1', status: 'CANCEL' } as const;
    return { file, line, record: originId === undefined ? row : { ...row, originId } };
  };
  async function* batches() {
    yield [of('a.csv', 2, 'I1', 'I1'), of('a.csv', 3, 'I2', 'I2')];
    yield [of('b.csv', 2, 'I3', 'I3'), of('b.csv', 3, 'I2'), of('b.csv', 4, 'I3')];
  }
  const { outcomes } = await push.orderItems(batches(), { isDryRun: true });
  const repeated = (place: string, originId: string) => ({
    outcome: 'rejected',
    error: `${place} changes the same item, whose id is ${idOf(push, originId)}; keep one of the two rows`,
  });
  expect(outcomes).toMatchObject([
    ...['I1', 'I2', 'I3'].map((originId) => ({ originId, outcome: 'updated' })),
    repeated('a.csv:3', 'I2'),
    repeated('b.csv:2', 'I3'),
  ]);
});
