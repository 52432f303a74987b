import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../../../src/store/sql/postgres.ts';
import { parsePostgresUrl, postgresUrl } from '../../../src/store/sql/postgres-address.ts';
import type { Durability } from '../../../src/store/sql/sql.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { withPostgres } from '../with-postgres.ts';
import { describeSql } from './sql-suite.ts';

let made = 0;

/** Opens a schema of its own. */
function freshSchema(server: PostgresServer) {
  made += 1;
  const address = parsePostgresUrl(server.url(`&schema=reviewctl_sql${made}`), 'shop');
  const place = { holds: 'state', path: postgresUrl(address), address, password: undefined } as const;
  return (durability: Durability = 'process') => openPostgres(place, { durability });
}

await withPostgres('the suite of SQL', (server) => {
  describeSql('SQL in PostgreSQL', () => freshSchema(server));

  test('a write waits for the disk of the server if it has to survive a loss of power', async () => {
    const sql = await freshSchema(server)();
    onTestFinished(() => sql.close());
    await sql.make(async () => undefined);
    const levelOf = (durability?: Durability) =>
      sql.write(async ({ query }) => {
        const [row] = await query<{ readonly level: string }>(
          "SELECT current_setting('synchronous_commit') AS level",
        );
        return row?.level;
      }, durability);
    expect([await levelOf(), await levelOf('power'), await levelOf()]).toEqual(['off', 'on', 'off']);
  });

  test('what a lost session was asked for fails with what to do, and nothing follows', async () => {
    const sql = await freshSchema(server)('power');
    onTestFinished(() => sql.close());
    await sql.make(({ exec }) => exec('CREATE TABLE number (value bigint)'));
    const cut = sql.write(async ({ query }) => {
      await query('INSERT INTO number VALUES (1)');
      await server.ask(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'",
      );
      await query('INSERT INTO number VALUES (2)');
    });
    await expect(cut).rejects.toMatchObject({ kind: 'unreachable-state' });
    const next = sql.write(({ query }) => query('INSERT INTO number VALUES (3)'));
    await expect(next).rejects.toMatchObject({ kind: 'unreachable-state' });
    expect(await sql.read('SELECT value FROM number')).toEqual([]);
  });
});
