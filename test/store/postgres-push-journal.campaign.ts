import { expect, test } from 'vitest';
import type { JournalEntry, RunJournal } from '../../src/store/journal/push-journal.ts';
import {
  openExistingPostgresPushJournal,
  openPostgresPushJournal,
} from '../../src/store/postgres/journal/postgres-push-journal.ts';
import { readPostgresPushJournal } from '../../src/store/postgres/journal/read-postgres-push-journal.ts';
import type { PushRunStart } from '../../src/store/runs/run-log.ts';
import { connect } from '../../src/store/sql/connection.ts';
import { all } from './all-pages.ts';
import { freshJournal, openJournalUntilEnd } from './postgres-journal-place.ts';
import type { PostgresServer } from './postgres-server.ts';
import { checkAgainstModel, type ModelPlace } from './push-journal-model.ts';
import { describePushJournal } from './push-journal-suite.ts';
import { describeRunLog } from './run-log-suite.ts';
import { withPostgres } from './with-postgres.ts';

/** A process that is killed leaves what it wrote; nobody else ends its sessions. */
function modelPlace(server: PostgresServer): ModelPlace {
  const location = freshJournal(server);
  const place: ModelPlace = {
    open: () => openPostgresPushJournal(location),
    read: () => readPostgresPushJournal(location),
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
  await journal.end('order-item', request, { jobIds: entries.map(({ originId }) => `J-${originId}`) });
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

  test('several processes see at once what the others write', async () => {
    const location = freshJournal(server());
    const journals = [await openJournalUntilEnd(location), await openJournalUntilEnd(location)] as const;
    for (let round = 0; round < 10; round += 1) {
      const [one, other] = round % 2 === 0 ? journals : [journals[1], journals[0]];
      const items = Array.from({ length: 20 }, (_, index) => itemOf(`${round}-${index % 15}`));
      expect(await other.known('order-item', [`${round}-0`])).toEqual(new Map());
      await Promise.all(items.map((item) => accept(one, [item])));
      const ended = [{ originId: `${round}-3`, jobId: `J-${round}-3`, state: 'succeeded' as const }];
      await other.endJobs('order-item', ended);
      for (const journal of journals) {
        const ids = items.map(({ originId }) => originId);
        expect((await journal.known('order-item', ids)).size).toBe(15);
        expect((await journal.known('order-item', ids)).get(`${round}-3`)?.jobState).toBe('succeeded');
      }
    }
    expect(await all(journals[0].jobs())).toHaveLength(150);
  });

  test('an answer that comes after another process took its request for lost is known, beside those of others', async () => {
    const location = freshJournal(server());
    const journals = [await openJournalUntilEnd(location), await openJournalUntilEnd(location)] as const;
    const [suspended, other] = journals;
    const begin = (originId: string) =>
      suspended.begin('order-item', [itemOf(originId), itemOf(`${originId}2`)]);
    await suspended.known('order-item', ['A', 'A2', 'B', 'B2', 'C', 'C2']);
    const lost = [await begin('A'), await begin('B')];
    expect(await other.recover('order-item')).toBe(4);
    const begun = await begin('C');
    const jobIds = ['J1', 'J2'];
    const ends = [...lost, begun].map((request) => suspended.end('order-item', request, { jobIds }));
    await Promise.all(ends);
    const known = await other.known('order-item', ['A', 'A2', 'B', 'B2', 'C', 'C2']);
    expect([...known.values()].map(({ fate, jobId }) => `${fate} ${jobId}`)).toEqual(
      [1, 2, 1, 2, 1, 2].map((job) => `accepted J${job}`),
    );
    expect(await other.recover('order-item')).toBe(0);
  });

  test('reading alone makes nothing, and knows what is under way as unknown', async () => {
    const location = freshJournal(server(), 'reviewctl_unmade');
    expect(await openExistingPostgresPushJournal(location)).toBeUndefined();
    const none = await readPostgresPushJournal(location);
    expect(await none.known('order-item', ['A'])).toEqual(new Map());
    await none.close();
    expect(await server().ask("SELECT to_regnamespace('reviewctl_unmade')")).toEqual([null]);
    const journal = await openJournalUntilEnd(location);
    await accept(journal, [itemOf('A')]);
    await journal.begin('order-item', [itemOf('B')]);
    const reading = await readPostgresPushJournal(location);
    const known = await reading.known('order-item', ['A', 'B', 'C']);
    expect([...known].map(([id, { fate }]) => `${id} ${fate}`)).toEqual(['A accepted', 'B unknown']);
    expect(await reading.itemsOf(['order of B'])).toEqual(new Map([['order of B', new Map([['B', 'P']])]]));
    await expect(reading.begin('order-item', [])).rejects.toThrow('opened for reading');
    await reading.close();
    const existing = await openExistingPostgresPushJournal(location);
    expect(await existing?.recover('order-item')).toBe(1);
    await existing?.close();
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
    await journal.end('order-item', sent, { accepted: [{ entry: itemOf('A') }] });
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

/** Whether the index by which records are found may be used; none where it is missing. */
const indexOf = (server: PostgresServer, schema: string) =>
  server.ask(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('${schema}.push_answer_hash')`);

function promiseIndex(server: () => PostgresServer): void {
  const ids = Array.from({ length: 300 }, (_, index) => `I${index}`);
  /** A journal with records on it, as a first push leaves it. */
  const pushed = async (schema: string) => {
    const location = freshJournal(server(), schema);
    const journal = await openPostgresPushJournal(location);
    await journal.recover('order-item');
    expect(await journal.known('order-item', ids)).toEqual(new Map());
    await accept(journal, ids.map(itemOf));
    await journal.close();
    return location;
  };

  test('a first push makes no index, and the next one finds its records by one', async () => {
    const location = await pushed('reviewctl_first');
    expect(await indexOf(server(), 'reviewctl_first')).toEqual([]);
    const next = await openJournalUntilEnd(location);
    await next.recover('order-item');
    expect(await indexOf(server(), 'reviewctl_first')).toEqual([true]);
    expect((await next.known('order-item', ids)).size).toBe(300);
  });

  test('without recovering, a few records are found without an index, and many by one', async () => {
    const location = await pushed('reviewctl_few');
    const reading = await readPostgresPushJournal(location);
    expect((await reading.known('order-item', ids.slice(0, 100))).size).toBe(100);
    expect(await indexOf(server(), 'reviewctl_few')).toEqual([]);
    expect((await reading.known('order-item', ids)).size).toBe(300);
    expect(await indexOf(server(), 'reviewctl_few')).toEqual([true]);
    await reading.close();
  });

  test('several processes that need the index at once make it once, beside one that writes', async () => {
    const location = await pushed('reviewctl_together');
    const writing = await openJournalUntilEnd(location);
    const journals = await Promise.all(Array.from({ length: 4 }, () => openJournalUntilEnd(location)));
    const later = Array.from({ length: 40 }, (_, index) => itemOf(`later ${index}`));
    const [known] = await Promise.all([
      Promise.all(
        journals.map(async (journal) => {
          await journal.recover('order-item');
          return (await journal.known('order-item', ids)).size;
        }),
      ),
      ...later.map((item) => accept(writing, [item])),
    ]);
    expect(known).toEqual([300, 300, 300, 300]);
    expect(await indexOf(server(), 'reviewctl_together')).toEqual([true]);
    const laterIds = later.map(({ originId }) => originId);
    expect((await writing.known('order-item', laterIds)).size).toBe(40);
  });

  test('the index is made while a backup reads the database', async () => {
    const location = await pushed('reviewctl_backup');
    const backup = await connect(location);
    await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await backup.query('SET LOCAL idle_in_transaction_session_timeout = 60000');
    await backup.query('SELECT count(*) FROM reviewctl_backup.push_answer');
    const next = await openJournalUntilEnd(location);
    await next.recover('order-item');
    expect(await indexOf(server(), 'reviewctl_backup')).toEqual([true]);
    expect((await next.known('order-item', ids)).size).toBe(300);
    await backup.query('COMMIT');
    await backup.close();
  });
}

function promiseFormat(server: () => PostgresServer): void {
  test.each([1, 1000])('a journal of format %i is refused, and left as it was', async (format) => {
    const schema = `reviewctl_other_${format}`;
    const location = freshJournal(server(), schema);
    await (await openJournalUntilEnd(location)).close();
    await server().ask(`UPDATE ${schema}.push_format SET format = ${format}`);
    for (const open of [openJournalUntilEnd, readPostgresPushJournal, openExistingPostgresPushJournal]) {
      await expect(open(location)).rejects.toMatchObject({
        kind: 'unreadable-path',
        message: expect.stringContaining(`has format ${format}; this version reads only format 2`),
      });
    }
    expect(await server().ask(`SELECT format FROM ${schema}.push_format`)).toEqual([format]);
  });

  test('journals are made at once by several processes', async () => {
    const locations = Array.from({ length: 6 }, () => freshJournal(server(), 'reviewctl_at_once'));
    const journals = await Promise.all(locations.map(openJournalUntilEnd));
    await Promise.all(journals.map((journal) => accept(journal, [itemOf('A')])));
    expect(await server().ask('SELECT count(*)::int FROM reviewctl_at_once.push_answer')).toEqual([6]);
  });
}

await withPostgres('the suites of the journal', (server) => {
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
  for (const promise of [promisePlace, promiseFence, promiseIndex, promiseFormat]) promise(() => server);
});
