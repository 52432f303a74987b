import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { openLedgerShop } from './ledger-shop.ts';
import { describeRollBacks, hourlyClocks } from './rolled-back.ts';

describeRollBacks(async () => {
  const shop = await openLedgerShop({ reviews: 4 });
  const nextClock = hourlyClocks();
  const payer = ['--payer-command', join(shop.folder, 'pay.sh'), '-c', 'payer-idempotent=24h'];
  await shop.run('ledger init');
  return {
    ...shop,
    settle: (exitCode, ...more) => {
      shop.write('exit-code', String(exitCode));
      return shop.run(['rewards settle', ...payer, ...more], { clock: nextClock() });
    },
    verify: () => shop.run('ledger verify'),
    administer: async (sql) => {
      const database = new DatabaseSync(shop.ledgerPath);
      database.exec(sql);
      database.close();
    },
  };
});
