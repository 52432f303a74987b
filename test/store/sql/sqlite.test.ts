import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../../src/base/failure.ts';
import { openDatabase } from '../../../src/base/sqlite.ts';
import { openSqlite, type SqliteOptions } from '../../../src/store/sql/sqlite.ts';
import { temporaryFolder } from '../../push/open-push.ts';
import { describeSql } from './sql-suite.ts';

describeSql('SQL in SQLite', () => {
  const path = join(temporaryFolder(), 'some.db');
  return (durability = 'process') => openSqlite(path, { durability });
});

/** A file with a table of numbers. */
async function openNumbers(options: Partial<SqliteOptions> = {}) {
  const path = join(temporaryFolder(), 'some.db');
  const sql = await openSqlite(path, { durability: 'process', ...options });
  onTestFinished(() => sql.close());
  await sql.make(({ exec }) => exec('CREATE TABLE number (value INTEGER) STRICT'));
  return {
    path,
    sql,
    add: (durability?: 'power') => sql.write(({ exec }) => exec('INSERT INTO number VALUES (1)'), durability),
  };
}

test('a write for power waits for the disk, others do not, and those that come meanwhile share the next wait', async () => {
  let waits = 0;
  const { add } = await openNumbers({
    sync: async () => {
      waits += 1;
      await new Promise(setImmediate);
    },
  });
  await add();
  expect(waits).toBe(0);
  await Promise.all([add('power'), add('power'), add('power'), add('power')]);
  expect(waits).toBeGreaterThan(0);
  expect(waits).toBeLessThan(4);
});

test('once the disk fails a wait, no later write for power succeeds', async () => {
  const failures = [new Error('the disk is gone')];
  const { add } = await openNumbers({
    sync: async () => {
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
    },
    failureOf: (error) => new Failure('unreadable-path', String(error), 'see the disk'),
  });
  for (let attempt = 0; attempt < 2; attempt += 1)
    await expect(add('power')).rejects.toMatchObject({ kind: 'unreadable-path', nextStep: 'see the disk' });
  await add();
});

test('what follows a statement that ended its transaction is refused, and not committed alone', async () => {
  const { sql } = await openNumbers();
  await sql.make(({ exec }) => exec('CREATE TABLE word (value TEXT) STRICT'));
  const [{ page_count: pages } = { page_count: 0n }] = await sql.read<{ readonly page_count: bigint }>(
    'PRAGMA page_count',
  );
  await sql.write(({ exec }) => exec(`PRAGMA max_page_count = ${pages + 1n}`));
  const insert = 'INSERT INTO word VALUES ($1)';
  const results: PromiseSettledResult<unknown>[] = [];
  const write = sql.write(async ({ many, query, exec }) => {
    results.push(
      ...(await Promise.allSettled([
        many(insert, [['a'], ['x'.repeat(100_000)], ['b']]),
        many(insert, [['c']]),
        query(insert, ['d']),
        exec("INSERT INTO word VALUES ('e')"),
      ])),
    );
  });
  await expect(write).rejects.toThrow('no transaction is active');
  const ended = { reason: expect.objectContaining({ message: 'the transaction has ended already' }) };
  const full = { reason: expect.objectContaining({ message: 'database or disk is full' }) };
  expect(results).toMatchObject([full, ended, ended, ended]);
  expect(await sql.read('SELECT value FROM word')).toEqual([]);
});

test('a database whose first wait for the disk fails is not opened', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'some.db');
  await (await openSqlite(path, { durability: 'power' })).close();
  const opened = openSqlite(path, {
    durability: 'power',
    sync: () => Promise.reject(new Error('the disk is gone')),
    failureOf: (error) => new Failure('unwritable-path', String(error), 'see the disk'),
  });
  await expect(opened).rejects.toMatchObject({ kind: 'unwritable-path', message: 'Error: the disk is gone' });
});

test('a file that another process keeps busy is waited for, without stopping other work', async () => {
  const { path, sql, add } = await openNumbers();
  const other = await openDatabase(path, { durability: 'process' });
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const added = add();
  await new Promise(setImmediate);
  expect(await sql.read('SELECT value FROM number')).toEqual([]);
  other.exec('COMMIT');
  await added;
  expect(await sql.read('SELECT value FROM number')).toEqual([{ value: 1n }]);
});
