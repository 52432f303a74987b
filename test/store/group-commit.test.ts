import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, transaction } from '../../src/base/sqlite.ts';
import { createGroupCommit } from '../../src/store/sqlite/group-commit.ts';
import { temporaryFolder } from '../push/open-push.ts';

/** A table of numbers, and how many transactions wrote to it. */
async function openNumbers() {
  const path = join(temporaryFolder(), 'numbers.db');
  const database = await openDatabase(path, { durability: 'process' });
  const other = await openDatabase(path, { durability: 'process' });
  onTestFinished(() => {
    database.close();
    other.close();
  });
  database.exec('CREATE TABLE number (value INTEGER NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO number VALUES (?)');
  let transactions = 0;
  const commit = createGroupCommit((work) => {
    transactions += 1;
    return transaction(database, work);
  });
  return {
    commit,
    add: (value: number) => commit.write(() => insert.run(value).changes),
    /** As another process sees them. */
    seen: () =>
      other
        .prepare('SELECT value FROM number ORDER BY value')
        .all()
        .map(({ value }) => value),
    transactions: () => transactions,
  };
}

test('what is asked for in one turn is one transaction, and durable when its promise resolves', async () => {
  const { add, seen, transactions } = await openNumbers();
  const writes = [add(1), add(2), add(3)];
  expect(seen()).toEqual([]);
  expect(await writes[0]).toBe(1);
  expect(seen()).toEqual([1, 2, 3]);
  await Promise.all(writes);
  await add(4);
  expect({ seen: seen(), transactions: transactions() }).toEqual({ seen: [1, 2, 3, 4], transactions: 2 });
});

test('one write that fails takes none of the others with it, and nothing of it remains', async () => {
  const { add, commit, seen } = await openNumbers();
  const broken = commit.write(() => {
    throw new Error('not this one');
  });
  const results = await Promise.allSettled([add(1), broken, add(2)]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(seen()).toEqual([1, 2]);
});

test('what waits is written at once when it is asked for', async () => {
  const { add, commit, seen } = await openNumbers();
  const write = add(1);
  commit.flush();
  expect(seen()).toEqual([1]);
  expect(await write).toBe(1);
});
