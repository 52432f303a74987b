import { expect, it } from 'vitest';
import type { Failure } from '../../src/base/failure.ts';
import type { Json } from '../../src/base/json.ts';
import { readStatement, type StatedPayment, Statement, timesPaid } from '../../src/payer/read-statement.ts';

type Cells = Readonly<Record<string, Json | undefined>>;

async function* rowsOf(rows: readonly Cells[]) {
  for (const [index, cells] of rows.entries()) yield { line: index + 2, cells };
}

const read = (...rows: readonly Cells[]) => readStatement(rowsOf(rows), 'paid.csv');
const named = ({ name, amount, line }: StatedPayment) => `${line} ${name} ${amount}`;

it.each([
  [[500], [1]],
  [[0], [1]],
  [[500, 500], [2]],
  [[500, -200], [1]],
  [[500, -500], []],
  [[500, 500, -500], [1]],
  [[500, 500, 500, -500], [2]],
  [[500, -250, -249], [1]],
  [[-500], [0]],
])('rows of %j are %j payments, and a reversal alone is none, but is not passed over', (amounts, times) => {
  const statement = new Statement();
  for (const [index, amount] of amounts.entries()) statement.add(index + 2, 'key k', BigInt(amount));
  expect([...statement.unclaimed()].map(timesPaid)).toEqual(times);
  expect(statement.paymentCount).toBe(Math.min(1, times[0] ?? 0));
  expect(statement.size).toBe(1);
});

it('a payment has the line of its first row and the sum of all', async () => {
  const statement = await read(
    { key: 'k', amount: 500 },
    { ref: 'T1', amount: '1,000' },
    { key: 'k', amount: -200 },
  );
  expect([...statement.unclaimed()].map(named)).toEqual(['2 key k 3000000', '3 ref T1 10000000']);
  expect(statement.paymentCount).toBe(2);
});

it('a cancelled row below zero takes a payment back, and one that failed does not', async () => {
  const paid = { key: 'k', amount: 5, status: '지급' };
  const back = { ...paid, amount: -5 };
  const statement = await read(paid, { ...back, status: '취소' }, { ...back, status: '실패' });
  expect(statement.named(['key k'])).toMatchObject([{ payments: 1, reversals: 1 }]);
});

it('what is claimed is in the order of its names, and is not unclaimed afterwards', () => {
  const statement = new Statement();
  for (const [index, name] of ['a', 'b', 'reversed', 'gone', 'gone'].entries()) {
    statement.add(index + 2, name, index === 2 || index === 4 ? -1n : 1n);
  }
  expect(statement.claim(['reversed', 'gone', 'b', 'absent']).map(({ name }) => name)).toEqual([
    'reversed',
    'b',
  ]);
  expect([...statement.unclaimed()].map(({ name }) => name)).toEqual(['a']);
});

const ownKey = `rv1-${'a2'.repeat(20)}`;

it.each<[cells: Cells, name: string]>([
  [{ key: ownKey, rewardId: 'R1', ref: 'T1' }, `key ${ownKey}`],
  [{ key: 'theirs', rewardId: 'R1', ref: 'T1' }, 'reward R1'],
  [{ key: `${ownKey}a`, rewardId: 'R1' }, 'reward R1'],
  [{ key: `x${ownKey}`, rewardId: 'R1' }, 'reward R1'],
  [{ key: 'theirs', ref: 'T1' }, 'key theirs'],
  [{ key: ' ', rewardId: 7, ref: 'T1' }, 'reward 7'],
  [{ ref: 'T1' }, 'ref T1'],
])('the row %j is of the payment %s', async (cells, name) => {
  const statement = await read({ ...cells, amount: 5 });
  expect(statement.claim([name])).toHaveLength(1);
});

it.each<[cells: Cells, count: number]>([
  [{}, 1],
  [{ outcome: ' PAID ' }, 1],
  [{ outcome: 'refused' }, 0],
  [{ outcome: '' }, 0],
  [{ status: 'Completed' }, 1],
  [{ status: '지급 완료' }, 1],
  [{ status: 'CANCELLED' }, 0],
  [{ status: '취소' }, 0],
  [{ outcome: 'paid', status: 'failed' }, 0],
])('a row that also says %j is %i payments', async (cells, count) => {
  expect((await read({ key: 'k', amount: 5, ...cells })).size).toBe(count);
});

it('a payment names each member whom its rows name', async () => {
  const to = (memberOriginId?: string) => ({ key: 'k', amount: 5, memberOriginId });
  const [payment] = (await read(to('M2'), to(' M1 '), to(), to('M2'))).claim(['key k']);
  expect(payment?.members).toEqual(['M2', 'M1']);
});

const needed =
  'each row needs an amount, and the key, the rewardId or the ref of a payment; ' +
  'for one period add --statement-start and --statement-end';

const words =
  'write one of paid, success, succeeded, completed, 지급, 지급완료, 적립, 적립완료, 완료, 성공, or for a row that is ' +
  'not paid one of refused, rejected, declined, failed, failure, 거절, 반려, 실패, 지급실패, cancelled, ' +
  'canceled, 취소, 지급취소; or rename the column if every row is a payment';

it.each<[rows: readonly Cells[], message: string, hint: string]>([
  [[{ key: ' ', amount: 5 }], 'paid.csv:2: key, rewardId and ref are all blank', needed],
  [
    [
      { key: 'k', amount: 5 },
      { key: 'k', amount: '5원' },
    ],
    "paid.csv:3: '5원' is not an exact amount",
    needed,
  ],
  [[{ key: 'k', amount: '1,00' }], "paid.csv:2: '1,00' is not an exact amount", needed],
  [
    [{ key: 'k', amount: 5, outcome: 'Done' }],
    "paid.csv:2: outcome: 'Done' does not say whether it was paid",
    words,
  ],
  [[{ key: 'k', amount: 5, status: '' }], "paid.csv:2: status: '' does not say whether it was paid", words],
  [
    [
      { key: 'k', amount: -5 },
      { key: 'l', amount: -5 },
    ],
    'paid.csv: no payment is above zero: it contains only reversals',
    'write paid amounts without a minus sign',
  ],
])('a statement of %j is refused with its line and what it needs', async (rows, message, hint) => {
  const failure = await read(...rows).catch((error: Failure) => error);
  expect(failure).toMatchObject({ kind: 'input', message, hint, place: { file: 'paid.csv' } });
});

it('a statement with a payment besides reversals, and one without rows, are read', async () => {
  expect((await read({ key: 'k', amount: -5 }, { key: 'l', amount: 5 })).size).toBe(2);
  expect((await read()).size).toBe(0);
});
