import { describe, expect, test } from 'vitest';
import { textHash } from '../../src/base/text-hash.ts';
import type { JournalEntry, PushJournal, RunJournal } from '../../src/store/journal/push-journal.ts';
import { all } from './all-pages.ts';

/** What a journal is tested with: each call opens the same records anew, as a process after a crash would. */
export type OpenJournal = () => Promise<RunJournal>;

/** Ids that a store may confuse, cut off or lose. */
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

/** The contract of `PushJournal`; `place` gives a fresh one for each test. */
export function describePushJournal(name: string, place: () => OpenJournal): void {
  describe(name, () => {
    promiseKnowledge(place);
    promiseEnds(place);
    promiseRepeated(place);
    promiseKnownBefore(place);
    promiseOneTruth(place);
    promiseRecovery(place);
    promiseOrderOfWriters(place);
    promiseShards(place);
    promiseOrders(place);
    promiseItemsOfOrders(place);
    promiseJobs(place);
    promiseUnclearJobs(place);
    promiseFindings(place);
    promiseUnresolved(place);
  });
}

function promiseKnowledge(place: () => OpenJournal): void {
  test('knows nothing of records that were never sent', async () => {
    const journal = await place()();
    expect(await journal.known('order-item', ['A', 'B'])).toEqual(new Map());
    expect(await journal.known('order-item', [])).toEqual(new Map());
  });

  test('a record is not known while its request is under way', async () => {
    const journal = await place()();
    await journal.begin('order-item', [entry('A')]);
    expect(await journal.known('order-item', ['A'])).toEqual(new Map());
  });

  test('an accepted record is known with its content and its job', async () => {
    const journal = await place()();
    const request = await journal.begin('order-item', [entry('A', 'h1')]);
    await journal.end('order-item', request, { accepted: [{ entry: entry('A', 'h1'), jobId: 'J1' }] });
    expect(await journal.known('order-item', ['A', 'B'])).toEqual(
      new Map([['A', { fate: 'accepted', contentHash: 'h1', jobId: 'J1' }]]),
    );
  });

  test('a record accepted without a job has none', async () => {
    const journal = await place()();
    await journal.end('category', await journal.begin('category', [entry('A', 'h1')]), {
      accepted: [{ entry: entry('A', 'h1') }],
    });
    expect((await journal.known('category', ['A'])).get('A')).toEqual({
      fate: 'accepted',
      contentHash: 'h1',
      jobId: undefined,
    });
  });
}

function promiseEnds(place: () => OpenJournal): void {
  test('one request may end in every way at once; what it does not name had no effect', async () => {
    const journal = await place()();
    const request = await journal.begin('order-item', [entry('A'), entry('B'), entry('C')]);
    await journal.end('order-item', request, {
      accepted: [{ entry: entry('A'), jobId: 'J' }],
      unknown: [entry('B')],
    });
    const known = await journal.known('order-item', ['A', 'B', 'C']);
    expect([...known].map(([originId, { fate }]) => [originId, fate])).toEqual([
      ['A', 'accepted'],
      ['B', 'unknown'],
    ]);
    expect(await journal.recover('order-item')).toBe(0);
  });

  test('where all were taken, jobs alone end a request, each that of the entry at its place; of an id that comes twice, the last', async () => {
    const journal = await place()();
    const entries = [entry('A'), entry('B'), entry('A', 'later')];
    const request = await journal.begin('order-item', entries);
    await expect(journal.end('order-item', request, { jobIds: ['J1'] })).rejects.toThrow('3 entries');
    await journal.end('order-item', request, { jobIds: ['J1', 'J2', 'J3'] });
    const known = await journal.known('order-item', ['A', 'B']);
    expect([...known].map(([originId, { contentHash, jobId }]) => [originId, contentHash, jobId])).toEqual([
      ['A', 'later', 'J3'],
      ['B', textHash('B'), 'J2'],
    ]);
    expect(await journal.recover('order-item')).toBe(0);
  });

  test('what is known comes in the order it was asked for', async () => {
    const journal = await place()();
    const entries = ['C', 'A', 'B'].map((originId) => entry(originId));
    await journal.end('order-item', await journal.begin('order-item', entries), { unknown: entries });
    expect([...(await journal.known('order-item', ['B', 'X', 'C', 'A'])).keys()]).toEqual(['B', 'C', 'A']);
  });

  test('the latest fate of a record counts', async () => {
    const journal = await place()();
    await journal.end('order-item', await journal.begin('order-item', [entry('A', 'old')]), {
      unknown: [entry('A', 'old')],
    });
    await journal.end('order-item', await journal.begin('order-item', [entry('A', 'new')]), {
      accepted: [{ entry: entry('A', 'new'), jobId: 'J' }],
    });
    expect((await journal.known('order-item', ['A'])).get('A')).toEqual({
      fate: 'accepted',
      contentHash: 'new',
      jobId: 'J',
    });
  });

  test('records of two kinds do not meet', async () => {
    const journal = await place()();
    const request = await journal.begin('order-item', [entry('A')]);
    await journal.begin('category', [entry('A')]);
    await journal.end('order-item', request, { accepted: [{ entry: entry('A'), jobId: 'J' }] });
    expect(await journal.known('category', ['A'])).toEqual(new Map());
    expect(await journal.recover('order-item')).toBe(0);
    expect(await journal.recover('category')).toBe(1);
    expect((await journal.known('category', ['A'])).get('A')?.fate).toBe('unknown');
    expect((await journal.known('order-item', ['A'])).get('A')?.fate).toBe('accepted');
  });
}

function promiseRepeated(place: () => OpenJournal): void {
  test('of an id that comes twice in a request, the last entry is listed, and another kind beside it', async () => {
    const journal = await place()();
    const run = 'R';
    const entries = [entry('A'), { ...entry('A'), kind: 'order' as const }, entry('B'), entry('A', 'later')];
    const request = await journal.begin('order-item', entries, run);
    await journal.end('order-item', request, { jobIds: ['J1', 'J2', 'J3', 'J4'] });
    const jobs = await all(journal.jobs('pending', 'order-item'));
    expect(jobs.map(({ originId, jobId }) => [originId, jobId])).toEqual([
      ['B', 'J3'],
      ['A', 'J4'],
    ]);
    const later = await journal.begin('order-item', [entry('C'), entry('C', 'later')], run);
    await journal.end('order-item', later, { unknown: [entry('C'), entry('C', 'later')] });
    expect(await journal.unresolved('order-item', run)).toEqual(['C']);
    expect(await journal.resolve('order-item', run, 'sent')).toBe(1);
    expect((await journal.known('order-item', ['C'])).get('C')?.contentHash).toBe('later');
  });
}

function promiseKnownBefore(place: () => OpenJournal): void {
  test('what is known before comes from all that was on record then, however often it is asked', async () => {
    const journal = await place()();
    const send = async (entries: readonly JournalEntry[]) => {
      const jobIds = entries.map(({ contentHash }) => contentHash);
      await journal.end('order-item', await journal.begin('order-item', entries), { jobIds });
    };
    await send([entry('A'), entry('B')]);
    await send([entry('A', 'again')]);
    const knownBefore = await journal.knownBefore();
    await send([entry('C')]);
    const many = Array.from({ length: 1500 }, (_, at) => `other-${at}`);
    for (const more of [[], [], many, []]) {
      const known = await knownBefore('order-item', ['A', 'B', ...more]);
      expect([...known].map(([originId, { jobId }]) => [originId, jobId])).toEqual([
        ['A', 'again'],
        ['B', textHash('B')],
      ]);
    }
    const first = await (await journal.knownBefore())('order-item', [...many, 'C', 'A']);
    expect([...first.keys()]).toEqual(['C', 'A']);
  });
}

function promiseOneTruth(place: () => OpenJournal): void {
  test('what one process writes, the other sees at once, whatever it has in memory', async () => {
    const open = place();
    const [one, other] = [await open(), await open()];
    const send = async (journal: PushJournal, entries: readonly JournalEntry[]) => {
      const accepted = entries.map((each) => ({ entry: each, jobId: `job of ${each.originId}` }));
      await journal.end('order-item', await journal.begin('order-item', entries, 'R'), { accepted });
    };
    const ids = ['A', 'B', 'C'];
    const stateOf = async (originId: string) => {
      for (let time = 1; time <= 6; time += 1) await one.known('order-item', ids);
      const known = (await one.known('order-item', ids)).get(originId);
      return known && [known.fate, known.jobState];
    };
    await send(one, [entry('A')]);
    expect(await stateOf('A')).toEqual(['accepted', undefined]);
    const ofA = { originId: 'A', jobId: 'job of A' };
    await other.endJobs('order-item', [{ ...ofA, state: 'unknown' }]);
    expect(await stateOf('A')).toEqual(['unknown', undefined]);
    expect(await other.resolve('order-item', 'R', 'not-sent')).toBe(1);
    expect(await stateOf('A')).toBeUndefined();
    await send(other, [{ ...entry('B'), orderOriginId: 'O' }]);
    expect(await stateOf('B')).toEqual(['accepted', undefined]);
    for (let time = 1; time <= 6; time += 1) await one.itemsOf(['O']);
    await send(other, [{ ...entry('C'), orderOriginId: 'O' }]);
    expect([...((await one.itemsOf(['O'])).get('O') ?? [])].map(([id]) => id).toSorted()).toEqual(['B', 'C']);
    await other.endJobs('order-item', [{ originId: 'C', jobId: 'job of C', state: 'failed' }]);
    expect(await stateOf('C')).toEqual(['accepted', 'failed']);
  });
}

function promiseRecovery(place: () => OpenJournal): void {
  test('after a crash the records of requests under way are unknown, and those of ended ones as they were', async () => {
    const open = place();
    const journal = await open();
    await journal.end('order-item', await journal.begin('order-item', [entry('A')]), {
      accepted: [{ entry: entry('A'), jobId: 'J' }],
    });
    await journal.end('order-item', await journal.begin('order-item', [entry('B')]), {});
    await journal.begin('order-item', [entry('C'), entry('D', 'h4')]);
    await journal.begin('order-item', [entry('E')]);
    await journal.close();

    const later = await open();
    expect(await later.recover('order-item')).toBe(3);
    const known = await later.known('order-item', ['A', 'B', 'C', 'D', 'E']);
    expect([...known].map(([originId, { fate }]) => `${originId} ${fate}`)).toEqual([
      'A accepted',
      'C unknown',
      'D unknown',
      'E unknown',
    ]);
    expect(known.get('D')).toEqual({ fate: 'unknown', contentHash: 'h4', jobId: undefined });
    expect(await later.recover('order-item')).toBe(0);
  });

  test('an end that fails changes nothing and leaves the request under way', async () => {
    const journal = await place()();
    const request = await journal.begin('order-item', [entry('A'), entry('B')]);
    const broken = { originId: 'B', contentHash: null as unknown as string };
    await expect(
      journal.end('order-item', request, { accepted: [{ entry: entry('A') }], unknown: [broken] }),
    ).rejects.toThrow();
    expect(await journal.known('order-item', ['A', 'B'])).toEqual(new Map());
    expect(await journal.recover('order-item')).toBe(2);
  });

  test('ids are kept apart exactly as they are', async () => {
    const open = place();
    const journal = await open();
    for (const [index, originId] of oddIds.entries()) {
      const request = await journal.begin('order-item', [entry(originId)]);
      if (index % 2 === 0)
        await journal.end('order-item', request, { unknown: [entry(originId, `h${index}`)] });
      else await journal.end('order-item', request, {});
    }
    await journal.close();
    const known = await (await open()).known('order-item', oddIds);
    expect([...known].map(([originId, { contentHash }]) => [originId, contentHash])).toEqual(
      [...oddIds.entries()]
        .filter(([index]) => index % 2 === 0)
        .map(([index, originId]) => [originId, `h${index}`]),
    );
  });

  test('one request may hold 20,000 records', async () => {
    const open = place();
    const journal = await open();
    const entries = Array.from({ length: 20_000 }, (_, index) => entry(`I${index}`));
    await journal.begin('order-item', entries);
    await journal.close();
    const later = await open();
    expect(await later.recover('order-item')).toBe(20_000);
    expect(
      (
        await later.known(
          'order-item',
          entries.map(({ originId }) => originId),
        )
      ).size,
    ).toBe(20_000);
  });
}

function promiseOrderOfWriters(place: () => OpenJournal): void {
  test('a request is ended once, by the process that began it', async () => {
    const open = place();
    const [journal, other] = [await open(), await open()];
    const request = await journal.begin('order-item', [entry('A')]);
    const again = { unknown: [entry('A')] };
    const refusal = `request ${request} was not begun`;
    await expect(other.end('order-item', request, again)).rejects.toThrow(refusal);
    await journal.end('order-item', request, { accepted: [{ entry: entry('A'), jobId: 'J' }] });
    await expect(journal.end('order-item', request, again)).rejects.toThrow(refusal);
    expect((await other.known('order-item', ['A'])).get('A')).toMatchObject({ fate: 'accepted', jobId: 'J' });
  });

  test('processes that write in turn know what the other wrote last', async () => {
    const open = place();
    const [one, other] = [await open(), await open()];
    for (const [turn, journal] of [one, other, one, other, one].entries()) {
      const sent = entry('A', `h${turn}`);
      await journal.end('category', await journal.begin('category', [sent]), { accepted: [{ entry: sent }] });
    }
    for (const journal of [one, other]) {
      expect((await journal.known('category', ['A'])).get('A')?.contentHash).toBe('h4');
    }
  });

  test('an entry on which a request had no effect is known as before', async () => {
    const journal = await place()();
    await acceptAll(journal, ['A']);
    const request = await journal.begin('order-item', [entry('A', 'changed'), entry('B')]);
    await journal.end('order-item', request, { unknown: [entry('B')] });
    const known = await journal.known('order-item', ['A', 'B']);
    expect(known.get('A')).toMatchObject({ fate: 'accepted', contentHash: textHash('A'), jobId: 'J-A' });
    expect(known.get('B')?.fate).toBe('unknown');
  });
}

function promiseShards(place: () => OpenJournal): void {
  test('a shard ends the requests of runs that have ended, and leaves those of the other shards under way', async () => {
    const open = place();
    const [journal, other] = [await open(), await open()];
    await journal.begin('order-item', [entry('A')], 'ended');
    await journal.begin('order-item', [entry('B')]);
    const underWay = await other.begin('order-item', [entry('C')], 'running');
    for (let at = 0; at < 100; at += 1)
      await journal.end('order-item', await journal.begin('order-item', [entry(`D${at}`)], 'own'), {});
    const isEnded = (run: string | null) => run === null || run === 'ended';
    expect(await journal.recover('order-item', isEnded)).toBe(2);
    expect(await journal.recover('order-item', isEnded)).toBe(0);
    // Many later requests that have ended do not hide one that has not.
    for (let at = 0; at < 100; at += 1) {
      const request = await journal.begin('order-item', [entry(`E${at}`)], 'own');
      await journal.end('order-item', request, { accepted: [{ entry: entry(`E${at}`) }] });
    }
    await journal.close();

    const later = await open();
    expect([...(await later.known('order-item', ['A', 'B', 'C'])).keys()]).toEqual(['A', 'B']);
    expect(await later.recover('order-item')).toBe(1);
    await other.end('order-item', underWay, { accepted: [{ entry: entry('C') }] });
    expect((await later.known('order-item', ['C'])).get('C')?.fate).toBe('accepted');
  });
}

function promiseOrders(place: () => OpenJournal): void {
  test('an order is known by itself, beside the items that came with it', async () => {
    const journal = await place()();
    const order = { ...entry('O'), kind: 'order' } as const;
    const request = await journal.begin('order-item', [entry('O'), order]);
    await journal.end('order-item', request, {
      accepted: [{ entry: order, jobId: 'J' }],
      unknown: [entry('O')],
    });
    expect((await journal.known('order', ['O'])).get('O')).toMatchObject({ fate: 'accepted', jobId: 'J' });
    expect((await journal.known('order-item', ['O'])).get('O')).toMatchObject({
      fate: 'unknown',
      jobId: undefined,
    });
  });

  test('orders of a dead process are unknown with their items, and the items alone are counted', async () => {
    const open = place();
    const journal = await open();
    await journal.begin('order-item', [entry('A'), entry('B'), { ...entry('O'), kind: 'order' }]);
    await journal.close();
    const later = await open();
    expect(await later.recover('order-item')).toBe(2);
    expect((await later.known('order', ['O'])).get('O')?.fate).toBe('unknown');
    expect((await later.known('order-item', ['A', 'B', 'O'])).size).toBe(2);
  });
}

function promiseItemsOfOrders(place: () => OpenJournal): void {
  const item = (originId: string, orderOriginId: string, productOriginId?: string): JournalEntry => ({
    ...entry(originId),
    orderOriginId,
    ...(productOriginId === undefined ? {} : { productOriginId }),
  });

  test('the items of an order are those that were sent and may be there, with their products', async () => {
    const journal = await place()();
    const [made, lost, failed] = [item('A-1', 'A', 'P1'), item('A-2', 'A', 'P2'), item('A-3', 'A', 'P3')];
    const request = await journal.begin('order-item', [made, lost, failed, item('B-1', 'B')]);
    expect(await journal.itemsOf(['A', 'B'])).toEqual(new Map());
    await journal.end('order-item', request, {
      accepted: [
        { entry: made, jobId: 'J1' },
        { entry: failed, jobId: 'J3' },
        { entry: item('B-1', 'B'), jobId: 'J4' },
      ],
      unknown: [lost],
    });
    await journal.endJobs('order-item', [{ originId: 'A-3', jobId: 'J3', state: 'failed' }]);
    expect(await journal.itemsOf(['A', 'B', 'C'])).toEqual(
      new Map<string, ReadonlyMap<string, string | undefined>>([
        ['A', new Map(Object.entries({ 'A-1': 'P1', 'A-2': 'P2' }))],
        ['B', new Map([['B-1', undefined]])],
      ]),
    );
    expect(await journal.itemsOf([])).toEqual(new Map());
  });

  test('orders are kept apart exactly as they are', async () => {
    const journal = await place()();
    const stored = oddIds.filter((order) => order.isWellFormed() && !order.includes('\0'));
    const items = stored.map((order, index) => item(`I${index}`, order));
    const request = await journal.begin('order-item', items);
    await journal.end('order-item', request, { unknown: items });
    const found = await journal.itemsOf(stored);
    expect([...found].map(([order, ofOrder]) => [order, [...ofOrder.keys()]])).toEqual(
      expect.arrayContaining(stored.map((order, index) => [order, [`I${index}`]])),
    );
  });
}

/** Sends one request with these records, each with the job `J-<originId>`. */
async function acceptAll(journal: PushJournal, originIds: readonly string[], run?: string): Promise<void> {
  const entries = originIds.map((originId) => entry(originId));
  const request = await journal.begin('order-item', entries, run);
  await journal.end('order-item', request, {
    accepted: entries.map((one) => ({ entry: one, jobId: `J-${one.originId}` })),
  });
}

function promiseJobs(place: () => OpenJournal): void {
  test('how jobs ended is known, with what they made or why they failed', async () => {
    const open = place();
    const journal = await open();
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
    expect((await all(later.jobs('failed'))).map(({ jobId }) => jobId)).toEqual(['J-B']);
  });

  test('the end of a job that is no longer that of the record changes nothing', async () => {
    const journal = await place()();
    await acceptAll(journal, ['A']);
    await journal.endJobs('order-item', [
      { originId: 'A', jobId: 'an older one', state: 'failed', failureReason: 'no' },
    ]);
    expect((await all(journal.jobs('pending'))).map(({ jobId }) => jobId)).toEqual(['J-A']);
  });

  test('a record sent again is pending again', async () => {
    const journal = await place()();
    await acceptAll(journal, ['A']);
    await journal.endJobs('order-item', [{ originId: 'A', jobId: 'J-A', state: 'failed' }]);
    await acceptAll(journal, ['A']);
    expect(await all(journal.jobs('failed'))).toEqual([]);
    expect(await all(journal.jobs('pending'))).toHaveLength(1);
  });

  test('all jobs are told, whatever their number, also while their ends are written', async () => {
    const journal = await place()();
    const originIds = Array.from({ length: 1201 }, (_, index) => `I${index}`);
    await acceptAll(journal, originIds);
    const told: string[] = [];
    for await (const page of journal.jobs('pending')) {
      told.push(...page.map(({ originId }) => originId));
      await journal.endJobs(
        'order-item',
        page.map(({ originId, jobId }) => ({ originId, jobId, state: 'succeeded' })),
      );
    }
    expect(told.toSorted()).toEqual(originIds.toSorted());
    expect(await all(journal.jobs('pending'))).toEqual([]);
  });

  test('what was made at once has no job', async () => {
    const journal = await place()();
    const request = await journal.begin('category', [entry('C')]);
    await journal.end('category', request, { accepted: [{ entry: entry('C'), objectId: '5' }] });
    expect((await journal.known('category', ['C'])).get('C')?.objectId).toBe('5');
    expect(await all(journal.jobs())).toEqual([]);
  });
}

function promiseUnclearJobs(place: () => OpenJournal): void {
  test('a job that does not show what it made leaves its record unknown until its end or a person decides', async () => {
    const journal = await place()();
    await acceptAll(journal, ['A', 'B', 'C'], 'run1');
    const endAs = (state: 'unknown' | 'succeeded' | 'failed', ...originIds: readonly string[]) =>
      journal.endJobs(
        'order-item',
        originIds.map((originId) => ({ originId, jobId: `J-${originId}`, state })),
      );
    await endAs('unknown', 'A', 'B', 'C');
    expect((await journal.known('order-item', ['A'])).get('A')).toMatchObject({
      fate: 'unknown',
      jobId: 'J-A',
    });
    expect((await all(journal.jobs('unknown'))).map(({ originId }) => originId)).toEqual(['A', 'B', 'C']);
    await endAs('succeeded', 'A');
    await endAs('failed', 'B');
    expect(await journal.resolve('order-item', 'run1', 'sent')).toBe(1);
    const known = await journal.known('order-item', ['A', 'B', 'C']);
    expect([...known.values()].map(({ fate, jobState }) => `${fate} ${jobState}`)).toEqual([
      'accepted succeeded',
      'accepted failed',
      'accepted succeeded',
    ]);
    expect(await all(journal.jobs('unknown'))).toEqual([]);
  });

  test('an order is not listed beside its items, whose job is its own', async () => {
    const journal = await place()();
    const order = { ...entry('O'), kind: 'order' as const };
    const request = await journal.begin('order-item', [entry('A'), order]);
    const accepted = [entry('A'), order].map((one) => ({ entry: one, jobId: 'J' }));
    await journal.end('order-item', request, { accepted });
    expect((await all(journal.jobs())).map(({ originId }) => originId)).toEqual(['A']);
  });
}

async function loseAll(journal: PushJournal, originIds: readonly string[], run: string): Promise<void> {
  const unknown = originIds.map((originId) => entry(originId));
  await journal.end('order-item', await journal.begin('order-item', unknown, run), { unknown });
}

function promiseFindings(place: () => OpenJournal): void {
  test('unknown records found at the service are accepted, others forgotten, and no other run is touched', async () => {
    const journal = await place()();
    await loseAll(journal, ['A', 'B'], 'run1');
    await loseAll(journal, ['C'], 'run2');
    await acceptAll(journal, ['D'], 'run1');
    expect(await journal.resolve('order-item', 'run1', 'sent', ['A', 'C', 'D', 'X'])).toBe(1);
    expect(await journal.resolve('order-item', 'run1', 'not-sent')).toBe(1);
    const known = await journal.known('order-item', ['A', 'B', 'C', 'D']);
    expect([...known].map(([originId, { fate }]) => `${originId} ${fate}`)).toEqual([
      'A accepted',
      'C unknown',
      'D accepted',
    ]);
    expect(await journal.resolve('order-item', 'run1', 'sent')).toBe(0);
  });

  test('the order of unknown items is settled with them', async () => {
    const journal = await place()();
    const unknown = [entry('A'), { ...entry('O'), kind: 'order' } as const];
    await journal.end('order-item', await journal.begin('order-item', unknown, 'run1'), { unknown });
    expect(await journal.resolve('order-item', 'run1', 'not-sent')).toBe(1);
    expect(await journal.known('order', ['O'])).toEqual(new Map());
  });

  test('the order of items that another run left unknown is settled with them by the run that met them', async () => {
    const journal = await place()();
    const items = [{ ...entry('A'), orderOriginId: 'O' }];
    const unknown = [...items, { ...entry('O'), kind: 'order' } as const];
    await journal.end('order-item', await journal.begin('order-item', unknown, 'run1'), { unknown });
    await journal.runs.note('run2', [{ file: 'f', line: 2, originId: 'A', outcome: 'unknown' }]);
    expect(await journal.resolve('order-item', 'run2', 'not-sent')).toBe(1);
    expect(await journal.known('order', ['O'])).toEqual(new Map());
  });

  test('an order is settled with the last of its items, not before', async () => {
    const journal = await place()();
    const items = ['A', 'B'].map((originId) => ({ ...entry(originId), orderOriginId: 'O' }));
    const unknown = [...items, { ...entry('O'), kind: 'order' } as const];
    await journal.end('order-item', await journal.begin('order-item', unknown, 'run1'), { unknown });
    expect(await journal.resolve('order-item', 'run1', 'not-sent', ['A'])).toBe(1);
    expect((await journal.known('order', ['O'])).get('O')?.fate).toBe('unknown');
    expect(await journal.resolve('order-item', 'run1', 'not-sent', ['B'])).toBe(1);
    expect(await journal.known('order', ['O'])).toEqual(new Map());
  });
}

function promiseUnresolved(place: () => OpenJournal): void {
  test('what a run left or met unknown is told in the order in which it was sent, orders not beside their items', async () => {
    const open = place();
    const journal = await open();
    const order = { ...entry('O'), kind: 'order' } as const;
    const unknown = [entry('C'), { ...entry('A'), orderOriginId: 'O' }, order];
    await journal.end('order-item', await journal.begin('order-item', unknown, 'run1'), { unknown });
    await loseAll(journal, ['B'], 'run1');
    await loseAll(journal, ['D', 'E'], 'run2');
    await acceptAll(journal, ['F'], 'run1');
    await journal.end('category', await journal.begin('category', [entry('G')], 'run1'), {
      unknown: [entry('G')],
    });
    await journal.runs.note('run1', [{ file: 'f', line: 2, originId: 'E', outcome: 'unknown' }]);
    await journal.close();
    const later = await open();
    expect(await later.unresolved('order-item', 'run1')).toEqual(['C', 'A', 'B', 'E']);
    expect(await later.unresolved('order-item', 'run1', ['E', 'D', 'B'])).toEqual(['B', 'E']);
    expect(await later.unresolved('order', 'run1')).toEqual(['O']);
    expect(await later.unresolved('order-item', 'run3')).toEqual([]);
  });

  test('unknown records are told and settled whatever the number of their requests, and what another process settled is not', async () => {
    const open = place();
    const [journal, other] = [await open(), await open()];
    const ids = Array.from({ length: 110 }, (_, index) => `I${index}`);
    for (const originId of ids) await loseAll(journal, [originId], 'run1');
    expect(await other.unresolved('order-item', 'run1')).toEqual(ids);
    expect(await journal.resolve('order-item', 'run1', 'sent', ids.slice(0, 60))).toBe(60);
    expect(await other.unresolved('order-item', 'run1')).toEqual(ids.slice(60));
    expect(await other.resolve('order-item', 'run1', 'not-sent')).toBe(50);
    expect((await journal.known('order-item', ids)).size).toBe(60);
  });
}
