import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/base/sqlite.ts';
import type { JournalEntry, RunJournal } from '../../src/store/journal/push-journal.ts';
import { readPushJournal } from '../../src/store/sqlite/journal/read-push-journal.ts';
import type { RecordsOptions } from '../../src/store/sqlite/journal/records.ts';
import { openSqlitePushJournal } from '../../src/store/sqlite/journal/sqlite-push-journal.ts';
import { temporaryFolder } from '../push/open-push.ts';

/* The index by which records are found is written late, in slices and while requests go on: whatever it lacks, nothing is unknown for it. */

const small: RecordsOptions = {
  sizes: { memoryMaximum: 400, unwrittenMaximum: 100, unwrittenAnswers: 512, mergedAtOnce: 2 },
};

const itemOf = (index: number): JournalEntry => {
  const order = `202611${String(1 + ((index >> 1) % 28)).padStart(2, '0')}-${String(index >> 1).padStart(7, '0')}`;
  return {
    originId: `${order}-${(index % 2) + 1}`,
    contentHash: Math.imul(index, 0x9e3779b1).toString(36).padStart(11, 'aB3_-'),
    orderOriginId: order,
    productOriginId: `P${100000 + ((index * 7919) % 50000)}`,
  };
};

const itemsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => itemOf(first + index));

async function accept(journal: RunJournal, first: number, count: number): Promise<void> {
  const entries = itemsFrom(first, count);
  const request = await journal.begin('order-item', entries, 'run1');
  const accepted = entries.map((entry, index) => ({
    entry,
    jobId: `job_${String(first + index).padStart(12, '0')}`,
  }));
  await journal.end('order-item', request, { accepted });
}

async function acceptAll(journal: RunJournal, count: number): Promise<void> {
  for (let first = 0; first < count; first += 100) await accept(journal, first, Math.min(100, count - first));
}

const freshPath = () => join(temporaryFolder(), 'pushes.db');

/** The file as a process that is killed now leaves it. */
function copyOf(path: string): string {
  const copy = freshPath();
  for (const end of ['', '-wal']) {
    if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${copy}${end}`);
  }
  return copy;
}

const idsOf = (entries: readonly JournalEntry[]) => entries.map(({ originId }) => originId);

/** Numbers of items that a journal does not know as they were accepted. */
async function missingOf(journal: Pick<RunJournal, 'known'>, count: number): Promise<readonly number[]> {
  const known = await journal.known('order-item', idsOf(itemsFrom(0, count)));
  return Array.from({ length: count }, (_, index) => index).filter((index) => {
    const record = known.get(itemOf(index).originId);
    const { contentHash } = itemOf(index);
    return record?.contentHash !== contentHash || record.jobId !== `job_${String(index).padStart(12, '0')}`;
  });
}

async function segmentsIn(path: string): Promise<readonly unknown[]> {
  const database = await openDatabase(path, { durability: 'process' });
  try {
    return database.prepare('SELECT size, is_complete AS isComplete FROM segment').all();
  } finally {
    database.close();
  }
}

test('killed at any instant while its index is written and merged, a journal finds every record, and writes the index again', async () => {
  const path = freshPath();
  const journal = await openSqlitePushJournal(path, small);
  const killed: { readonly path: string; readonly count: number }[] = [];
  let count = 0;
  let isDone = false;
  const watch = async () => {
    for (let turn = 0; !isDone; turn += 1) {
      if (turn % 3 === 0) killed.push({ path: copyOf(path), count });
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const watching = watch();
  for (; count < 3000; count += 100) await accept(journal, count, 100);
  await journal.close();
  isDone = true;
  await watching;
  expect(killed.length).toBeGreaterThan(20);
  for (const { path: copy, count: accepted } of killed) {
    const again = await openSqlitePushJournal(copy, small);
    expect(await missingOf(again, accepted), `after ${accepted}`).toEqual([]);
    await again.close();
    const later = await openSqlitePushJournal(copy, small);
    expect(await missingOf(later, accepted), `after ${accepted}, closed`).toEqual([]);
    await later.close();
  }
}, 60_000);

test('segments are merged, so that their number stays small, and none is left unfinished', async () => {
  const path = freshPath();
  const journal = await openSqlitePushJournal(path, small);
  await acceptAll(journal, 6000);
  await journal.close();
  const segments = await segmentsIn(path);
  expect(segments.length).toBeLessThan(8);
  expect(segments).toEqual(segments.map(() => expect.objectContaining({ isComplete: 1 })));
  expect(await missingOf(await openSqlitePushJournal(path, small), 6000)).toEqual([]);
});

test('items are found by their orders also where many requests carried none', async () => {
  const path = freshPath();
  const journal = await openSqlitePushJournal(path, small);
  for (let index = 0; index < 450; index += 1) {
    const entries = [{ originId: `C${index}`, contentHash: 'h' }];
    await journal.end('category', await journal.begin('category', entries), { unknown: entries });
  }
  await acceptAll(journal, 200);
  await accept(journal, 200, 2);
  expect(await journal.itemsOf(['20261101-0000000', '20261117-0000100', 'C1'])).toEqual(
    new Map([
      ['20261101-0000000', new Map(itemsFrom(0, 2).map((item) => [item.originId, item.productOriginId]))],
      ['20261117-0000100', new Map(itemsFrom(200, 2).map((item) => [item.originId, item.productOriginId]))],
    ]),
  );
  await journal.close();
});

test('ids whose hashes are the same are never confused', async () => {
  const path = freshPath();
  const options = { ...small, hash: (_: number, id: string) => id.charCodeAt(id.length - 1) };
  const journal = await openSqlitePushJournal(path, options);
  await acceptAll(journal, 600);
  await accept(journal, 0, 50);
  await journal.close();
  const later = await openSqlitePushJournal(path, options);
  expect(await missingOf(later, 600)).toEqual([]);
  expect(await later.known('category', idsOf(itemsFrom(0, 600)))).toEqual(new Map());
  expect(await later.known('order-item', ['20261101-0000000-1 '])).toEqual(new Map());
});

test('two processes with one journal see at once what the other writes, whatever either has in memory', async () => {
  const path = freshPath();
  const [one, other] = [await openSqlitePushJournal(path, small), await openSqlitePushJournal(path, small)];
  for (let first = 0; first < 1500; first += 100) {
    await accept(first % 200 === 0 ? one : other, first, 100);
    const ends = itemsFrom(first, 3).map(({ originId }, index) => ({
      originId,
      jobId: `job_${String(first + index).padStart(12, '0')}`,
      state: 'succeeded' as const,
    }));
    await (first % 200 === 0 ? other : one).endJobs('order-item', ends);
    for (const journal of [one, other]) {
      expect(await missingOf(journal, first + 100)).toEqual([]);
      const known = await journal.known('order-item', idsOf(itemsFrom(first, 4)));
      expect([...known.values()].map(({ jobState }) => jobState)).toEqual([
        ...['succeeded', 'succeeded', 'succeeded'],
        undefined,
      ]);
    }
  }
  await Promise.all([one.close(), other.close()]);
  expect(await missingOf(await openSqlitePushJournal(path, small), 1500)).toEqual([]);
});

test('what an earlier process left open is found also where many requests have ended since', async () => {
  const path = freshPath();
  const first = await openSqlitePushJournal(path, small);
  await first.begin('category', itemsFrom(0, 3));
  await first.close();
  for (const start of [0, 10_000]) {
    const journal = await openSqlitePushJournal(path, small);
    await journal.recover('order-item');
    for (let index = 0; index < 100; index += 1) await accept(journal, start + index, 1);
    await journal.begin('order-item', itemsFrom(start + 200, 2));
    await journal.close();
    const after = await openSqlitePushJournal(path, small);
    expect(await after.recover('order-item')).toBe(2);
    await after.close();
  }
  const last = await openSqlitePushJournal(path, small);
  expect(await last.recover('order-item')).toBe(0);
  expect(await last.recover('category')).toBe(3);
});

test('a journal without an index is read by several callers at once, and finds every record while the index is written', async () => {
  const path = freshPath();
  const unindexed = {
    sizes: { memoryMaximum: 1e6, unwrittenMaximum: 1e6, unwrittenAnswers: 1e6, mergedAtOnce: 2 },
  };
  const journal = await openSqlitePushJournal(path, unindexed);
  for (let first = 0; first < 3000; first += 5) await accept(journal, first, 5);
  await journal.close();
  expect(await segmentsIn(path)).toEqual([]);
  const later = await openSqlitePushJournal(path, small);
  const missing = await Promise.all(Array.from({ length: 8 }, () => missingOf(later, 3000)));
  expect(missing).toEqual(missing.map(() => []));
  expect((await segmentsIn(path)).length).toBeGreaterThan(0);
  await later.close();
});

test('a journal that is read alone is not written to, and knows what is in no segment yet', async () => {
  const path = freshPath();
  const journal = await openSqlitePushJournal(path);
  await acceptAll(journal, 500);
  await journal.begin('order-item', itemsFrom(500, 2));
  const copy = copyOf(path);
  const before = [copy, `${copy}-wal`].map((file) => readFileSync(file));
  const reading = await readPushJournal(copy, small);
  expect(await missingOf(reading, 500)).toEqual([]);
  const unknown = await reading.known('order-item', idsOf(itemsFrom(500, 2)));
  expect([...unknown.values()].map(({ fate }) => fate)).toEqual(['unknown', 'unknown']);
  await expect(reading.begin('order-item', [])).rejects.toThrow('opened for reading');
  expect([copy, `${copy}-wal`].map((file) => readFileSync(file))).toEqual(before);
  await reading.close();
  await journal.close();
});

test('of many requests with one record each, few are left to be read again', async () => {
  const path = freshPath();
  const journal = await openSqlitePushJournal(path);
  for (let index = 0; index < 600; index += 1) await accept(journal, index, 1);
  await journal.close();
  expect(await segmentsIn(path)).toEqual([{ size: 600, isComplete: 1 }]);
  expect(await missingOf(await openSqlitePushJournal(path), 600)).toEqual([]);
});

test('a record takes at most 60 bytes, with what finds it', async () => {
  const path = freshPath();
  const count = 50_000;
  const journal = await openSqlitePushJournal(path);
  await acceptAll(journal, count);
  await journal.close();
  const database = await openDatabase(path, { durability: 'process' });
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  expect(await segmentsIn(path)).toMatchObject([{ size: count, isComplete: 1 }]);
  expect(statSync(path).size / count).toBeLessThan(60);
});
