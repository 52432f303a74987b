import { test } from 'vitest';
import { withPostgres } from '../store/with-postgres.ts';
import { fates } from './machine-fates.ts';
import { machinesRound } from './machines-round.ts';

await withPostgres('machines that share a ledger', (server, bin) => {
  test.for(fates.map((fate, seed) => ({ fate, seed })))(
    'four machines on PostgreSQL pay no reward twice: $fate (seed $seed)',
    { timeout: 240_000 },
    async ({ fate, seed }, { expect }) => {
      const report = await machinesRound({ seed, server, bin });
      const { killed, crashes, paid, calls, violations, log } = report;
      console.log(
        `machines, seed ${seed}, ${fate}: ${killed} kills, ${crashes} crashes, ${paid} payments with ${calls} ` +
          `calls, ${violations.length} broken promises`,
      );
      const again = `again: npm run campaign -- machines --rounds 1 --seed ${seed}`;
      expect(violations, [...log, ...violations, again].join('\n')).toEqual([]);
      expect(report.fate).toBe(fate);
      expect(paid).toBeGreaterThan(5);
    },
  );
});
