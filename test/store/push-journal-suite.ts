import { describe, expect, test } from 'vitest';
import { textHash } from '../../src/base/text-hash.ts';
import type {
  JobEnd,
  JournalEntry,
  JournaledJob,
  JournaledKind,
  PushJournal,
  RequestEnd,
  RunJournal,
} from '../../src/store/journal/push-journal.ts';
import { all } from './all-pages.ts';

/** Opens the journal under test: each call reopens the same records, like a process after a crash. */
export type OpenJournal = () => Promise<RunJournal>;

/** Ids that a store may confuse, truncate or lose. */
const oddIds = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  '0',
  '007',
  '1e5',
  "O'Brien",
  '"quoted"',
  'back\\slash',
  'per%cent_',
  'nul\0one',
  'nul\0two',
  'line\nbreak',
  '상품-1',
  'é',
  'e\u0301',
  '👩‍👩‍👧',
  '\ud800',
  '\ud801',
  '\ufffd',
  'x'.repeat(10_000),
];

const entry = (originId: string, contentHash = textHash(originId)): JournalEntry => ({
  originId,
  contentHash,
});

/** The order sent with its items. */
const order: JournalEntry = { ...entry('O'), kind: 'order' };

const testOf = (place: () => OpenJournal) =>
  test.extend('open', () => place()).extend('journal', ({ open }) => open());
type JournalTest = ReturnType<typeof testOf>;

/** The contract of `PushJournal`; `place` makes a new one for each test. */
export function describePushJournal(name: string, place: () => OpenJournal): void {
  describe(name, () => {
    const it = testOf(place);
    promiseKnowledge(it);
    promiseEnds(it);
    promiseRepeated(it);
    promiseOneTruth(it);
    promiseRecovery(it);
    promiseOrderOfWriters(it);
    promiseOrders(it);
    promiseItemsOfOrders(it);
    promiseJobs(it);
    promiseUnclearJobs(it);
    promiseFindings(it);
    promiseUnresolved(it);
  });
}

/** Sends one request with these records, and records its outcome. */
async function send(
  journal: PushJournal,
  entries: readonly JournalEntry[],
  end: RequestEnd,
  { kind = 'order-item', run }: { kind?: JournaledKind; run?: string | undefined } = {},
): Promise<void> {
  await journal.end(await journal.begin(kind, entries, run), end);
}

/** Sends items, each with the job `J-<originId>`. */
async function acceptAll(journal: PushJournal, originIds: readonly string[], run?: string): Promise<void> {
  const entries = originIds.map((originId) => entry(originId));
  await send(journal, entries, { jobIds: originIds.map((originId) => `J-${originId}`) }, { run });
}

/** Sends records with an unknown outcome. */
async function lose(
  journal: PushJournal,
  records: readonly (string | JournalEntry)[],
  run?: string,
): Promise<void> {
  const unknown = records.map((record) => (typeof record === 'string' ? entry(record) : record));
  await send(journal, unknown, { unknown }, { run });
}

/** Ends the jobs of `acceptAll` in this state. */
const endJobs = (journal: PushJournal, state: JobEnd['state'], ...originIds: readonly string[]) =>
  journal.endJobs(
    'order-item',
    originIds.map((originId) => ({ originId, jobId: `J-${originId}`, state })),
  );

/** The known items, in the order returned. */
const fatesIn = async (journal: PushJournal, ...originIds: readonly string[]) =>
  [...(await journal.known('order-item', originIds))].map(([originId, { fate }]) => `${originId} ${fate}`);

/** The records whose jobs are in this state, or in any. */
const withJobs = async (journal: PushJournal, state?: JournaledJob['state']) =>
  (await all(journal.jobs(state))).map(({ originId }) => originId);

function promiseKnowledge(it: JournalTest): void {
  it('a record is not known while its request is under way', async ({ journal }) => {
    await journal.begin('order-item', [entry('A')]);
    expect(await journal.known('order-item', ['A'])).toEqual(new Map());
    expect(await journal.known('order-item', [])).toEqual(new Map());
  });

  it('an accepted record is known with its content and its job', async ({ journal }) => {
    await send(journal, [entry('A', 'h1')], { accepted: [{ entry: entry('A', 'h1'), jobId: 'J1' }] });
    expect(await journal.known('order-item', ['A', 'B'])).toEqual(
      new Map([['A', { fate: 'accepted', contentHash: 'h1', jobId: 'J1' }]]),
    );
  });
}

function promiseEnds(it: JournalTest): void {
  it('one request may end in every way at once; what it does not name had no effect', async ({ journal }) => {
    await send(journal, [entry('A'), entry('B'), entry('C')], {
      accepted: [{ entry: entry('A'), jobId: 'J' }],
      unknown: [entry('B')],
    });
    expect(await fatesIn(journal, 'A', 'B', 'C')).toEqual(['A accepted', 'B unknown']);
    expect(await journal.recover('order-item')).toBe(0);
  });

  it('where all were taken, jobs alone end a request, each that of the entry at its place; of an id that comes twice, the last', async ({
    journal,
  }) => {
    const entries = [entry('A'), entry('B'), entry('A', 'later')];
    const request = await journal.begin('order-item', entries);
    await expect(journal.end(request, { jobIds: ['J1'] })).rejects.toThrow('3 entries');
    await journal.end(request, { jobIds: ['J1', 'J2', 'J3'] });
    const known = await journal.known('order-item', ['A', 'B']);
    expect([...known].map(([originId, { contentHash, jobId }]) => [originId, contentHash, jobId])).toEqual([
      ['A', 'later', 'J3'],
      ['B', textHash('B'), 'J2'],
    ]);
    expect(await journal.recover('order-item')).toBe(0);
  });

  it('what a lookup found is known, and was never under way', async ({ journal }) => {
    await journal.record('order-item', [{ entry: entry('A', 'h1'), objectId: '7' }]);
    const found = { fate: 'accepted', contentHash: 'h1', objectId: '7' };
    expect(await journal.known('order-item', ['A'])).toEqual(new Map([['A', found]]));
    expect(await journal.recover('order-item')).toBe(0);
  });

  it('what is known comes in the order it was asked for', async ({ journal }) => {
    await lose(journal, ['C', 'A', 'B']);
    expect(await fatesIn(journal, 'B', 'X', 'C', 'A')).toEqual(['B unknown', 'C unknown', 'A unknown']);
  });

  it('the latest fate of a record counts', async ({ journal }) => {
    await lose(journal, [entry('A', 'old')]);
    await send(journal, [entry('A', 'new')], { jobIds: ['J'] });
    expect((await journal.known('order-item', ['A'])).get('A')).toEqual({
      fate: 'accepted',
      contentHash: 'new',
      jobId: 'J',
    });
  });

  it('records of two kinds do not meet', async ({ journal }) => {
    const request = await journal.begin('order-item', [entry('A')]);
    await journal.begin('category', [entry('A')]);
    await journal.end(request, { jobIds: ['J'] });
    expect(await journal.known('category', ['A'])).toEqual(new Map());
    expect(await journal.recover('order-item')).toBe(0);
    expect(await journal.recover('category')).toBe(1);
    expect((await journal.known('category', ['A'])).get('A')?.fate).toBe('unknown');
    expect(await fatesIn(journal, 'A')).toEqual(['A accepted']);
  });
}

function promiseRepeated(it: JournalTest): void {
  it('of an id that comes twice in a request, the last entry is listed, and another kind beside it', async ({
    journal,
  }) => {
    const run = 'R';
    const entries = [entry('O'), order, entry('B'), entry('O', 'later')];
    await send(journal, entries, { jobIds: ['J1', 'J2', 'J3', 'J4'] }, { run });
    const jobs = await all(journal.jobs('pending', 'order-item'));
    expect(jobs.map(({ originId, jobId }) => [originId, jobId])).toEqual([
      ['B', 'J3'],
      ['O', 'J4'],
    ]);
    await lose(journal, [entry('C'), entry('C', 'later')], run);
    expect(await journal.unresolved('order-item', run)).toEqual(['C']);
    expect(await journal.resolve('order-item', run, 'sent')).toBe(1);
    expect((await journal.known('order-item', ['C'])).get('C')?.contentHash).toBe('later');
  });

  it('what is known before comes from all that was on record then, however often it is asked', async ({
    journal,
  }) => {
    const take = (...entries: readonly JournalEntry[]) =>
      send(journal, entries, { jobIds: entries.map(({ contentHash }) => contentHash) });
    await take(entry('A'), entry('B'));
    await take(entry('A', 'again'));
    const { known: knownBefore } = await journal.knownBefore();
    await take(entry('C'));
    const many = Array.from({ length: 1500 }, (_, at) => `other-${at}`);
    for (const more of [[], [], many, []]) {
      const known = await knownBefore('order-item', ['A', 'B', ...more]);
      expect([...known].map(([originId, { jobId }]) => [originId, jobId])).toEqual([
        ['A', 'again'],
        ['B', textHash('B')],
      ]);
    }
    const first = await (await journal.knownBefore()).known('order-item', [...many, 'C', 'A']);
    expect([...first.keys()]).toEqual(['C', 'A']);
  });
}

function promiseOneTruth(it: JournalTest): void {
  it('what one process writes, the other sees at once, whatever it has in memory', async ({
    open,
    journal,
  }) => {
    const other = await open();
    const stateOf = async (originId: string) => {
      const read = () => journal.known('order-item', ['A', 'B', 'C']);
      for (let time = 1; time <= 6; time += 1) await read();
      const known = (await read()).get(originId);
      return known && [known.fate, known.jobState];
    };
    await acceptAll(journal, ['A'], 'R');
    expect(await stateOf('A')).toEqual(['accepted', undefined]);
    await endJobs(other, 'unknown', 'A');
    expect(await stateOf('A')).toEqual(['unknown', undefined]);
    expect(await other.resolve('order-item', 'R', 'not-sent')).toBe(1);
    expect(await stateOf('A')).toBeUndefined();
    const takeOfOrder = (originId: string) =>
      send(other, [{ ...entry(originId), orderOriginId: 'O' }], { jobIds: [`J-${originId}`] });
    await takeOfOrder('B');
    expect(await stateOf('B')).toEqual(['accepted', undefined]);
    for (let time = 1; time <= 6; time += 1) await journal.itemsOf(['O']);
    await takeOfOrder('C');
    const items = (await journal.itemsOf(['O'])).get('O');
    expect([...(items?.keys() ?? [])].toSorted()).toEqual(['B', 'C']);
    await endJobs(other, 'failed', 'C');
    expect(await stateOf('C')).toEqual(['accepted', 'failed']);
  });
}

function promiseRecovery(it: JournalTest): void {
  it('after a crash the records of requests under way are unknown, and those of ended ones as they were', async ({
    open,
    journal,
  }) => {
    await acceptAll(journal, ['A']);
    await send(journal, [entry('B')], {});
    await journal.begin('order-item', [entry('C'), entry('D', 'h4')]);
    await journal.begin('order-item', [entry('E')]);
    await journal.close();

    const later = await open();
    expect(await later.recover('order-item')).toBe(3);
    expect(await fatesIn(later, 'A', 'B', 'C', 'D', 'E')).toEqual([
      'A accepted',
      'C unknown',
      'D unknown',
      'E unknown',
    ]);
    const known = await later.known('order-item', ['D']);
    expect(known.get('D')).toEqual({ fate: 'unknown', contentHash: 'h4', jobId: undefined });
    expect(await later.recover('order-item')).toBe(0);
  });

  it('an end that fails changes nothing and leaves the request under way', async ({ journal }) => {
    const request = await journal.begin('order-item', [entry('A'), entry('B')]);
    const broken = { originId: 'B', contentHash: null as unknown as string };
    await expect(
      journal.end(request, { accepted: [{ entry: entry('A') }], unknown: [broken] }),
    ).rejects.toThrow();
    expect(await journal.known('order-item', ['A', 'B'])).toEqual(new Map());
    expect(await journal.recover('order-item')).toBe(2);
  });

  it('ids are kept apart exactly as they are', async ({ open, journal }) => {
    const expected: (readonly [string, string])[] = [];
    for (const [index, originId] of oddIds.entries()) {
      const sent = [entry(originId, `h${index}`)];
      const unknown = index % 2 === 0 ? sent : [];
      await send(journal, sent, { unknown });
      for (const { contentHash } of unknown) expected.push([originId, contentHash]);
    }
    await journal.close();
    const known = await (await open()).known('order-item', oddIds);
    expect([...known].map(([originId, { contentHash }]) => [originId, contentHash])).toEqual(expected);
  });

  it('one request may hold 20,000 records', async ({ open, journal }) => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `I${index}`);
    await journal.begin(
      'order-item',
      ids.map((originId) => entry(originId)),
    );
    await journal.close();
    const later = await open();
    expect(await later.recover('order-item')).toBe(20_000);
    expect((await later.known('order-item', ids)).size).toBe(20_000);
  });
}

function promiseOrderOfWriters(it: JournalTest): void {
  it('a request is ended once, by the process that began it', async ({ open, journal }) => {
    const other = await open();
    const request = await journal.begin('order-item', [entry('A')]);
    const again = { unknown: [entry('A')] };
    const refusal = `request ${request} was not begun`;
    await expect(other.end(request, again)).rejects.toThrow(refusal);
    await journal.end(request, { jobIds: ['J'] });
    await expect(journal.end(request, again)).rejects.toThrow(refusal);
    expect((await other.known('order-item', ['A'])).get('A')).toMatchObject({ fate: 'accepted', jobId: 'J' });
  });

  it('an entry on which a request had no effect is known as before', async ({ journal }) => {
    await acceptAll(journal, ['A']);
    await send(journal, [entry('A', 'changed'), entry('B')], { unknown: [entry('B')] });
    const known = await journal.known('order-item', ['A', 'B']);
    expect(known.get('A')).toMatchObject({ fate: 'accepted', contentHash: textHash('A'), jobId: 'J-A' });
    expect(known.get('B')?.fate).toBe('unknown');
  });

  it('a shard ends the requests of runs that have ended, and leaves those of the other shards under way', async ({
    open,
    journal,
  }) => {
    const other = await open();
    await journal.begin('order-item', [entry('A')], 'ended');
    await journal.begin('order-item', [entry('B')]);
    const underWay = await other.begin('order-item', [entry('C')], 'running');
    for (let at = 0; at < 100; at += 1) await send(journal, [entry(`D${at}`)], {}, { run: 'own' });
    const isEnded = (run: string | null) => run === null || run === 'ended';
    expect(await journal.recover('order-item', isEnded)).toBe(2);
    expect(await journal.recover('order-item', isEnded)).toBe(0);
    // Many later, ended requests do not hide an open one.
    for (let at = 0; at < 100; at += 1) await acceptAll(journal, [`E${at}`], 'own');
    await journal.close();

    const later = await open();
    expect(await fatesIn(later, 'A', 'B', 'C')).toEqual(['A unknown', 'B unknown']);
    expect(await later.recover('order-item')).toBe(1);
    await other.end(underWay, { jobIds: ['J'] });
    expect(await fatesIn(later, 'C')).toEqual(['C accepted']);
  });
}

function promiseOrders(it: JournalTest): void {
  it('an order is known by itself, beside the items that came with it', async ({ journal }) => {
    await send(journal, [entry('O'), order], {
      accepted: [{ entry: order, jobId: 'J' }],
      unknown: [entry('O')],
    });
    expect((await journal.known('order', ['O'])).get('O')).toMatchObject({ fate: 'accepted', jobId: 'J' });
    expect((await journal.known('order-item', ['O'])).get('O')).toMatchObject({
      fate: 'unknown',
      jobId: undefined,
    });
  });

  it('orders of a dead process are unknown with their items, and the items alone are counted', async ({
    open,
    journal,
  }) => {
    await journal.begin('order-item', [entry('A'), entry('B'), order]);
    await journal.close();
    const later = await open();
    expect(await later.recover('order-item')).toBe(2);
    expect((await later.known('order', ['O'])).get('O')?.fate).toBe('unknown');
    expect(await fatesIn(later, 'A', 'B', 'O')).toEqual(['A unknown', 'B unknown']);
  });
}

function promiseItemsOfOrders(it: JournalTest): void {
  it('the items of an order are those that were sent and may be there, with their products', async ({
    journal,
  }) => {
    const item = (originId: string, productOriginId: string) => ({
      ...entry(originId),
      orderOriginId: 'A',
      productOriginId,
    });
    const [made, lost, failed] = [item('A-1', 'P1'), item('A-2', 'P2'), item('A-3', 'P3')];
    const ofOther = { ...entry('B-1'), orderOriginId: 'B' };
    const request = await journal.begin('order-item', [made, lost, failed, ofOther]);
    expect(await journal.itemsOf(['A', 'B'])).toEqual(new Map());
    const accepted = [made, failed, ofOther].map((each) => ({ entry: each, jobId: `J-${each.originId}` }));
    await journal.end(request, { accepted, unknown: [lost] });
    await endJobs(journal, 'failed', 'A-3');
    expect(await journal.itemsOf(['A', 'B', 'C'])).toEqual(
      new Map<string, ReadonlyMap<string, string | undefined>>([
        ['A', new Map(Object.entries({ 'A-1': 'P1', 'A-2': 'P2' }))],
        ['B', new Map([['B-1', undefined]])],
      ]),
    );
    expect(await journal.itemsOf([])).toEqual(new Map());
  });

  it('orders are kept apart exactly as they are', async ({ journal }) => {
    const stored = oddIds.filter(
      (orderOriginId) => orderOriginId.isWellFormed() && !orderOriginId.includes('\0'),
    );
    await lose(
      journal,
      stored.map((orderOriginId, index) => ({ ...entry(`I${index}`), orderOriginId })),
    );
    const found = await journal.itemsOf(stored);
    expect([...found].map(([orderOriginId, items]) => [orderOriginId, [...items.keys()]])).toEqual(
      expect.arrayContaining(stored.map((orderOriginId, index) => [orderOriginId, [`I${index}`]])),
    );
  });
}

function promiseJobs(it: JournalTest): void {
  it('how jobs ended is known, with what they made or why they failed', async ({ open, journal }) => {
    await acceptAll(journal, ['A', 'B', 'C'], 'run1');
    await journal.endJobs('order-item', [
      { originId: 'A', jobId: 'J-A', state: 'succeeded', objectId: '17' },
      { originId: 'B', jobId: 'J-B', state: 'failed', failureReason: 'no such product' },
    ]);
    await journal.close();
    const later = await open();
    const known = await later.known('order-item', ['A', 'B', 'C']);
    expect(known.get('A')).toMatchObject({ jobId: 'J-A', jobState: 'succeeded', objectId: '17' });
    expect(known.get('B')).toMatchObject({ jobId: 'J-B', jobState: 'failed' });
    expect(known.get('C')).not.toHaveProperty('jobState');
    const job = { kind: 'order-item', objectId: null, failureReason: null, run: 'run1' };
    expect(await all(later.jobs())).toEqual([
      { ...job, jobId: 'J-A', originId: 'A', state: 'succeeded', objectId: '17' },
      { ...job, jobId: 'J-B', originId: 'B', state: 'failed', failureReason: 'no such product' },
      { ...job, jobId: 'J-C', originId: 'C', state: 'pending' },
    ]);
    expect(await withJobs(later, 'failed')).toEqual(['B']);
  });

  it('items and their order end in one write, also where a request holds both', async ({ journal }) => {
    const order = { ...entry('A'), kind: 'order' as const };
    const items = ['A', 'B'].map((originId) => ({ ...entry(originId), orderOriginId: 'A' }));
    const request = await journal.begin('order-item', [...items, order]);
    await journal.end(request, { jobIds: ['J', 'J', 'J'] });
    const end = { jobId: 'J', state: 'succeeded' } as const;
    await journal.endJobs(
      'order-item',
      ['A', 'B'].map((originId) => ({ ...end, originId })),
      [{ ...end, originId: 'A', objectId: '17' }],
    );
    const ended = { jobState: 'succeeded', objectId: undefined };
    expect((await journal.known('order', ['A'])).get('A')).toMatchObject({ ...ended, objectId: '17' });
    const known = await journal.known('order-item', ['A', 'B']);
    expect([...known.values()]).toMatchObject([ended, ended]);
  });

  it('the end of a job that is no longer that of the record changes nothing', async ({ journal }) => {
    await acceptAll(journal, ['A']);
    await journal.endJobs('order-item', [{ originId: 'A', jobId: 'an older one', state: 'failed' }]);
    expect(await withJobs(journal, 'pending')).toEqual(['A']);
  });

  it('a record sent again is pending again', async ({ journal }) => {
    await acceptAll(journal, ['A']);
    await endJobs(journal, 'failed', 'A');
    await acceptAll(journal, ['A']);
    expect(await withJobs(journal, 'failed')).toEqual([]);
    expect(await withJobs(journal, 'pending')).toEqual(['A']);
    await endJobs(journal, 'succeeded', 'A');
    await acceptAll(journal, ['A']);
    await endJobs(journal, 'failed', 'A');
    expect((await journal.known('order-item', ['A'])).get('A')?.jobState).toBe('succeeded');
    expect(await withJobs(journal, 'failed')).toEqual(['A']);
  });

  it('all jobs are told, whatever their number, also while their ends are written', async ({ journal }) => {
    const originIds = Array.from({ length: 1201 }, (_, index) => `I${index}`);
    await acceptAll(journal, originIds);
    const told: string[] = [];
    for await (const page of journal.jobs('pending')) {
      const ids = page.map(({ originId }) => originId);
      told.push(...ids);
      await endJobs(journal, 'succeeded', ...ids);
    }
    expect(told.toSorted()).toEqual(originIds.toSorted());
    expect(await withJobs(journal, 'pending')).toEqual([]);
  });

  it('what was made at once has no job', async ({ journal }) => {
    const accepted = [{ entry: entry('C'), objectId: '5' }];
    await send(journal, [entry('C')], { accepted }, { kind: 'category' });
    expect((await journal.known('category', ['C'])).get('C')).toMatchObject({
      jobId: undefined,
      objectId: '5',
    });
    expect(await all(journal.jobs())).toEqual([]);
  });
}

function promiseUnclearJobs(it: JournalTest): void {
  it('a job that does not show what it made leaves its record unknown until its end or a person decides', async ({
    journal,
  }) => {
    await acceptAll(journal, ['A', 'B', 'C'], 'run1');
    await endJobs(journal, 'unknown', 'A', 'B', 'C');
    expect((await journal.known('order-item', ['A'])).get('A')).toMatchObject({
      fate: 'unknown',
      jobId: 'J-A',
    });
    expect(await withJobs(journal, 'unknown')).toEqual(['A', 'B', 'C']);
    await endJobs(journal, 'succeeded', 'A');
    await endJobs(journal, 'failed', 'B');
    expect(await journal.resolve('order-item', 'run1', 'sent')).toBe(1);
    const known = await journal.known('order-item', ['A', 'B', 'C']);
    expect([...known.values()].map(({ fate, jobState }) => `${fate} ${jobState}`)).toEqual([
      'accepted succeeded',
      'accepted failed',
      'accepted succeeded',
    ]);
    expect(await withJobs(journal, 'unknown')).toEqual([]);
  });

  it('an order is not listed beside its items, whose job is its own', async ({ journal }) => {
    await send(journal, [entry('A'), order], { jobIds: ['J', 'J'] });
    expect(await withJobs(journal)).toEqual(['A']);
  });
}

function promiseFindings(it: JournalTest): void {
  it('unknown records found at the service are accepted, others forgotten, and no other run is touched', async ({
    journal,
  }) => {
    await lose(journal, ['A', 'B'], 'run1');
    await lose(journal, ['C'], 'run2');
    await acceptAll(journal, ['D'], 'run1');
    expect(await journal.resolve('order-item', 'run1', 'sent', ['A', 'C', 'D', 'X'])).toBe(1);
    expect(await journal.resolve('order-item', 'run1', 'not-sent')).toBe(1);
    expect(await fatesIn(journal, 'A', 'B', 'C', 'D')).toEqual(['A accepted', 'C unknown', 'D accepted']);
    expect(await journal.resolve('order-item', 'run1', 'sent')).toBe(0);
  });

  it('the order of unknown items is settled with them', async ({ journal }) => {
    await lose(journal, [entry('A'), order], 'run1');
    expect(await journal.resolve('order-item', 'run1', 'not-sent')).toBe(1);
    expect(await journal.known('order', ['O'])).toEqual(new Map());
  });

  it('the order of items that another run left unknown is settled with them by the run that met them', async ({
    journal,
  }) => {
    await lose(journal, [{ ...entry('A'), orderOriginId: 'O' }, order], 'run1');
    await journal.runs.note('run2', [{ file: 'f', line: 2, originId: 'A', outcome: 'unknown' }]);
    expect(await journal.resolve('order-item', 'run2', 'not-sent')).toBe(1);
    expect(await journal.known('order', ['O'])).toEqual(new Map());
  });

  it('an order is settled with the last of its items, not before', async ({ journal }) => {
    const items = ['A', 'B'].map((originId) => ({ ...entry(originId), orderOriginId: 'O' }));
    await lose(journal, [...items, order], 'run1');
    expect(await journal.resolve('order-item', 'run1', 'not-sent', ['A'])).toBe(1);
    expect((await journal.known('order', ['O'])).get('O')?.fate).toBe('unknown');
    expect(await journal.resolve('order-item', 'run1', 'not-sent', ['B'])).toBe(1);
    expect(await journal.known('order', ['O'])).toEqual(new Map());
  });
}

function promiseUnresolved(it: JournalTest): void {
  it('what a run left or met unknown is told in the order in which it was sent, orders not beside their items', async ({
    open,
    journal,
  }) => {
    await lose(journal, [entry('C'), { ...entry('A'), orderOriginId: 'O' }, order], 'run1');
    await lose(journal, ['B'], 'run1');
    await lose(journal, ['D', 'E'], 'run2');
    await acceptAll(journal, ['F'], 'run1');
    await send(journal, [entry('G')], { unknown: [entry('G')] }, { kind: 'category', run: 'run1' });
    await journal.runs.note('run1', [{ file: 'f', line: 2, originId: 'E', outcome: 'unknown' }]);
    await journal.close();
    const later = await open();
    expect(await later.unresolved('order-item', 'run1')).toEqual(['C', 'A', 'B', 'E']);
    expect(await later.unresolved('order-item', 'run1', ['E', 'D', 'B'])).toEqual(['B', 'E']);
    expect(await later.unresolved('order', 'run1')).toEqual(['O']);
    expect(await later.unresolved('order-item', 'run3')).toEqual([]);
  });

  it('unknown records are told and settled whatever the number of their requests, and what another process settled is not', async ({
    open,
    journal,
  }) => {
    const other = await open();
    const ids = Array.from({ length: 110 }, (_, index) => `I${index}`);
    for (const originId of ids) await lose(journal, [originId], 'run1');
    expect(await other.unresolved('order-item', 'run1')).toEqual(ids);
    expect(await journal.resolve('order-item', 'run1', 'sent', ids.slice(0, 60))).toBe(60);
    expect(await other.unresolved('order-item', 'run1')).toEqual(ids.slice(60));
    expect(await other.resolve('order-item', 'run1', 'not-sent')).toBe(50);
    expect((await journal.known('order-item', ids)).size).toBe(60);
  });
}
