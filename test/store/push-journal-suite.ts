import { describe, expect, test } from 'vitest';
import type { JournalEntry, PushJournal } from '../../src/store/push-journal.ts';

/** What a journal is tested with: each call opens the same records anew, as a process after a crash would. */
export type OpenJournal = () => Promise<PushJournal>;

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

const entry = (originId: string, contentHash = `hash of ${originId.slice(0, 20)}`): JournalEntry => ({
  originId,
  contentHash,
});

/** The contract of `PushJournal`; `place` gives a fresh one for each test. */
export function describePushJournal(name: string, place: () => OpenJournal): void {
  describe(name, () => {
    promiseKnowledge(place);
    promiseEnds(place);
    promiseRecovery(place);
  });
}

function promiseKnowledge(place: () => OpenJournal): void {
  test('knows nothing of records that were never sent', async () => {
    const journal = await place()();
    expect(journal.known('order-item', ['A', 'B'])).toEqual(new Map());
    expect(journal.known('order-item', [])).toEqual(new Map());
  });

  test('a record is not known while its request is under way', async () => {
    const journal = await place()();
    await journal.begin('order-item', [entry('A')]);
    expect(journal.known('order-item', ['A'])).toEqual(new Map());
  });

  test('an accepted record is known with its content and its job', async () => {
    const journal = await place()();
    const request = await journal.begin('order-item', [entry('A', 'h1')]);
    await journal.end('order-item', request, { accepted: [{ ...entry('A', 'h1'), jobId: 'J1' }] });
    expect(journal.known('order-item', ['A', 'B'])).toEqual(
      new Map([['A', { fate: 'accepted', contentHash: 'h1', jobId: 'J1' }]]),
    );
  });

  test('a record accepted without a job has none', async () => {
    const journal = await place()();
    await journal.end('category', await journal.begin('category', [entry('A', 'h1')]), {
      accepted: [entry('A', 'h1')],
    });
    expect(journal.known('category', ['A']).get('A')).toEqual({
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
      accepted: [{ ...entry('A'), jobId: 'J' }],
      unknown: [entry('B')],
    });
    const known = journal.known('order-item', ['A', 'B', 'C']);
    expect([...known].map(([originId, { fate }]) => [originId, fate])).toEqual([
      ['A', 'accepted'],
      ['B', 'unknown'],
    ]);
    expect(journal.recover('order-item')).toBe(0);
  });

  test('what is known comes in the order it was asked for', async () => {
    const journal = await place()();
    const entries = ['C', 'A', 'B'].map((originId) => entry(originId));
    await journal.end('order-item', await journal.begin('order-item', entries), { unknown: entries });
    expect([...journal.known('order-item', ['B', 'X', 'C', 'A']).keys()]).toEqual(['B', 'C', 'A']);
  });

  test('the latest fate of a record counts', async () => {
    const journal = await place()();
    await journal.end('order-item', await journal.begin('order-item', [entry('A', 'old')]), {
      unknown: [entry('A', 'old')],
    });
    await journal.end('order-item', await journal.begin('order-item', [entry('A', 'new')]), {
      accepted: [{ ...entry('A', 'new'), jobId: 'J' }],
    });
    expect(journal.known('order-item', ['A']).get('A')).toEqual({
      fate: 'accepted',
      contentHash: 'new',
      jobId: 'J',
    });
  });

  test('records of two kinds do not meet', async () => {
    const journal = await place()();
    const request = await journal.begin('order-item', [entry('A')]);
    await journal.begin('category', [entry('A')]);
    await journal.end('order-item', request, { accepted: [{ ...entry('A'), jobId: 'J' }] });
    expect(journal.known('category', ['A'])).toEqual(new Map());
    expect(journal.recover('order-item')).toBe(0);
    expect(journal.recover('category')).toBe(1);
    expect(journal.known('category', ['A']).get('A')?.fate).toBe('unknown');
    expect(journal.known('order-item', ['A']).get('A')?.fate).toBe('accepted');
  });
}

function promiseRecovery(place: () => OpenJournal): void {
  test('after a crash the records of requests under way are unknown, and those of ended ones as they were', async () => {
    const open = place();
    const journal = await open();
    await journal.end('order-item', await journal.begin('order-item', [entry('A')]), {
      accepted: [{ ...entry('A'), jobId: 'J' }],
    });
    await journal.end('order-item', await journal.begin('order-item', [entry('B')]), {});
    await journal.begin('order-item', [entry('C'), entry('D', 'h4')]);
    await journal.begin('order-item', [entry('E')]);
    journal.close();

    const later = await open();
    expect(later.recover('order-item')).toBe(3);
    const known = later.known('order-item', ['A', 'B', 'C', 'D', 'E']);
    expect([...known].map(([originId, { fate }]) => `${originId} ${fate}`)).toEqual([
      'A accepted',
      'C unknown',
      'D unknown',
      'E unknown',
    ]);
    expect(known.get('D')).toEqual({ fate: 'unknown', contentHash: 'h4', jobId: undefined });
    expect(later.recover('order-item')).toBe(0);
  });

  test('an end that fails changes nothing and leaves the request under way', async () => {
    const journal = await place()();
    const request = await journal.begin('order-item', [entry('A'), entry('B')]);
    const broken = { originId: 'B', contentHash: null as unknown as string };
    await expect(
      journal.end('order-item', request, { accepted: [entry('A')], unknown: [broken] }),
    ).rejects.toThrow();
    expect(journal.known('order-item', ['A', 'B'])).toEqual(new Map());
    expect(journal.recover('order-item')).toBe(2);
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
    journal.close();
    const known = (await open()).known('order-item', oddIds);
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
    journal.close();
    const later = await open();
    expect(later.recover('order-item')).toBe(20_000);
    expect(
      later.known(
        'order-item',
        entries.map(({ originId }) => originId),
      ).size,
    ).toBe(20_000);
  });
}
