import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, transaction } from '../../src/base/sqlite.ts';
import { onJournalFile, openJournalFile } from '../../src/store/sqlite/journal/journal-file.ts';
import { readPushJournal } from '../../src/store/sqlite/journal/read-push-journal.ts';
import { openSqlitePushJournal } from '../../src/store/sqlite/journal/sqlite-push-journal.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { describePushJournal } from './push-journal-suite.ts';
import { describeRunLog } from './run-log-suite.ts';

const freshFile = () => {
  const path = join(temporaryFolder(), 'pushes.db');
  return () => openSqlitePushJournal(path);
};
describePushJournal('the journal in a SQLite file', freshFile);
describeRunLog('the runs in a SQLite file', freshFile);

test('what a method wrote survives kill -9 right after it returned', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const program = bundled(`
    import { openSqlitePushJournal } from './src/store/sqlite/journal/sqlite-push-journal.ts';
    const journal = await openSqlitePushJournal(${JSON.stringify(path)});
    const [a, b] = ['A', 'B'].map((originId) => ({ originId, contentHash: 'h' }));
    const first = await journal.begin('order-item', [a]);
    await journal.end('order-item', first, { accepted: [{ entry: a, jobId: 'J' }] });
    await journal.begin('order-item', [b]);
    process.kill(process.pid, 'SIGKILL');
  `);
  const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program]);
  expect(signal).toBe('SIGKILL');
  const journal = await openSqlitePushJournal(path);
  expect(await journal.recover('order-item')).toBe(1);
  expect(
    [...(await journal.known('order-item', ['A', 'B']))].map(([originId, { fate }]) => [originId, fate]),
  ).toEqual([
    ['A', 'accepted'],
    ['B', 'unknown'],
  ]);
});

test('a request that is under way when its journal is closed is found by the next run, however many ended after it', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const entry = (originId: string) => ({ originId, contentHash: 'h' });
  const journal = await openSqlitePushJournal(path);
  await journal.recover('product');
  await journal.begin('product', [entry('under way')]);
  for (let request = 1; request <= 100; request += 1) {
    const ended = entry(`P${request}`);
    await journal.end('product', await journal.begin('product', [ended]), { accepted: [{ entry: ended }] });
  }
  await journal.close();
  const next = await openSqlitePushJournal(path);
  onTestFinished(() => next.close());
  expect(await next.recover('product')).toBe(1);
  expect((await next.known('product', ['under way'])).get('under way')?.fate).toBe('unknown');
});

test('a journal that is closed marks where all requests have ended, so that the next run does not look through them', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const journal = await openSqlitePushJournal(path);
  await journal.recover('category');
  const entries = [{ originId: 'A', contentHash: 'h' }];
  for (let request = 1; request <= 70; request += 1) {
    await journal.end('category', await journal.begin('category', entries), { unknown: entries });
  }
  await journal.end('category', await journal.begin('category', entries), {});
  await journal.close();
  const database = await openDatabase(path, { durability: 'process' });
  onTestFinished(() => database.close());
  expect(database.prepare('SELECT request, answer FROM end_mark').all()).toEqual([
    { request: 70, answer: 70 },
  ]);
});

test.each([
  ['order-item', 1],
  ['order', 1],
  ['category', 1],
  ['product', 0],
  ['order-item-update', 0],
] as const)(
  'a request of the kind %s waits for the disk before it leaves where the service would not show what became of it',
  async (kind, waits) => {
    const path = join(temporaryFolder(), 'pushes.db');
    let synced = 0;
    const sync = async () => {
      synced += 1;
    };
    const journal = await openSqlitePushJournal(path, { sync });
    onTestFinished(() => journal.close());
    await journal.begin(kind, [{ originId: 'A', contentHash: 'h' }]);
    expect(synced).toBe(waits);
  },
);

test('a journal that is opened for reading alone is not written to, not even when it is closed', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const journal = await openSqlitePushJournal(path);
  onTestFinished(() => journal.close());
  const entry = { originId: 'A', contentHash: 'h' };
  await journal.end('category', await journal.begin('category', [entry]), { accepted: [{ entry }] });
  const onlooker = await openDatabase(path, { durability: 'process' });
  onTestFinished(() => onlooker.close());
  const version = () => onlooker.prepare('PRAGMA data_version').get();
  const before = version();
  const reading = await readPushJournal(path);
  expect((await reading.known('category', ['A'])).get('A')?.fate).toBe('accepted');
  await reading.close();
  expect(version()).toEqual(before);
});

test('a database of something else, or of a later version, is refused and left as it was', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const database = await openDatabase(path, { durability: 'process' });
  database.exec('CREATE TABLE record (id INTEGER PRIMARY KEY)');
  database.close();
  await expect(openSqlitePushJournal(path)).rejects.toMatchObject({ kind: 'unreadable-path' });
  const later = await openDatabase(path, { durability: 'process' });
  expect(later.prepare('SELECT name FROM sqlite_schema').all()).toMatchObject([{ name: 'record' }]);
  later.close();
});

test('a record that an earlier run left unknown is settled by the run that met it', async () => {
  const journal = await freshFile()();
  const unknown = [{ originId: 'A', contentHash: 'h' }];
  await journal.end('order-item', await journal.begin('order-item', unknown, 'earlier'), { unknown });
  await journal.end('category', await journal.begin('category', unknown, 'earlier'), { unknown });
  await journal.runs.note('later', [{ file: 'a.csv', line: 2, originId: 'A', outcome: 'unknown' }]);
  expect(await journal.resolve('order-item', 'later', 'sent')).toBe(1);
  expect((await journal.known('order-item', ['A'])).get('A')?.fate).toBe('accepted');
  expect((await journal.known('category', ['A'])).get('A')?.fate).toBe('unknown');
});

test.each([9, 99])('a journal of format %i is refused, and left as it was', async (format) => {
  const path = join(temporaryFolder(), 'pushes.db');
  await (await openSqlitePushJournal(path)).close();
  const other = await openDatabase(path, { durability: 'process' });
  onTestFinished(() => other.close());
  other.exec(`PRAGMA user_version = ${format}`);
  await expect(openSqlitePushJournal(path)).rejects.toMatchObject({
    kind: 'unreadable-path',
    message: `the journal of pushes ${path} has format ${format}; this version reads only format 10`,
    hint: expect.stringContaining('without its journal a push would send again what was sent before'),
  });
  expect(other.prepare('PRAGMA user_version').get()).toEqual({ user_version: format });
});

test('a full disk becomes a Failure that says what to do, and what was written before stands', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const database = await openJournalFile(path);
  database.exec('PRAGMA max_page_count = 20');
  const insert = database.prepare('INSERT INTO request (kind, entries) VALUES (3, ?)');
  const write = (entries: Uint8Array) =>
    onJournalFile(path, () => transaction(database, () => insert.run(entries)));
  write(new Uint8Array([0]));
  expect(() => write(new Uint8Array(100_000))).toThrow(
    expect.objectContaining({
      kind: 'unreadable-path',
      message: `the journal ${path} fails: database or disk is full`,
      hint: expect.stringContaining('run the same command again'),
    }),
  );
  expect(database.prepare('SELECT entries FROM request').all()).toEqual([{ entries: new Uint8Array([0]) }]);
  database.close();
});

test('a mistake of ours is not taken for a failing file', () => {
  const mistake = Object.assign(new Error('NOT NULL constraint failed'), { errcode: 1299 });
  expect(() =>
    onJournalFile('pushes.db', () => {
      throw mistake;
    }),
  ).toThrow(mistake);
});

test('a damaged journal is refused, and no advice is to push without it', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  writeFileSync(path, 'no database '.repeat(100));
  await expect(openSqlitePushJournal(path)).rejects.toMatchObject({
    kind: 'unreadable-path',
    message: `the journal of pushes ${path} is damaged`,
    hint: expect.stringContaining('without its journal a push would send again what was sent before'),
  });
});

test.each([
  ['start', '{"kind":"orders","command":"orders push"}'],
  ['start', 'no JSON'],
  ['end', '{"endedMs":1,"exitCode":0,"tally":{"queued":"2"}}'],
])('a run whose %s is not as it was written is reported, not shown', async (column, text) => {
  const path = join(temporaryFolder(), 'pushes.db');
  const written = await openSqlitePushJournal(path);
  const id = await written.runs.begin({
    kind: 'orders',
    command: ['orders', 'push'],
    folder: '/',
    files: [],
    startedMs: 0,
  });
  await written.close();
  const database = await openDatabase(path, { durability: 'process' });
  database.prepare(`UPDATE run SET ${column} = ?`).run(text);
  database.close();
  const journal = await openSqlitePushJournal(path);
  onTestFinished(() => journal.close());
  await expect(journal.runs.list()).rejects.toMatchObject({
    kind: 'unreadable-path',
    message: `the journal of pushes is damaged: its record of run ${id} cannot be read`,
  });
});
