import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { checkServer } from '../../../src/store/sql/check-server.ts';
import type { Connection } from '../../../src/store/sql/connection.ts';
import { openPostgres } from '../../../src/store/sql/postgres.ts';
import { parsePostgresUrl, postgresUrl } from '../../../src/store/sql/postgres-address.ts';
import type { Durability } from '../../../src/store/sql/sql.ts';
import { makePostgres, type PostgresServer } from '../postgres-server.ts';
import { withPostgres } from '../with-postgres.ts';
import { describeSql } from './sql-suite.ts';

let made = 0;

/** A separate schema. */
function freshPlace(server: PostgresServer) {
  made += 1;
  const address = parsePostgresUrl(server.url(`&schema=reviewctl_sql${made}`), 'shop');
  return { holds: 'state', path: postgresUrl(address), address, password: undefined } as const;
}

/** Opens a separate schema. */
function freshSchema(server: PostgresServer) {
  const place = freshPlace(server);
  return (durability: Durability = 'process') => openPostgres(place, { durability });
}

const selectLevel = "SELECT current_setting('synchronous_commit') AS level";

function promiseSessions(server: PostgresServer): void {
  test('a session that was checked waits for the disk to its end, whatever is configured meanwhile', async () => {
    const place = freshPlace(server);
    const accept = (session: Connection) => checkServer(session, place, systemClock);
    const sql = await openPostgres(place, { durability: 'power', accept });
    onTestFinished(() => sql.close());
    await server.ask('ALTER SYSTEM SET synchronous_commit = off');
    await server.ask('SELECT pg_reload_conf()');
    await expect.poll(() => server.ask('SHOW synchronous_commit')).toEqual(['off']);
    expect(await sql.write(({ query }) => query(selectLevel))).toEqual([{ level: 'on' }]);
    await expect(openPostgres(place, { durability: 'power', accept })).rejects.toMatchObject({
      kind: 'config',
    });
    await server.ask('ALTER SYSTEM RESET synchronous_commit');
    await server.ask('SELECT pg_reload_conf()');
  });
}

function promiseTransactions(server: PostgresServer, bin: string): void {
  test('a write is not committed where one of its statements failed, even if it goes on', async () => {
    const sql = await freshSchema(server)('power');
    onTestFinished(() => sql.close());
    await sql.make(({ exec }) => exec('CREATE TABLE number (value bigint PRIMARY KEY)'));
    const insert = 'INSERT INTO number VALUES ($1)';
    const write = sql.write(async ({ query }) => {
      await query(insert, [1]);
      await query(insert, [1]).catch(() => undefined);
    });
    await expect(write).rejects.toThrow('duplicate key');
    const later = sql.write(async ({ many, query }) => {
      await many(insert, [[2], [2]]);
      await query('SELECT value FROM number');
    });
    await expect(later).rejects.toThrow('duplicate key');
    expect(await sql.read('SELECT value FROM number')).toEqual([]);
  });

  test('where a transaction cannot begin, no statement of it is done', async () => {
    const standby = await makePostgres(bin);
    onTestFinished(() => standby.remove());
    await standby.stop();
    writeFileSync(join(standby.data, 'standby.signal'), '');
    await standby.start();
    const sql = await freshSchema(standby)('power');
    onTestFinished(() => sql.close());
    let isDone = false;
    const write = sql.write(async ({ query }) => {
      isDone = true;
      await query('SELECT 1 AS one');
    });
    await expect(write).rejects.toThrow('cannot set transaction read-write mode during recovery');
    expect(isDone).toBe(false);
  });
}

function promiseDurability(server: PostgresServer): void {
  test('a write waits for the disk of the server if it has to survive a loss of power', async () => {
    const sql = await freshSchema(server)();
    onTestFinished(() => sql.close());
    await sql.make(async () => undefined);
    const levelOf = (durability?: Durability) =>
      sql.write(async ({ query }) => {
        const [row] = await query<{ readonly level: string }>(selectLevel);
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
}

await withPostgres('the suite of SQL', (server, bin) => {
  describeSql('SQL in PostgreSQL', () => freshSchema(server));
  promiseDurability(server);
  promiseSessions(server);
  promiseTransactions(server, bin);
});
