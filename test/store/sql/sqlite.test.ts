import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../../src/base/failure.ts';
import { openDatabase, readPragma } from '../../../src/base/sqlite.ts';
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

test('a database for power waits for the disk with each commit', async () => {
  const { path } = await openNumbers({ durability: 'power' });
  const other = await openDatabase(path, { durability: 'power' });
  onTestFinished(() => other.close());
  expect(readPragma(other, 'synchronous')).toBe(2);
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

test('an existing file is checked before it is changed, and a missing one is not made', async () => {
  const path = join(temporaryFolder(), 'missing.db');
  const refused = openSqlite(path, { durability: 'process', accept: () => undefined });
  await expect(refused).rejects.toMatchObject({ kind: 'unreadable-path' });
  const { path: other } = await openNumbers();
  const accept = () => {
    throw new Failure('ledger', 'not a ledger', 'name another');
  };
  await expect(openSqlite(other, { durability: 'power', accept })).rejects.toMatchObject({ kind: 'ledger' });
});
