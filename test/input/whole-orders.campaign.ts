import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderExtents, rowsHeldMaximum } from '../../src/input/orders/order-extents.ts';
import { orderItemRecords } from '../../src/input/records/record-kinds.ts';
import { read } from './reading.ts';

const columns = 'orderOriginId,originId,productOriginId,memberOriginId\n';
const whole = { hasWholeOrders: true };

describe('rows of whole orders that are apart', () => {
  it('come together, each order where its last row is', async () => {
    const content = `${columns}A,1,P,\nB,2,P,\nA,3,P,\nC,4,P,\nB,5,P,\n`;
    const { entries, problems } = await read(orderItemRecords, { o: content }, whole);
    expect(entries.map(({ line, record }) => [record.orderOriginId, line])).toEqual([
      ['A', 2],
      ['A', 4],
      ['C', 5],
      ['B', 3],
      ['B', 6],
    ]);
    expect(problems).toEqual([]);
  });

  it('come together from several files', async () => {
    const files = { a: `${columns}A,1,P,\nB,2,P,\n`, b: `${columns}A,3,P,\n` };
    const { entries } = await read(orderItemRecords, files, whole);
    expect(entries.map(({ record }) => record.originId)).toEqual(['2', '1', '3']);
  });

  it('stay where they are in an input whose items go out alone', async () => {
    const content = `${columns}A,1,P,\nB,2,P,\nA,3,P,\n`;
    const { entries } = await read(orderItemRecords, { o: content });
    expect(entries.map(({ record }) => record.originId)).toEqual(['1', '2', '3']);
  });

  it('are compared with each other before anything is sent', async () => {
    const content = `${columns}A,1,P,kim\nB,2,P,lee\nA,3,P,park\nB,4,P,lee\n`;
    const { problems } = await read(orderItemRecords, { o: content }, whole);
    expect(problems).toMatchObject([
      { line: 4, column: 'memberOriginId', value: 'park', reason: expect.stringMatching(/o:2$/) },
    ]);
  });

  it('are refused where too many would have to wait for others of their order', async () => {
    const twice = (orders: number) => {
      const rows = Array.from({ length: 2 * orders }, (_, index) => `O${index % orders},${index},P,\n`);
      return { o: columns + rows.join('') };
    };
    const fitting = await read(orderItemRecords, twice(rowsHeldMaximum - 1), whole);
    expect(fitting.problems).toEqual([]);
    const { problems } = await read(orderItemRecords, twice(rowsHeldMaximum), whole);
    expect(problems).toMatchObject([{ code: 'orders-scattered', remedy: 'sort the file by order' }]);
    expect(problems[0]).not.toHaveProperty('line');
  });
});

it('an order of more than 10,000 rows is refused before anything is sent', async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => `O,${index},P,\n`).join('');
  const fits = await read(orderItemRecords, { o: columns + rows(10_000) }, whole);
  expect(fits.problems).toEqual([]);
  const { problems } = await read(orderItemRecords, { o: columns + rows(10_050) }, whole);
  expect(problems).toMatchObject([{ line: 10_002, column: 'orderOriginId', code: 'order-too-long' }]);
});

it('how many rows wait at most is known from where the rows of each order are', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 60 }), (orders) => {
      const extents = new OrderExtents('order');
      for (const order of orders) extents.take(String(order));
      let most = 0;
      let held: number[] = [];
      for (const [index, order] of orders.entries()) {
        held.push(order);
        most = Math.max(most, held.length);
        if (extents.isLast(String(order), index + 1)) held = held.filter((other) => other !== order);
      }
      expect(extents.mostHeld()).toBe(most);
      expect(held).toEqual([]);
      const runs = orders.filter((order, index) => order !== orders[index - 1]).length;
      expect(extents.isScattered).toBe(runs !== new Set(orders).size);
    }),
  );
});
