import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import { parseMoney } from '../../src/base/money.ts';
import type { Payment } from '../../src/payer/payer.ts';
import { checkResults, type KnownPayment, type ResultRow } from '../../src/payer/read-results.ts';
import { identifyingColumns, writeResultsFile } from '../../src/payer/results-file.ts';
import { paymentOf } from './payments.ts';
import { testFolder } from './programs.ts';

const csv = { excel: false, checkAbsent: () => undefined };
const second = paymentOf({
  rewardId: '4712',
  key: 'rv1-b',
  amount: parseMoney('2.5') ?? 0n,
  memberOriginId: '=cmd|"x"',
  reward: { id: '4712', order: null, orderItem: { originId: '-1+1' } },
});

describe('a written results file', () => {
  it('has the columns that a person needs to pay, and columns for the outcome', async () => {
    const path = join(testFolder(), 'batch.csv');
    const total = await writeResultsFile(path, streamOf([[paymentOf()], [second]]), csv);
    expect(total).toEqual({ count: 2, amount: parseMoney('1502.5') });
    expect(readFileSync(path, 'utf8')).toBe(
      [
        'key,rewardId,memberOriginId,amount,orderOriginId,orderItemOriginId,reviewId,reviewCategory,createdAt,check,outcome,ref,message',
        `${paymentOf().key},4711,haneul7,1500,20261028-0000024,20261028-0000024-01,81,IMAGE,2026-11-01T01:02:04Z,c-3f2dd62478,,,`,
        `rv1-b,4712,"'=cmd|""x""",2.5,,'-1+1,,,,c-5730542018,,,`,
        '',
      ].join('\n'),
    );
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  });

  it('is the same bytes for the same payments', async () => {
    const path = join(testFolder(), 'batch.csv');
    await writeResultsFile(path, streamOf([[paymentOf(), second]]), { ...csv, excel: true });
    const first = readFileSync(path);
    await writeResultsFile(path, streamOf([[paymentOf()], [], [second]]), { ...csv, excel: true });
    expect(readFileSync(path)).toEqual(first);
    expect(first.toString('utf8').startsWith('\ufeffkey,')).toBe(true);
  });

  it('is unchanged where the payments cannot all be read, and nothing incomplete stays behind', async () => {
    const folder = testFolder();
    const path = join(folder, 'batch.csv');
    writeFileSync(path, 'before');
    const breaking = async function* () {
      yield [paymentOf()];
      throw new Error('the ledger broke');
    };
    await expect(writeResultsFile(path, breaking(), csv)).rejects.toThrow('the ledger broke');
    expect(readFileSync(path, 'utf8')).toBe('before');
    expect(readdirSync(folder)).toEqual(['batch.csv']);
  });

  it.each([
    ['a folder', 'batch'],
    ['in a folder that is not there', 'none/batch'],
  ])('cannot be %s, and the message names the path', async (_, name) => {
    const folder = testFolder();
    const path = join(folder, name);
    mkdirSync(join(folder, 'batch'));
    await expect(writeResultsFile(path, streamOf([[second]]), csv)).rejects.toMatchObject({
      kind: 'unreadable-path',
      message: expect.stringContaining(`${path} cannot be written: `),
    });
  });
});

const handedOver = (rewardId: string, key: string, amount: string, outcome?: 'paid'): KnownPayment => ({
  payment: paymentOf({ rewardId, key, amount: parseMoney(amount) ?? 0n }),
  outcome,
});
const handed = new Map<string, KnownPayment>([
  ['rv1-a', handedOver('1', 'rv1-a', '1500')],
  ['rv1-b', handedOver('2', 'rv1-b', '2.5')],
  ['rv1-c', handedOver('3', 'rv1-c', '10', 'paid')],
  ['rv1-d', handedOver('4', 'rv1-d', '20')],
  ['rv1-e', handedOver('5', 'rv1-e', '30')],
]);
const keys = { find: (key: string) => handed.get(key), isEarlier: async () => false };

function rowsOf(...cells: readonly ResultRow['cells'][]): ResultRow[] {
  return cells.map((row, index) => ({ line: index + 2, cells: row }));
}

describe('results that are read back', () => {
  it('are taken where all of them are right, and what is open is counted', async () => {
    const rows = rowsOf(
      { key: 'rv1-a', amount: '1,500.00', outcome: 'Paid', ref: 'R-1' },
      { key: 'rv1-b', amount: 2.5, outcome: 'refused', message: ' left the shop ' },
      // Decided earlier, so it is not open.
      { key: 'rv1-c', amount: '10', outcome: '' },
      { key: 'rv1-d', amount: '20', outcome: '' },
      { key: 'rv1-e', amount: '30', outcome: '' },
    );
    expect(await checkResults(streamOf(rows), keys)).toEqual({
      results: [
        { key: 'rv1-a', outcome: 'paid', ref: 'R-1', message: undefined },
        { key: 'rv1-b', outcome: 'refused', ref: undefined, message: 'left the shop' },
      ],
      open: { count: 2, amount: 500_000n, rewardIds: expect.any(Array) },
      problemCount: 0,
      problems: [],
    });
  });

  it('may repeat earlier outcomes', async () => {
    const rows = rowsOf({ key: 'rv1-c', amount: '10', outcome: 'paid' });
    expect((await checkResults(streamOf(rows), keys)).problemCount).toBe(0);
  });
});

describe('rows of results', () => {
  const right = { key: 'rv1-a', amount: '1500', outcome: 'paid' };

  it.each([
    [{ key: undefined }, 'key', 'the key, which identifies the payment, is missing'],
    [
      { outcome: 'payed' },
      'outcome',
      "'payed' is neither paid nor refused, nor blank for a payment still open; did you mean 'paid'?",
    ],
    [{ amount: '1501' }, 'amount', "'1501' is not the amount of this payment: reward 1 is 1500"],
    [{ amount: '15,00' }, 'amount', "'15,00' is not the amount of this payment: reward 1 is 1500"],
    [{ amount: undefined }, 'amount', 'the amount is missing: reward 1 is 1500'],
    [
      { rewardId: '2', amount: '2.5' },
      'rewardId',
      "'2' is not the rewardId of this payment: its key is that of reward 1; amount too",
    ],
    [
      { memberOriginId: 'haneul8' },
      'memberOriginId',
      "'haneul8' is not the memberOriginId of this payment: reward 1 has 'haneul7'",
    ],
    [{ orderOriginId: '' }, 'orderOriginId', "the orderOriginId is missing: reward 1 has '20261028-0000024'"],
    [
      { check: 'c-0000000000' },
      'check',
      expect.stringMatching(
        /^'c-0000000000' is not the check of this payment: reward 1 has 'c-[0-9a-f]{10}'$/,
      ),
    ],
    [
      { key: 'rv1-c', amount: '10', outcome: 'refused' },
      'outcome',
      'reward 3 is paid already, and that is final',
    ],
    [{ ref: 'r'.repeat(201) }, 'ref', 'it is longer than 200 characters'],
  ])('with %j are a problem of %s, reported with its line', async (changes, field, message) => {
    const { problems } = await checkResults(streamOf(rowsOf({ ...right, ...changes })), keys);
    expect(problems).toEqual([{ line: 2, field, message }]);
  });

  it('whose key a restored ledger does not know are to be compared as a statement', async () => {
    const { problems } = await checkResults(streamOf(rowsOf({ ...right, key: 'rv1-z' })), keys);
    expect(problems).toMatchObject([{ line: 2, message: 'this ledger handed over no payment rv1-z' }]);
    expect(String(problems[0]?.remedy)).toMatch(/: reviewctl ledger reconcile --payer-statement FILE$/);
  });

  it('name a key once', async () => {
    const { problems } = await checkResults(streamOf(rowsOf(right, right)), keys);
    expect(problems).toEqual([{ line: 3, field: 'key', message: 'line 2 has the same key' }]);
  });

  it('with thousands of problems keep the first thousand, and count all', async () => {
    const rows = Array.from({ length: 1500 }, (_, index) => ({ line: index + 2, cells: {} }));
    const { problems, problemCount } = await checkResults(streamOf(rows), keys);
    expect([problems.length, problemCount, problems.at(-1)?.line]).toEqual([1000, 1500, 1001]);
  });
});

/** Payments that differ only in key and id if `areAlike`. */
const batchOf = (size: number, areAlike: boolean) =>
  Array.from({ length: size }, (_, index) =>
    paymentOf({
      key: `rv1-${index}`,
      rewardId: `R${index}`,
      ...(areAlike ? {} : { memberOriginId: `=M${index % 2}` }),
    }),
  );

async function writtenRows(payments: readonly Payment[]): Promise<ResultRow[]> {
  const path = join(testFolder(), 'batch.csv');
  await writeResultsFile(path, streamOf([payments]), csv);
  const [first = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const header = first.split(',');
  return lines.map((line, index) => ({
    line: index + 2,
    cells: Object.fromEntries(line.split(',').map((cell, column) => [header[column], cell])),
  }));
}

async function problemLines(rows: readonly ResultRow[], payments: readonly Payment[]): Promise<number[]> {
  const known = new Map(payments.map((payment) => [payment.key, { payment, outcome: undefined }]));
  const { problems } = await checkResults(streamOf(rows), { ...keys, find: (key) => known.get(key) });
  return problems.map(({ line }) => line);
}

describe('a results file that comes back', () => {
  it('as it went leaves every payment open', async () => {
    const payments = [paymentOf(), ...batchOf(4, false)];
    const rows = await writtenRows(payments);
    expect(await problemLines(rows, payments)).toEqual([]);
  });

  it('without any column but key, amount and outcome is taken, as one written before there was a check', async () => {
    const payments = batchOf(3, false);
    const rows = await writtenRows(payments);
    const older = rows.map(({ line, cells: { check: _check, ...cells } }) => ({ line, cells }));
    const bare = rows.map(({ line, cells: { key, amount } }) => ({
      line,
      cells: { key, amount, outcome: 'paid' },
    }));
    expect(await problemLines([...older], payments)).toEqual([]);
    expect(await problemLines([...bare], payments)).toEqual([]);
  });

  it('with any columns of the payment sorted apart from the rest names each row that is not whole', async () => {
    const bound = [...identifyingColumns, 'check'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.subarray([...bound], { minLength: 1, maxLength: bound.length - 1 }),
        fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
        async (areAlike, moved, order) => {
          const payments = batchOf(5, areAlike);
          const rows = await writtenRows(payments);
          const shifted = rows.map(({ line, cells }, index) => {
            const from = rows[order[index] ?? 0]?.cells ?? {};
            return {
              line,
              cells: { ...cells, ...Object.fromEntries(moved.map((name) => [name, from[name]])) },
            };
          });
          const isTorn = ({ cells }: ResultRow) => {
            const own = rows.find((row) => row.cells['key'] === cells['key'])?.cells ?? {};
            return bound.some((name) => own[name] !== cells[name]);
          };
          expect(await problemLines(shifted, payments)).toEqual(
            shifted.filter(isTorn).map(({ line }) => line),
          );
        },
      ),
    );
  });

  it('sorted by whole rows is taken', async () => {
    const payments = batchOf(5, true);
    const rows = await writtenRows(payments);
    expect(await problemLines(rows.toReversed(), payments)).toEqual([]);
  });
});
