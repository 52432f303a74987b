import { test } from 'vitest';
import { withPostgres } from '../store/with-postgres.ts';
import { settleRound } from './settle-round.ts';

await withPostgres('settlers that are killed', (server) => {
  // As in settle-kills.campaign.ts. Seed 2 has an idempotent payer; seed 7 has one that is not, and a cap.
  test.for([2, 7])(
    'with the ledger in PostgreSQL, whose server crashes, too, two settlers, a receiver and a trigger killed with -9 ten times (seed %i) keep every promise',
    { timeout: 120_000 },
    async (seed, { expect }) => {
      const report = await settleRound({ seed, kills: 10, server });
      const { killed, struck, paid, calls, unknown, violations } = report;
      console.log(
        `PostgreSQL, seed ${seed}: ${killed} kills, ${struck} crashes, lost sessions and stops, ` +
          `${paid} payments with ${calls} calls, ${unknown} unknown, ${violations.length} broken promises`,
      );
      expect(violations).toEqual([]);
      expect(killed).toBe(10);
      expect(paid).toBeGreaterThan(10);
    },
  );
});
