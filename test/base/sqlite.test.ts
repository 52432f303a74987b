import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import {
  hasSoundSqlite,
  holdFile,
  isBusy,
  isSoundVersion,
  isUnusable,
  openDatabase,
  transaction,
} from '../../src/base/sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function newPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

test.each([
  ['process', 1],
  ['power', 2],
] as const)('durability %s is what a transaction is written with', async (durability, level) => {
  const database = await openDatabase(newPath(), { durability });
  database.exec('CREATE TABLE t (v)');
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: level });
  database.close();
});

test('a new file is readable by its owner alone, and so are the files beside it', async () => {
  const path = newPath();
  const database = await openDatabase(path, { durability: 'process' });
  database.exec('CREATE TABLE t (v)');
  for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  database.close();
});

test('a transaction returns what its work returns, and takes everything back when the work throws', async () => {
  const path = newPath();
  const database = await openDatabase(path, { durability: 'process' });
  database.exec('CREATE TABLE t (v)');
  const inserted = transaction(database, () => database.prepare('INSERT INTO t VALUES (1)').run().changes);
  expect(inserted).toBe(1);
  expect(() =>
    transaction(database, () => {
      database.exec('INSERT INTO t VALUES (2)');
      throw new Error('halfway');
    }),
  ).toThrow('halfway');
  database.close();
  const again = await openDatabase(path, { durability: 'process' });
  expect(again.prepare('SELECT v FROM t').all()).toEqual([{ v: 1 }]);
  again.close();
});

test('a transaction holds the write lock from its start, and another writer gets the error that it is busy', async () => {
  const path = newPath();
  const one = await openDatabase(path, { durability: 'process' });
  const two = await openDatabase(path, { durability: 'process' });
  two.exec('PRAGMA busy_timeout = 0');
  transaction(one, () => {
    try {
      transaction(two, () => undefined);
      expect.unreachable();
    } catch (error) {
      expect(isBusy(error)).toBe(true);
    }
  });
  transaction(two, () => undefined);
  one.close();
  two.close();
});

test('a path that is no usable database is refused by its name and the reason', async () => {
  const text = newPath();
  const pipe = newPath();
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  writeFileSync(text, 'not a database, but long enough to be taken for one '.repeat(100));
  for (const [path, reason, remedy = 'name a file'] of [
    [join(folder, 'missing', 'a.db'), 'ENOENT'],
    [folder, 'it is a folder, not a file'],
    [pipe, 'it is a named pipe, not a file'],
    [text, 'not a database'],
    ['/proc/version', 'unable to open', 'check that you may write to this file'],
  ] as const) {
    await expect(openDatabase(path, { durability: 'process' })).rejects.toMatchObject({
      kind: 'unreadable-path',
      message: expect.stringMatching(new RegExp(`${path}.*${reason}`)),
      hint: expect.stringContaining(remedy),
    });
  }
});

test('a damaged file is known as such however its rows are asked for', async () => {
  const path = newPath();
  const database = await openDatabase(path, { durability: 'process' });
  database.exec('CREATE TABLE t (v); PRAGMA journal_mode = DELETE');
  for (let row = 0; row < 100; row += 1) database.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(500));
  database.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0x5a, 4_096 * 2));
  const damaged = await openDatabase(path, { durability: 'process' });
  const rows = damaged.prepare('SELECT v FROM t');
  const asks = [
    () => rows.all(),
    () => [...rows.iterate()],
    () => damaged.prepare('SELECT max(v) FROM t').get(),
    () => damaged.prepare('UPDATE t SET v = 1').run(),
    () => damaged.exec('DELETE FROM t WHERE v = 1'),
  ];
  const errors = asks.map((ask) => {
    try {
      return ask();
    } catch (error) {
      return error;
    }
  });
  expect(errors.map(isUnusable)).toEqual(asks.map(() => true));
  damaged.close();
});

test('a file that must be there is not made, and is looked at before anything of it changes', async () => {
  const path = newPath();
  const options = { durability: 'process', accept: () => undefined } as const;
  await expect(openDatabase(path, options)).rejects.toMatchObject({ kind: 'unreadable-path' });
  expect(existsSync(path)).toBe(false);
  (await openDatabase(path, { durability: 'process' })).close();
  const before = readFileSync(path);
  const accept = () => {
    throw new Failure('ledger', 'not this one');
  };
  await expect(openDatabase(path, { durability: 'power', accept })).rejects.toMatchObject({ kind: 'ledger' });
  expect(readFileSync(path)).toEqual(before);
  (await openDatabase(path, options)).close();
});

test('versions of SQLite that may lose writes in WAL mode are recognised', () => {
  for (const version of ['3.7.0', '3.50.4', '3.51.0', '3.51.2', '2.8.17'])
    expect(isSoundVersion(version)).toBe(false);
  for (const version of ['3.51.3', '3.51.10', '3.52.0', '3.53.0', '4.0.0'])
    expect(isSoundVersion(version)).toBe(true);
});

test.each([
  ['20.20.2', undefined, false],
  ['22.23.3', '3.51.3', false],
  ['24.0.0', '3.49.1', false],
  ['24.21.0', '3.53.4', true],
  ['26.10.0', '3.53.4', true],
])('the SQLite of Node.js %s, %s, is used: %s', (node, sqlite, isUsed) => {
  expect(hasSoundSqlite({ node, ...(sqlite === undefined ? {} : { sqlite }) })).toBe(isUsed);
});

test('a file is held by one at a time, with nothing beside it, and a missing one only if it is to be made', async () => {
  const path = newPath();
  expect(await holdFile(path, { isMade: false })).toBeUndefined();
  expect(existsSync(path)).toBe(false);
  const held = await holdFile(path, { isMade: true });
  expect(await holdFile(path, { isMade: false })).toBeUndefined();
  expect(await holdFile(path, { isMade: true })).toBeUndefined();
  expect(readdirSync(folder).filter((name) => join(folder, name).startsWith(path))).toEqual([basename(path)]);
  held?.release();
  (await holdFile(path, { isMade: false }))?.release();
});
