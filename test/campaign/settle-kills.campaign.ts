import { test } from 'vitest';
import { acts } from './settle-person.ts';
import { settleRound } from './settle-round.ts';

// Sequential, since each round keeps the machine busy. Seed 2 has an idempotent payer; seed 3 has one that is not, a
// cap and jumping clocks.
test.for([2, 3])(
  'two settlers, a receiver and a trigger killed with -9 ten times (seed %i) keep every promise',
  { timeout: 120_000 },
  async (seed, { expect }) => {
    const { killed, paid, violations } = await settleRound({ seed, kills: 10 });
    expect(violations).toEqual([]);
    expect(killed).toBe(10);
    expect(paid).toBeGreaterThan(10);
  },
);

// Seed 4 has an idempotent payer.
test('while a person does to the ledger what people do and the payer fails for one reward for ever, ten kills (seed 4) break no promise', {
  timeout: 120_000,
}, async ({ expect }) => {
  const report = await settleRound({ seed: 4, kills: 10, hasPerson: true });
  expect(report.violations).toEqual([]);
  expect(report.killed).toBe(10);
  expect(report.acts.toSorted()).toEqual(acts.toSorted());
});
