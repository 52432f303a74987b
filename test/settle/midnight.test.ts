import { expect, it } from 'vitest';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import { wrongIn } from '../store/ledger-suite.ts';
import { openPolicy } from './open-policy.ts';
import { openSettlement, words } from './open-settlement.ts';
import { pays, scriptedPayer } from './scripted-payer.ts';

const minuteMs = 60_000;
/** Ten minutes before the day ends in Korea. */
const eveningMs = Date.parse('2026-01-01T14:50:00Z');

it('a run over midnight in Korea pays up to the cap of each day, and no more', async () => {
  const { settle, ledger, clock } = await openSettlement({ reviews: 12 });
  await clock.sleep(eveningMs - clock.now());
  const script = async () => {
    await clock.sleep(11 * minuteMs);
    return pays;
  };
  const cap = 12_000_000n;
  const policy = { ...openPolicy, maxPerDay: cap };
  const { outcomes } = await settle(scriptedPayer({ script }), { policy, concurrency: 1 });
  const days = await ledger.budgets('day ');
  expect(days.map(({ scope }) => scope)).toEqual(['day 2026-01-01', 'day 2026-01-02']);
  for (const { spentAmount, reservedAmount } of days) {
    expect(spentAmount).toBeGreaterThan(0n);
    expect(spentAmount + reservedAmount).toBeLessThanOrEqual(cap);
  }
  expect(words(outcomes)['held']).toBeGreaterThan(0);
  expect(await wrongIn(ledger)).toEqual([]);
});

it('a payment counts for the day of its claim, where the day ends while the claim waits for the ledger', async () => {
  const { settle, ledger, clock } = await openSettlement({ reviews: 1 });
  await clock.sleep(eveningMs + 10 * minuteMs - 10_000 - clock.now());
  let hasWaited = false;
  const change: Ledger['change'] = async (rewardId, step, options) => {
    if (!hasWaited && options.scopes !== undefined) {
      hasWaited = true;
      await clock.sleep(20_000);
    }
    return ledger.change(rewardId, step, options);
  };
  const { outcomes } = await settle(scriptedPayer({}), { ledger: { ...ledger, change } });
  expect(hasWaited).toBe(true);
  expect(words(outcomes)).toEqual({ paid: 1 });
  expect((await ledger.budgets('day ')).map(({ scope }) => scope)).toEqual(['day 2026-01-02']);
  expect(await wrongIn(ledger)).toEqual([]);
});
