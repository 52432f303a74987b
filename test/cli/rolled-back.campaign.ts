import { connect } from '../../src/store/sql/connection.ts';
import { locationOf } from '../store/postgres-place.ts';
import { withPostgres } from '../store/with-postgres.ts';
import { manualClock, openLedgerShop } from './ledger-shop.ts';
import { describeRollBacks } from './rolled-back.ts';
import { expectEnd } from './run-cli.ts';

let made = 0;

await withPostgres('rows that were put back', (server) => {
  describeRollBacks(async () => {
    made += 1;
    const schema = `rolled_back_${made}`;
    const shop = await openLedgerShop({ reviews: 4, token: `token-${made}` });
    const env = {
      ...shop.env,
      REVIEWCTL_STATE: server.url(`&schema=${schema}`),
      REVIEWCTL_PAYER_IDEMPOTENT: '24h',
    };
    // The server uses the clock of the machine.
    const inDatabase = { env, clock: manualClock };
    expectEnd(await shop.run('ledger init', inDatabase), 0);
    return {
      ...shop,
      settle: (exitCode, ...more) => {
        shop.write('exit-code', String(exitCode));
        return shop.run([`rewards settle ${shop.payer}`, ...more], inDatabase);
      },
      verify: () => shop.run('ledger verify', inDatabase),
      administer: async (sql) => {
        const connection = await connect(locationOf(server, schema));
        await connection.query(`SET search_path TO ${schema}`);
        await connection.query('ALTER TABLE reward DISABLE TRIGGER ALL');
        for (const statement of sql.split(';')) await connection.query(statement);
        await connection.query('ALTER TABLE reward ENABLE TRIGGER ALL');
        await connection.close();
      },
    };
  });
});
