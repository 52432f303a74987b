import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, transaction } from '../../src/base/sqlite.ts';
import { onJournalFile, openJournalFile } from '../../src/store/sqlite/journal/journal-file.ts';
import { recordSteps } from '../../src/store/sqlite/journal/older-formats.ts';
import { packRecords } from '../../src/store/sqlite/journal/pack-records.ts';
import { readPushJournal } from '../../src/store/sqlite/journal/read-push-journal.ts';
import { openSqlitePushJournal } from '../../src/store/sqlite/journal/sqlite-push-journal.ts';
import { bundled } from '../output/bundled.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { all } from './all-pages.ts';
import { describePushJournal, oddIds } from './push-journal-suite.ts';
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

/** A file as version 1 wrote it, with one record of each fate and a request of a dead process. */
async function olderFile(path: string): Promise<void> {
  const database = await openDatabase(path, { durability: 'process' });
  database.exec(`
    PRAGMA user_version = 1;
    CREATE TABLE request (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, entries TEXT NOT NULL) STRICT;
    CREATE TABLE record (
      kind TEXT NOT NULL,
      origin_id TEXT NOT NULL,
      fate TEXT NOT NULL CHECK (fate IN ('accepted', 'unknown')),
      content_hash TEXT NOT NULL,
      job_id TEXT,
      PRIMARY KEY (kind, origin_id)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO record VALUES ('order-item', 'A', 'accepted', 'h', 'J'), ('order-item', 'B', 'unknown', 'h', NULL);
    INSERT INTO request (kind, entries) VALUES ('order-item', '[["C","h",null]]');
  `);
  database.close();
}

test('a journal of the older format is brought up to date where it is, and nothing it knows is lost', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  await olderFile(path);
  const [journal, other] = await Promise.all([openSqlitePushJournal(path), openSqlitePushJournal(path)]);
  await other.close();
  expect(await journal.recover('order-item')).toBe(1);
  const known = await journal.known('order-item', ['A', 'B', 'C']);
  expect([...known].map(([originId, { fate, jobId }]) => [originId, fate, jobId])).toEqual([
    ['A', 'accepted', 'J'],
    ['B', 'unknown', undefined],
    ['C', 'unknown', undefined],
  ]);
  expect(await journal.runs.list()).toEqual([]);
  expect(await all(journal.jobs())).toMatchObject([{ jobId: 'J', state: 'pending', run: null }]);
});

test('a journal of format 7, which had no timelines, keeps its runs and gets them', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const start = { kind: 'orders', command: ['orders', 'push'], folder: '/exports', files: [], startedMs: 1 };
  const end = { endedMs: 2, exitCode: 0, tally: { queued: 1 } };
  const older = '20260101T000000Z-1';
  const database = await openDatabase(path, { durability: 'process' });
  for (const step of recordSteps) database.exec(step);
  packRecords(database);
  database.exec('PRAGMA user_version = 7');
  const insert = database.prepare('INSERT INTO run (id, start, end) VALUES (?, ?, ?)');
  insert.run(older, JSON.stringify(start), JSON.stringify(end));
  database.close();
  const reopened = await openSqlitePushJournal(path);
  expect(await reopened.runs.list()).toMatchObject([{ id: older, end: { exitCode: 0 } }]);
  expect(await reopened.runs.timeline(older)).toBeUndefined();
  const timeline = { intervalMs: 1000, intervals: [], operations: {} };
  await reopened.runs.end(older, { endedMs: 2, exitCode: 0, tally: {} }, timeline);
  expect(await reopened.runs.timeline(older)).toEqual(timeline);
  await reopened.close();
});

/** A file as version 4 left it, which kept words where numbers are now; its records are the rows of `values`. */
async function wordedFile(path: string, version: 4 | 5, values: string): Promise<void> {
  await olderFile(path);
  const database = await openDatabase(path, { durability: 'process' });
  database.exec(`
    DELETE FROM record;
    DELETE FROM request;
    ALTER TABLE request ADD COLUMN run TEXT;
    ALTER TABLE record ADD COLUMN run TEXT;
    ALTER TABLE record ADD COLUMN job_state TEXT CHECK (job_state IN ('succeeded', 'failed'));
    ALTER TABLE record ADD COLUMN object_id TEXT;
    ALTER TABLE record ADD COLUMN failure_reason TEXT;
    ALTER TABLE record ADD COLUMN product_origin_id TEXT;
    ALTER TABLE record ADD COLUMN order_origin_id TEXT;
    CREATE TABLE run (id TEXT PRIMARY KEY, start TEXT NOT NULL, end TEXT) STRICT, WITHOUT ROWID;
    CREATE TABLE noted (
      run TEXT NOT NULL,
      position INTEGER NOT NULL,
      origin_id TEXT NOT NULL,
      outcome TEXT NOT NULL,
      file TEXT NOT NULL,
      line INTEGER NOT NULL,
      error TEXT,
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;
    PRAGMA user_version = ${version};
    INSERT INTO record VALUES ${values};
  `);
  database.close();
}

test('of a journal whose hashes named the order too, that of an item in bulk is cut to its content, that of a whole order stays', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const [whole, ofOrder] = ['w'.repeat(22), 'o'.repeat(11)];
  const unfollowed = 'NULL, NULL, NULL, NULL, NULL, NULL';
  await wordedFile(
    path,
    4,
    `('order-item', 'in bulk', 'accepted', '${whole}${ofOrder}', ${unfollowed}, 'O1'),
     ('order-item', 'whole', 'accepted', '${whole}${ofOrder}', ${unfollowed}, 'O2'),
     ('order', 'O2', 'accepted', '${whole}', ${unfollowed}, NULL)`,
  );
  const known = await (await openSqlitePushJournal(path)).known('order-item', ['in bulk', 'whole']);
  expect([...known].map(([originId, { contentHash }]) => [originId, contentHash])).toEqual([
    ['in bulk', whole],
    ['whole', `${whole}${ofOrder}`],
  ]);
});

test('of a journal that kept words, every record is known as it was, with its job and its run', async () => {
  const path = join(temporaryFolder(), 'pushes.db');
  const kinds = ['category', 'order', 'order-item', 'order-item-update', 'product'] as const;
  await wordedFile(
    path,
    5,
    kinds
      .flatMap((kind) => [
        `('${kind}', 'A', 'accepted', 'h', 'J', 'run1', 'failed', '7', 'no such product', 'P', 'O')`,
        `('${kind}', 'B', 'unknown', 'h', NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
      ])
      .join(),
  );
  const writer = await openDatabase(path, { durability: 'process' });
  writer.exec(`INSERT INTO request (kind, entries, run)
    VALUES ('order-item', '[["C","h",null,"P","O"],["O-C","h",null,null,null,"order",null]]', 'run1')`);
  writer.close();
  const journal = await openSqlitePushJournal(path);
  for (const kind of kinds) {
    expect(await journal.known(kind, ['A', 'B'])).toEqual(
      new Map([
        [
          'A',
          {
            fate: 'accepted',
            contentHash: 'h',
            jobId: 'J',
            jobState: 'failed',
            objectId: '7',
            productOriginId: 'P',
            orderOriginId: 'O',
          },
        ],
        ['B', { fate: 'unknown', contentHash: 'h', jobId: undefined }],
      ]),
    );
  }
  expect(await all(journal.jobs('failed'))).toEqual(
    kinds
      .filter((kind) => kind !== 'order')
      .map((kind) => ({
        jobId: 'J',
        state: 'failed',
        kind,
        originId: 'A',
        objectId: '7',
        failureReason: 'no such product',
        run: 'run1',
      })),
  );
  expect(await journal.recover('order-item')).toBe(1);
  expect((await journal.known('order-item', ['C'])).get('C')).toMatchObject({
    fate: 'unknown',
    orderOriginId: 'O',
  });
  expect((await journal.known('order', ['O-C'])).get('O-C')?.fate).toBe('unknown');
  expect(await journal.resolve('order-item', 'run1', 'sent')).toBe(1);
  expect((await journal.known('order-item', ['C'])).get('C')?.fate).toBe('accepted');
});

/** Records as a file of each version holds them, of a category and of items with odd ids, in JSON from which SQLite takes ids exactly. */
async function fileOfVersion(path: string, version: number, ids: readonly string[]): Promise<void> {
  const database = await openDatabase(path, { durability: 'process' });
  for (const step of recordSteps.slice(0, version)) database.exec(step);
  database.exec(`PRAGMA user_version = ${version}`);
  const [item, accepted] = version < 6 ? ["'order-item'", "'accepted'"] : ['3', '1'];
  database
    .prepare(
      `INSERT INTO record (kind, origin_id, fate, content_hash, job_id)
       SELECT ${item}, value, ${accepted}, 'h' || key, 'J' || key FROM json_each(?)`,
    )
    .run(JSON.stringify(ids));
  database
    .prepare("INSERT INTO request (kind, entries) VALUES ('order-item', ?)")
    .run(JSON.stringify(ids.map((id) => [`open ${id}`, 'h', null])));
  if (version >= 2) database.exec("UPDATE record SET run = 'run' || (length(origin_id) % 3)");
  database.close();
}

test.each(recordSteps.map((_, index) => index + 1))(
  'of a journal of version %i, which had a row for each record, every record is known by its exact id',
  async (version) => {
    const path = join(temporaryFolder(), 'pushes.db');
    const ids = [...oddIds, ...Array.from({ length: 500 }, (_, index) => `I${index}`)];
    await fileOfVersion(path, version, ids);
    const journal = await openSqlitePushJournal(path);
    expect(await journal.known('order-item', ids)).toEqual(
      new Map(
        ids.map((id, index) => [id, { fate: 'accepted', contentHash: `h${index}`, jobId: `J${index}` }]),
      ),
    );
    expect(await journal.recover('order-item')).toBe(ids.length);
    const open = await journal.known(
      'order-item',
      ids.map((id) => `open ${id}`),
    );
    expect(open.size).toBe(ids.length);
    await journal.close();
  },
);

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
