import { spawnSync } from 'node:child_process';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/base/sqlite.ts';
import { textHash } from '../../src/base/text-hash.ts';
import { hashRecord } from '../../src/store/journal/id-hash.ts';
import { journalFailure } from '../../src/store/journal/journal-failure.ts';
import { findJournal, openJournal, readJournal } from '../../src/store/journal/open-journal.ts';
import type { SqliteJournalPlace } from '../../src/store/journal/tables.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { all } from './all-pages.ts';
import { describePushJournal } from './push-journal-suite.ts';
import { describeRunLog } from './run-log-suite.ts';

const openFile = (path: string, options: Pick<SqliteJournalPlace, 'sync'> = {}) =>
  openJournal({ kind: 'sqlite', path, ...options });
const freshFile = () => {
  const path = join(temporaryFolder(), 'pushes.db');
  return () => openFile(path);
};
describePushJournal('the journal in a SQLite file', freshFile);
describeRunLog('the runs in a SQLite file', freshFile);

test('what a method wrote survives kill -9 right after it returned', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const program = bundled(`
    import { openJournal } from './src/store/journal/open-journal.ts';
    const journal = await openJournal({ kind: 'sqlite', path: ${JSON.stringify(path)} });
    const [a, b] = ['A', 'B'].map((originId) => ({ originId, contentHash: 'h' }));
    const first = await journal.begin('order-item', [a]);
    await journal.end(first, { accepted: [{ entry: a, jobId: 'J' }] });
    await journal.begin('order-item', [b]);
    process.kill(process.pid, 'SIGKILL');
  `);
  const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program]);
  expect(signal).toBe('SIGKILL');
  const journal = await openFile(path);
  expect(await journal.recover('order-item')).toBe(1);
  expect(
    [...(await journal.known('order-item', ['A', 'B']))].map(([originId, { fate }]) => [originId, fate]),
  ).toEqual([
    ['A', 'accepted'],
    ['B', 'unknown'],
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
    const journal = await openFile(path, { sync });
    onTestFinished(() => journal.close());
    await journal.begin(kind, [{ originId: 'A', contentHash: 'h' }]);
    expect(synced).toBe(waits);
  },
);

test('a journal is closed once what was answered is on the disk', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  let synced = 0;
  const sync = async () => {
    synced += 1;
  };
  const journal = await openFile(path, { sync });
  const entries = [{ originId: 'A', contentHash: 'h' }];
  await journal.end(await journal.begin('order-item', entries), { unknown: entries });
  expect(synced).toBe(1);
  await journal.close();
  expect(synced).toBe(2);
});

test('a journal that is opened for reading alone is not written to, not even when it is closed', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const journal = await openFile(path);
  onTestFinished(() => journal.close());
  const entry = { originId: 'A', contentHash: 'h' };
  await journal.end(await journal.begin('category', [entry]), { accepted: [{ entry }] });
  const onlooker = await openDatabase(path, { durability: 'process' });
  onTestFinished(() => onlooker.close());
  const version = () => onlooker.prepare('PRAGMA data_version').get();
  const before = version();
  const reading = await readJournal({ kind: 'sqlite', path });
  expect((await reading.known('category', ['A'])).get('A')?.fate).toBe('accepted');
  await reading.close();
  expect(version()).toEqual(before);
});

test('a journal for reading knows what is under way as unknown, beside what was answered', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const journal = await openFile(path);
  onTestFinished(() => journal.close());
  const itemOf = (originId: string) => ({
    originId,
    contentHash: 'h1',
    orderOriginId: 'O1',
    productOriginId: 'P1',
  });
  const answered = ['I0', 'I1'].map(itemOf);
  await journal.end(await journal.begin('order-item', answered), { jobIds: ['j0', 'j1'] });
  await journal.begin('order-item', [itemOf('I1'), { originId: 'O1', contentHash: 'h', kind: 'order' }]);
  await journal.begin('order-item', [itemOf('I2')]);
  const reading = await readJournal({ kind: 'sqlite', path });
  onTestFinished(() => reading.close());
  const sent = { contentHash: 'h1', orderOriginId: 'O1', productOriginId: 'P1' };
  expect(await reading.known('order-item', ['I0', 'I1', 'I3'])).toEqual(
    new Map([
      ['I0', { ...sent, fate: 'accepted', jobId: 'j0' }],
      ['I1', { ...sent, fate: 'unknown', jobId: undefined }],
    ]),
  );
  expect((await reading.known('order', ['O1'])).get('O1')).toMatchObject({
    fate: 'unknown',
    contentHash: 'h',
  });
  expect(await reading.known('category', ['I2'])).toEqual(new Map());
  const items = ['I0', 'I1', 'I2'].map((originId) => [originId, 'P1'] as const);
  expect(await reading.itemsOf(['O1', 'O2'])).toEqual(new Map([['O1', new Map(items)]]));
  expect(await reading.itemsOf(['O2'])).toEqual(new Map());
  expect((await all(reading.jobs())).map(({ jobId }) => jobId)).toEqual(['j0', 'j1']);
});

test('a database of something else, or of a later version, is refused and left as it was', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const database = await openDatabase(path, { durability: 'process' });
  database.exec('CREATE TABLE record (id INTEGER PRIMARY KEY)');
  database.close();
  await expect(openFile(path)).rejects.toMatchObject({ kind: 'unreadable-path' });
  const later = await openDatabase(path, { durability: 'process' });
  expect(later.prepare('SELECT name FROM sqlite_schema').all()).toMatchObject([{ name: 'record' }]);
  later.close();
});

test('a journal of an earlier version or another format is refused, and left as it was', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  await (await openFile(path)).close();
  const other = await openDatabase(path, { durability: 'process' });
  onTestFinished(() => other.close());
  other.exec('UPDATE push_format SET format = 99');
  for (const open of [openJournal, readJournal, findJournal])
    await expect(open({ kind: 'sqlite', path })).rejects.toMatchObject({
      kind: 'unreadable-path',
      message: `the journal of pushes ${path} has format 99; this version reads only format 14`,
      hint: expect.stringContaining('without its journal a push would send the same records again'),
    });
  other.exec('DROP TABLE push_format');
  await expect(openFile(path)).rejects.toMatchObject({
    message: `the journal of pushes ${path} is from an earlier version, or something else; this version reads only format 14`,
  });
  expect(other.prepare('SELECT count(*) AS count FROM push_state').get()).toEqual({ count: 1 });
});

test('ids whose hashes are equal are kept apart', async () => {
  const ids = collidingIds();
  const open = freshFile();
  const journal = await open();
  const entries = ids.map((originId) => ({
    originId,
    contentHash: textHash(originId),
    orderOriginId: originId,
  }));
  const [first, second] = entries;
  if (first === undefined || second === undefined) throw new Error('no ids collide');
  await journal.end(await journal.begin('order-item', [first]), { unknown: [first] });
  expect([...(await journal.known('order-item', ids)).keys()]).toEqual([ids[0]]);
  await journal.end(await journal.begin('order-item', [second]), { jobIds: ['J'] });
  await journal.close();
  const later = await open();
  const known = await later.known('order-item', ids);
  expect([...known].map(([id, { contentHash }]) => [id, contentHash])).toEqual(
    ids.map((id) => [id, textHash(id)]),
  );
  expect((await all(later.jobs())).map(({ originId }) => originId)).toEqual([ids[1]]);
  expect(await later.itemsOf([ids[0] ?? ''])).toEqual(new Map([[ids[0], new Map([[ids[0], undefined]])]]));
  await later.close();
});

/** Two ids of items with the same hash; among 200,000, some four pairs have one. */
function collidingIds(): readonly string[] {
  const seen = new Map<number, string>();
  for (let at = 0; ; at += 1) {
    const id = `I${at}`;
    const hash = hashRecord(1, 'order-item', id);
    const other = seen.get(hash);
    if (other !== undefined) return [other, id];
    seen.set(hash, id);
  }
}

test('a damaged journal is refused, and no advice is to push without it', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  writeFileSync(path, 'no database '.repeat(100));
  await expect(openFile(path)).rejects.toMatchObject({
    kind: 'unreadable-path',
    message: `the journal of pushes ${path} is damaged`,
    hint: expect.stringContaining('without its journal a push would send the same records again'),
  });
});

test('a journal that was emptied, or of which only a log is left, is refused by all who open it', async () => {
  const place = { kind: 'sqlite', path: join(temporaryFolder(), 'pushes.db') } as const;
  const { path } = place;
  const files = [path, `${path}-wal`, `${path}-shm`];
  const lost = (what: string) => ({
    kind: 'unreadable-path',
    message: `the journal of pushes ${path} ${what}`,
    hint: expect.stringMatching(new RegExp(`would send the same records again.* rm -f ${files.join(' ')}$`)),
  });
  await (await openJournal(place)).close();
  writeFileSync(path, '');
  for (const open of [openJournal, readJournal, findJournal])
    await expect(open(place)).rejects.toMatchObject(lost('was emptied: the file has 0 bytes'));
  renameSync(path, `${path}-wal`);
  await expect(openJournal(place)).rejects.toMatchObject(lost(`is missing, but its log ${path}-wal exists`));
  for (const file of files) rmSync(file, { force: true });
  // The leftover of a process that was killed while creating a journal.
  writeFileSync(`${path}.0123456789ab`, '');
  await Promise.all([1, 2, 3].map(async () => (await openJournal(place)).close()));
});

const changedTimeline = Buffer.from('[{"intervalMs":0,"intervals":[null]}]');
test.each<[string, string, string | Uint8Array]>([
  ['beginning', 'push_run SET beginning', 'no JSON'],
  ['ending', 'push_run SET ending', '{"endedMs":1,"exitCode":0,"tally":{"queued":"2"}}'],
  ['timeline', 'push_page SET content', changedTimeline],
])('a run whose %s is not as it was written is reported, not shown', async (_, change, content) => {
  const path = join(temporaryFolder(), 'pushes.db');
  const written = await openFile(path);
  const { runs } = written;
  const id = await runs.begin({
    kind: 'orders',
    command: ['orders', 'push'],
    folder: '/',
    files: [],
    startedMs: 0,
  });
  const timeline = { intervalMs: 1000, intervals: [null] };
  await runs.end(id, { endedMs: 1, exitCode: 0, tally: {}, isWhole: true }, timeline);
  await written.close();
  const database = await openDatabase(path, { durability: 'process' });
  database.prepare(`UPDATE ${change} = ?`).run(content);
  database.close();
  const journal = await openFile(path);
  onTestFinished(() => journal.close());
  await expect(Promise.all([journal.runs.list(), journal.runs.timeline(id)])).rejects.toMatchObject({
    kind: 'unreadable-path',
    message: `the journal of pushes is damaged: its record of run ${id} cannot be read`,
  });
});

test('a full disk becomes a Failure that says what to do, and a mistake of ours is not taken for one', () => {
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
  expect(journalFailure('pushes.db', full)).toMatchObject({
    kind: 'unreadable-path',
    message: 'the journal pushes.db cannot be used: database or disk is full',
    hint: expect.stringContaining('run the same command again'),
  });
  const mistake = Object.assign(new Error('NOT NULL constraint failed'), { errcode: 1299 });
  expect(journalFailure('pushes.db', mistake)).toBe(mistake);
});

test('a record takes at most 46 bytes', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const journal = await openFile(path);
  for (let first = 0; first < 10_000; first += 100) {
    const entries = Array.from({ length: 100 }, (_, at) => {
      const number = String(first + at).padStart(7, '0');
      const order = `20261101-${number}`;
      return {
        originId: `${order}-1`,
        contentHash: textHash(order),
        orderOriginId: order,
        productOriginId: `P${100_000 + (((first + at) * 7919) % 50_000)}`,
      };
    });
    const jobIds = entries.map((_, at) => `job_${String(first + at).padStart(12, '0')}`);
    await journal.end(await journal.begin('order-item', entries), { jobIds });
  }
  await journal.close();
  expect(statSync(path).size).toBeLessThan(460_000);
});
