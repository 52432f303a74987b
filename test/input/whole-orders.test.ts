import { expect, test } from 'vitest';
import { orderItemRecords } from '../../src/input/records/record-kinds.ts';
import { read } from './reading.ts';

const columns = 'orderOriginId,originId,productOriginId,memberOriginId,buyer.name\n';
const whole = { hasWholeOrders: true };
const scattered = `${columns}A,1,P,,\nB,2,P,,\nA,3,P,,\nA,4,P,,\n`;

test('an order whose rows are apart is refused, once for each place', async () => {
  const { problems, problemCount } = await read(orderItemRecords, scattered, whole);
  expect(problemCount).toBe(1);
  expect(problems).toMatchObject([
    { line: 4, value: 'A', code: 'order-scattered', reason: expect.stringContaining('line 2') },
  ]);
  expect(problems[0]?.remedy).toContain('sort the file by order');
});

test('an order in two files is refused', async () => {
  const files = { a: `${columns}A,1,P,,\nB,2,P,,\n`, b: `${columns}A,3,P,,\n` };
  const { problems } = await read(orderItemRecords, files, whole);
  expect(problems).toMatchObject([{ file: 'b', line: 2, value: 'A', code: 'order-scattered' }]);
});

const contradicting = `${columns}A,1,P,kim,\nA,2,P,,김\nA,3,P,lee,이\nB,4,P,lee,이\n`;

test('rows of an order that contradict each other are refused, each with the row it contradicts', async () => {
  const { problems, count } = await read(orderItemRecords, contradicting, whole);
  expect({ problems, count }).toMatchObject({
    problems: [
      { line: 4, column: 'memberOriginId', value: 'lee', reason: expect.stringMatching(/input:2$/) },
      { line: 4, column: 'buyer.name', value: '이', reason: expect.stringMatching(/input:3$/) },
    ],
    count: 4,
  });
});

test('a guest order has no member, so a row that names one contradicts it', async () => {
  const rows = `${columns}A,1,P,비회원,\nA,2,P,,\nA,3,P,kim,\n`;
  const { problems } = await read(orderItemRecords, rows, whole);
  expect(problems).toMatchObject([
    { line: 4, column: 'memberOriginId', value: 'kim', code: 'order-disagrees' },
  ]);
});

test('rows of items that go out alone may be anywhere, and contradict each other', async () => {
  for (const content of [scattered, contradicting]) {
    const { ids, problems } = await read(orderItemRecords, content);
    expect({ ids, problems }).toEqual({ ids: ['1', '2', '3', '4'], problems: [] });
  }
});

test('an order of more than 10,000 rows is refused before anything is sent', async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => `O,${index},P,,\n`).join('');
  const fits = await read(orderItemRecords, columns + rows(10_000), whole);
  expect(fits.problems).toEqual([]);
  const { problems } = await read(orderItemRecords, columns + rows(10_050), whole);
  expect(problems).toMatchObject([{ line: 10_002, column: 'orderOriginId', code: 'order-too-long' }]);
});
