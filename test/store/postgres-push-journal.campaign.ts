import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyJournal } from '../../src/store/journal/copy-journal.ts';
import { selectByIndex } from '../../src/store/journal/find-ids.ts';
import { findJournal, openJournal, openSql, readJournal } from '../../src/store/journal/open-journal.ts';
import type { JournalEntry, RunJournal } from '../../src/store/journal/push-journal.ts';
import type { JournalPlace } from '../../src/store/journal/tables.ts';
import type { PushRunStart } from '../../src/store/runs/run-log.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { all } from './all-pages.ts';
import { freshJournal, openJournalUntilEnd } from './postgres-journal-place.ts';
import { makePostgres, type PostgresServer } from './postgres-server.ts';
import { checkAgainstModel, type ModelPlace } from './push-journal-model.ts';
import { describePushJournal } from './push-journal-suite.ts';
import { describeRunLog } from './run-log-suite.ts';
import { withPostgres } from './with-postgres.ts';

/** A killed process leaves its writes; nothing closes its sessions. */
function modelPlace(server: PostgresServer): ModelPlace {
  const location = freshJournal(server);
  const place: ModelPlace = {
    open: () => openJournal(location),
    read: () => readJournal(location),
    killed: async () => place,
  };
  return place;
}

const start: PushRunStart = {
  kind: 'orders',
  command: ['orders', 'push'],
  folder: '/exports',
  files: ['a.csv'],
  startedMs: Date.UTC(2026, 10, 20, 9),
};

const itemOf = (originId: string): JournalEntry => ({
  originId,
  contentHash: 'h',
  orderOriginId: `order of ${originId}`,
  productOriginId: 'P',
});

async function accept(journal: RunJournal, entries: readonly JournalEntry[], run?: string): Promise<void> {
  const request = await journal.begin('order-item', entries, run);
  await journal.end(request, { jobIds: entries.map(({ originId }) => `J-${originId}`) });
}

function promisePlace(server: () => PostgresServer): void {
  test('states of one schema know nothing of each other', async () => {
    const [one, other] = [freshJournal(server()), freshJournal(server())];
    const journals = [await openJournalUntilEnd(one), await openJournalUntilEnd(other)] as const;
    await accept(journals[0], [itemOf('A')]);
    await journals[0].begin('order-item', [itemOf('B')]);
    const id = await journals[0].runs.begin(start);
    await journals[0].runs.note(id, [{ file: 'a.csv', line: 2, originId: 'A', outcome: 'unknown' }]);
    expect(await journals[1].recover('order-item')).toBe(0);
    expect(await journals[1].known('order-item', ['A', 'B'])).toEqual(new Map());
    expect(await journals[1].itemsOf(['order of A'])).toEqual(new Map());
    expect(await all(journals[1].jobs())).toEqual([]);
    expect(await journals[1].runs.list()).toEqual([]);
    expect(await all(journals[1].runs.noted(id))).toEqual([]);
  });

  test('reading alone makes nothing, and begins nothing', async () => {
    const location = freshJournal(server(), 'reviewctl_unmade');
    expect(await findJournal(location)).toBeUndefined();
    const none = await readJournal(location);
    expect(await none.known('order-item', ['A'])).toEqual(new Map());
    await none.close();
    expect(await server().ask("SELECT to_regnamespace('reviewctl_unmade')")).toEqual([null]);
    await openJournalUntilEnd(location);
    const reading = await readJournal(location);
    await expect(reading.begin('order-item', [])).rejects.toThrow('opened for reading');
    await reading.close();
  });
}

function promiseFence(server: () => PostgresServer): void {
  test('a run that lost its lock to another of the same records begins no request; other shards and kinds go on', async () => {
    const location = freshJournal(server());
    const journal = await openJournalUntilEnd(location);
    const shardOf = (index: number, count: number) => ({ ...start, shard: { index, count } });
    const runs = {
      lost: await journal.runs.begin(shardOf(1, 8)),
      beside: await journal.runs.begin(shardOf(2, 8)),
      ofKind: await journal.runs.begin({ ...start, kind: 'products' }),
    };
    const sent = await journal.begin('order-item', [itemOf('A')], runs.lost);
    const next = await (await openJournalUntilEnd(location)).runs.begin(shardOf(1, 8));
    await expect(journal.begin('order-item', [itemOf('B')], runs.lost)).rejects.toMatchObject({
      kind: 'locked',
      message: expect.stringContaining(`run ${runs.lost} lost its lock`),
    });
    await journal.end(sent, { accepted: [{ entry: itemOf('A') }] });
    for (const run of [runs.beside, runs.ofKind, next]) await journal.begin('order-item', [itemOf('C')], run);
    await journal.runs.begin({ ...start, shard: { index: 1, count: 4 } });
    await expect(journal.begin('order-item', [itemOf('D')], runs.beside)).rejects.toMatchObject({
      kind: 'locked',
    });
    expect((await journal.known('order-item', ['A', 'B'])).size).toBe(1);
  });

  test('a run that is replaced while it begins requests has each of them seen by the run that takes its place', async () => {
    const location = freshJournal(server());
    const [one, other] = [await openJournalUntilEnd(location), await openJournalUntilEnd(location)];
    for (let round = 0; round < 20; round += 1) {
      const run = await one.runs.begin(start);
      const ids = Array.from({ length: 8 }, (_, index) => `${round}-${index}`);
      const begun = Promise.allSettled(ids.map((id) => one.begin('order-item', [itemOf(id)], run)));
      await new Promise((resolve) => setImmediate(resolve));
      await other.runs.begin(start);
      const lost = await other.recover('order-item');
      const begunCount = (await begun).filter(({ status }) => status === 'fulfilled').length;
      expect(lost).toBe(begunCount);
    }
  });
}

function promiseIndex(server: () => PostgresServer): void {
  test('records are found by an index of the server, however many there are', async () => {
    const location = freshJournal(server(), 'reviewctl_index');
    const journal = await openJournalUntilEnd(location);
    for (let first = 0; first < 2000; first += 100)
      await accept(
        journal,
        Array.from({ length: 100 }, (_, index) => itemOf(`I${first + index}`)),
      );
    const sql = await openSql(location);
    onTestFinished(() => sql.close());
    const many = sql.dialect.packIntegers(Int32Array.from({ length: 2000 }, (_, at) => at * 1_000_003));
    const plan = await sql.read(`EXPLAIN ${selectByIndex}`, [many, 1, 0, Number.MAX_SAFE_INTEGER]);
    expect(JSON.stringify(plan)).toContain('push_hashes_hash');
    expect(JSON.stringify(plan)).not.toContain('push_hashes_pkey');
    expect((await journal.known('order-item', ['I0', 'I999', 'I1999', 'I2000'])).size).toBe(3);
  });
}

async function copyTo(to: JournalPlace, from: JournalPlace): Promise<number | undefined> {
  const sql = await openSql(to);
  try {
    return await sql.make((tx) => copyJournal(from, { sql, tx, place: to }));
  } finally {
    await sql.close();
  }
}

function promiseCopy(server: () => PostgresServer): void {
  test('a journal is copied from a file to a server and back with all that it knows', async () => {
    const [first, last] = [1, 2].map(
      (): JournalPlace => ({ kind: 'sqlite', path: join(temporaryFolder(), 'pushes.db') }),
    ) as [JournalPlace, JournalPlace];
    const between = freshJournal(server(), 'reviewctl_copied');
    const journal = await openJournal(first);
    const run = await journal.runs.begin(start);
    await accept(journal, ['A', 'B', 'C'].map(itemOf), run);
    await accept(journal, [itemOf('B')], run);
    const unknown = [itemOf('D')];
    await journal.end(await journal.begin('order-item', unknown, run), { unknown });
    await journal.endJobs('order-item', [
      { originId: 'C', jobId: 'J-C', state: 'failed', failureReason: 'no' },
    ]);
    await journal.runs.note(run, [{ file: 'a.csv', line: 2, originId: 'D', outcome: 'unknown' }]);
    await journal.runs.keep(run, [{ file: 'a.csv', line: 2, originId: 'D' }]);
    const timeline = { intervalMs: 1000, intervals: [null] };
    await journal.runs.end(run, { endedMs: 1, exitCode: 0, tally: {}, isWhole: true }, timeline);
    await journal.close();
    for (const place of [between, last]) await (await openJournal(place)).close();
    expect(await copyTo(between, first)).toBe(1);
    expect(await copyTo(last, between)).toBe(1);
    // Two journals cannot be merged.
    expect(await copyTo(last, between)).toBeUndefined();
    for (const place of [first, between, last]) {
      const copied = await openJournal(place);
      onTestFinished(() => copied.close());
      const known = await copied.known('order-item', ['A', 'B', 'C', 'D']);
      expect([...known].map(([id, { fate, jobState }]) => `${id} ${fate} ${jobState}`)).toEqual([
        'A accepted undefined',
        'B accepted undefined',
        'C accepted failed',
        'D unknown undefined',
      ]);
      expect((await copied.itemsOf(['order of A'])).get('order of A')).toEqual(new Map([['A', 'P']]));
      expect((await all(copied.jobs())).map(({ originId }) => originId)).toEqual(['A', 'C', 'B']);
      expect(await copied.unresolved('order-item', run)).toEqual(['D']);
      expect((await copied.runs.list()).map(({ id }) => id)).toEqual([run]);
      expect(await all(copied.runs.noted(run))).toHaveLength(1);
      expect(await all(copied.runs.kept(run))).toEqual([{ file: 'a.csv', line: 2, originId: 'D' }]);
      expect(await copied.runs.timeline(run)).toEqual(timeline);
      await accept(copied, [itemOf('E')], run);
      expect((await copied.known('order-item', ['E'])).size).toBe(1);
    }
  });
}

function promiseAnswers(bin: string): void {
  test('an answer on record outlives a server that crashes', async () => {
    const server = await makePostgres(bin, ['wal_writer_delay=10s']);
    onTestFinished(() => server.remove());
    const location = freshJournal(server);
    const journal = await openJournal(location);
    await accept(journal, [itemOf('A')]);
    await server.stop('immediate');
    await journal.close().catch(() => undefined);
    await server.start();
    const after = await openJournalUntilEnd(location);
    expect(await after.recover('order-item')).toBe(0);
    expect((await after.known('order-item', ['A'])).get('A')).toMatchObject({ fate: 'accepted' });
  });
}

await withPostgres('the suites of the journal', (server, bin) => {
  promiseAnswers(bin);
  const place = () => {
    const location = freshJournal(server);
    return () => openJournalUntilEnd(location);
  };
  describePushJournal('the journal in PostgreSQL', place);
  describeRunLog('the runs in PostgreSQL', place);
  test(
    'the journal in PostgreSQL knows what a plain map would',
    () => checkAgainstModel(() => modelPlace(server), 12),
    120_000,
  );
  for (const promise of [promisePlace, promiseFence, promiseIndex, promiseCopy]) promise(() => server);
});
