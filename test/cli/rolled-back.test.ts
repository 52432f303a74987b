import { loadSqlite } from '../../src/base/sqlite.ts';
import { openLedgerShop } from './ledger-shop.ts';
import { describeRollBacks, hourlyClocks } from './rolled-back.ts';

const { DatabaseSync } = await loadSqlite();

describeRollBacks(async () => {
  const shop = await openLedgerShop({ reviews: 4 });
  const nextClock = hourlyClocks();
  await shop.run('ledger init');
  return {
    ...shop,
    settle: (exitCode, ...more) => {
      shop.write('exit-code', String(exitCode));
      return shop.run([`rewards settle ${shop.payer} -c payer-idempotent=24h`, ...more], {
        clock: nextClock(),
      });
    },
    verify: () => shop.run('ledger verify'),
    administer: async (sql) => {
      const database = new DatabaseSync(shop.ledgerPath);
      const triggers = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all();
      // Anyone who can write to the file can remove its triggers and restore them.
      for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
      database.exec(sql);
      for (const trigger of triggers) database.exec(String(trigger['sql']));
      database.close();
    },
  };
});
