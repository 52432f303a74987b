import { expect, test } from 'vitest';
import { orderItemRecords } from '../../src/input/records/record-kinds.ts';
import { read } from './reading.ts';

const columns = 'orderOriginId,originId,productOriginId,memberOriginId\n';
const whole = { hasWholeOrders: true };
const scattered = `${columns}A,1,P,\nB,2,P,\nA,3,P,\nA,4,P,\n`;

test('an order whose rows are apart is refused, once for each place', async () => {
  const { problems, problemCount } = await read(orderItemRecords, scattered, whole);
  expect(problemCount).toBe(1);
  expect(problems).toMatchObject([
    { line: 4, value: 'A', code: 'order-scattered', reason: expect.stringContaining('line 2') },
  ]);
  expect(problems[0]?.remedy).toContain('sort the file by order');
});

test('an order in two files is refused', async () => {
  const files = { a: `${columns}A,1,P,\nB,2,P,\n`, b: `${columns}A,3,P,\n` };
  const { problems } = await read(orderItemRecords, files, whole);
  expect(problems).toMatchObject([{ file: 'b', line: 2, value: 'A', code: 'order-scattered' }]);
});

test('rows of items that go out alone may be anywhere', async () => {
  const { ids, problems } = await read(orderItemRecords, scattered);
  expect(problems).toEqual([]);
  expect(ids).toEqual(['1', '2', '3', '4']);
});

test('rows of an order that contradict each other are refused', async () => {
  const content = `${columns}A,1,P,kim\nA,3,P,park\nB,2,P,lee\nB,4,P,lee\n`;
  const { problems } = await read(orderItemRecords, content, whole);
  expect(problems).toMatchObject([
    { line: 3, column: 'memberOriginId', value: 'park', reason: expect.stringMatching(/input:2$/) },
  ]);
});

test('an order of more than 10,000 rows is refused before anything is sent', async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => `O,${index},P,\n`).join('');
  const fits = await read(orderItemRecords, columns + rows(10_000), whole);
  expect(fits.problems).toEqual([]);
  const { problems } = await read(orderItemRecords, columns + rows(10_050), whole);
  expect(problems).toMatchObject([{ line: 10_002, column: 'orderOriginId', code: 'order-too-long' }]);
});
