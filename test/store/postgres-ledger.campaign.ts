import { afterAll, beforeAll, test } from 'vitest';
import { describeLedger } from './ledger-suite.ts';
import { makePostgresLedger, openPostgresUntilEnd } from './postgres-place.ts';
import {
  findPostgres,
  makePostgres,
  type PostgresServer,
  sayThatPostgresIsMissing,
} from './postgres-server.ts';

const bin = findPostgres();

if (bin === undefined) {
  test('without a server, it is said that the ledger was tested on SQLite alone', () =>
    sayThatPostgresIsMissing('the suite of the ledger'));
} else {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await makePostgres(bin);
  });
  afterAll(() => server.remove());

  describeLedger('the ledger in PostgreSQL', async () => {
    const location = await makePostgresLedger(server);
    return () => openPostgresUntilEnd(location);
  });
}
