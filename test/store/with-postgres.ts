import { afterAll, test } from 'vitest';
import {
  findPostgres,
  makePostgres,
  type PostgresServer,
  sayThatPostgresIsMissing,
} from './postgres-server.ts';

/**
 * Defines tests with their own PostgreSQL server, if one is installed. Otherwise defines one test that reports that
 * `what` (`the faults of ledgers`) ran on SQLite only. `bin` is the folder of the server's programs.
 */
export async function withPostgres(
  what: string,
  makeTests: (server: PostgresServer, bin: string) => void,
  settings: readonly string[] = [],
): Promise<void> {
  const bin = findPostgres();
  if (bin === undefined) {
    test(`without a server, it is said that ${what} ran on SQLite alone`, () =>
      sayThatPostgresIsMissing(what));
    return;
  }
  const server = await makePostgres(bin, settings);
  afterAll(() => server.remove());
  makeTests(server, bin);
}
