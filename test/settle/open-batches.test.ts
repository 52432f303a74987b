import { expect, it } from 'vitest';
import { missingPayments, OpenBatches } from '../../src/settle/manual/open-batches.ts';
import type { LedgerEntry } from '../../src/store/ledger/ledger.ts';
import { paid, paying } from './entries.ts';
import { readLedger } from './read-ledger.ts';

function handedOver(batch: string, rewardId: string): LedgerEntry {
  return { ...paying, rewardId, call: { owner: batch, leaseUntilMs: null } };
}

const first = ['1', '2', '3', '4', '5', '6'].map((rewardId) => handedOver('first', rewardId));
const second = [handedOver('second', '7')];
const all = [...first, ...second, paying, paid];

it('each batch has its payments, of which the first are named; what programs pay is in none', () => {
  const batches = new OpenBatches();
  for (const entry of [...all, { ...handedOver('second', '8'), terms: null }]) batches.add(entry);
  expect(batches.all).toEqual([
    { batch: 'first', count: 6, amount: 30_000_000n, rewardIds: ['1', '2', '3', '4', '5'] },
    { batch: 'second', count: 2, amount: 5_000_000n, rewardIds: ['7', '8'] },
  ]);
});

it.each<[named: readonly string[], missing: readonly string[]]>([
  [[], ['first 6', 'second 1']],
  [['1'], ['first 5']],
  [['1', '7'], ['first 5']],
  [['7'], []],
  [['6', '7'], ['first 5']],
  [['1', '2', '3', '4', '5', '6'], []],
  [['none'], []],
])('a file that names %j lacks the other payments of its batches', async (named, missing) => {
  const open = await missingPayments(readLedger(all), new Set(named));
  expect(open.map(({ batch, count }) => `${batch} ${count}`)).toEqual(missing);
});
