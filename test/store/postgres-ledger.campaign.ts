import { describeLedger } from './ledger-suite.ts';
import { makePostgresLedger, openPostgresUntilEnd } from './postgres-place.ts';
import { withPostgres } from './with-postgres.ts';

await withPostgres('the suite of the ledger', (server) => {
  describeLedger('the ledger in PostgreSQL', async () => {
    const location = await makePostgresLedger(server);
    return () => openPostgresUntilEnd(location);
  });
});
