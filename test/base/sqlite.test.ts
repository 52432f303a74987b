import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isBusy, openDatabase, transaction } from '../../src/base/sqlite.ts';

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

test('a transaction holds the write lock from its start, and who meets it is told that it is busy', async () => {
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
  writeFileSync(text, 'not a database, but long enough to be taken for one '.repeat(100));
  for (const [path, reason] of [
    [join(folder, 'missing', 'a.db'), 'ENOENT'],
    [folder, 'EISDIR'],
    [text, 'not a database'],
  ] as const) {
    await expect(openDatabase(path, { durability: 'process' })).rejects.toMatchObject({
      kind: 'unreadable-path',
      message: expect.stringMatching(new RegExp(`${path}.*${reason}`)),
      hint: expect.any(String),
    });
  }
});
