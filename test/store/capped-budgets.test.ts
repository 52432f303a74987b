import { expect, test } from 'vitest';
import { CappedBudgets } from '../../src/store/ledger/capped-budgets.ts';
import type { Cap } from '../../src/store/ledger/ledger.ts';
import { untouched } from '../../src/store/ledger/ledger-invariants.ts';
import { paying } from '../settle/entries.ts';

const [day, run]: readonly [Cap, Cap] = [
  { scope: 'day', amount: 10_000_000n, count: null },
  { scope: 'run', amount: null, count: 1 },
];
const claimed = { ...paying, scopes: ['day', 'run'] };
const amount = claimed.terms?.amount ?? 0n;

test('a reservation is posted to each scope with its cap', () => {
  const budgets = new CappedBudgets([]);
  expect(budgets.post('reserve', [day, run], { before: undefined, after: claimed })).toEqual({
    kind: 'reserve',
    amount,
    scopes: ['day', 'run'],
  });
  const held = { reservedAmount: amount, reservedCount: 1, spentAmount: 0n, spentCount: 0 };
  expect(budgets.changed()).toEqual([
    { budget: { scope: 'day', ...held }, cap: day },
    { budget: { scope: 'run', ...held }, cap: run },
  ]);
});

test('a posting that one of its budgets refuses changes none of them', () => {
  const budgets = new CappedBudgets([]);
  const second = { ...run, count: 0 };
  expect(() => budgets.post('reserve', [day, second], { before: undefined, after: claimed })).toThrow(
    'it breaks the cap of run',
  );
  expect(() => budgets.post('spend', [], { before: claimed, after: claimed })).toThrow(
    'holds less than the posting takes',
  );
  expect(budgets.changed()).toEqual([]);
  expect(budgets.find('day')).toEqual(untouched('day'));
});
