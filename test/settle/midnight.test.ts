import { expect, it } from 'vitest';
import type { Ledger } from '../../src/store/ledger/ledger.ts';
import { wrongIn } from '../store/ledger-suite.ts';
import { openSettlement, words } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

/** Ten seconds before midnight in Korea. */
const eveningMs = Date.parse('2026-01-01T14:59:50Z');

it('a payment counts for the day of its claim, where the day ends while the claim waits for the ledger', async () => {
  const { settle, ledger, clock } = await openSettlement({ reviews: 1 });
  await clock.sleep(eveningMs - clock.now());
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
