import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { ChangeReading, type Checkpoint, type ReadPage } from '../../src/store/checkpoints/checkpoint.ts';
import { startMs } from './changing-service.ts';

const at = (seconds: number) => new Date(startMs + seconds * 1000).toISOString();
const record = (id: string, updatedAt: unknown = at(0)) => ({ id, updatedAt }) as JsonObject;
const page = (
  ids: readonly string[],
  totalCount: number | null | undefined,
  serviceMs?: number,
): ReadPage => ({
  sent: ids.map((id) => record(id)),
  totalCount,
  serviceMs,
});

/** Reads a list with these pages in each pass; returns the requests and the records read. */
async function passesOver(pages: readonly ReadPage[], checkpoint?: Checkpoint, ownMs = startMs) {
  const reading = new ChangeReading(checkpoint, { ownMs, timeOf: ({ updatedAt }) => updatedAt });
  const asked: (number | undefined)[] = [];
  const given: unknown[] = [];
  const read = async function* (sinceMs: number | undefined) {
    asked.push(sinceMs);
    yield* pages;
  };
  for await (const records of reading.read(read)) given.push(...records.map(({ id }) => id));
  return { asked, given, reading, next: reading.next() };
}

describe('a list', () => {
  it.each([
    ['of no page', []],
    ['of one page, whatever its total', [page(['a'], 7)]],
    ['whose pages show one total, and as many records', [page(['a', 'b'], 3), page(['c'], 3)]],
    ['whose pages show no total', [page(['a'], null), page(['b'], null)]],
    ['of three pages', [page(['a'], 3), page(['b'], 3), page(['c'], 3)]],
  ])('%s is read once', async (_, pages) => {
    const { asked, reading } = await passesOver(pages);
    expect({ passes: asked.length, isComplete: reading.isComplete }).toEqual({ passes: 1, isComplete: true });
  });

  it.each([
    ['whose total changes', [page(['a'], 2), page(['b'], 3)]],
    ['that has fewer records than its total', [page(['a'], 3), page(['b'], 3)]],
    ['that has more records than its total', [page(['a', 'b'], 2), page(['c'], 2)]],
    ['that shows a record twice', [page(['a', 'b'], 3), page(['b'], 3)]],
    ['that stops to show a total', [page(['a'], 2), page(['b'], null)]],
  ])('%s is read three times, and is not complete', async (_, pages) => {
    const { asked, given, reading } = await passesOver(pages);
    expect({ passes: asked.length, isComplete: reading.isComplete }).toEqual({
      passes: 3,
      isComplete: false,
    });
    expect(new Set(given).size).toBe(given.length);
  });

  test('has given something once a record was taken', async () => {
    expect((await passesOver([page([], 0)])).reading.hasGiven).toBe(false);
    expect((await passesOver([page(['a'], 1)])).reading.hasGiven).toBe(true);
  });

  it.each([
    ['was read whole', page(['a', 'b'], 2, startMs)],
    ['changed while it was read', page(['a', 'b'], 3, startMs)],
  ])('gives no record again that the checkpoint knows, where it %s', async (_, before) => {
    const { next } = await passesOver([before, page([], 2, startMs)]);
    expect((await passesOver([page(['a', 'b', 'c'], 3, startMs)], next)).given).toEqual(['c']);
  });
});

describe('the next checkpoint of a list', () => {
  test('is a minute before its newest record, or before the clock of the service', async () => {
    const newest = { ...page([], 2, startMs + 900_000), sent: [record('a', at(500)), record('b', at(300))] };
    expect((await passesOver([newest])).next.sinceMs).toBe(startMs + 440_000);
    const ahead = { ...page([], 1, startMs + 480_000), sent: [record('a', at(500))] };
    expect((await passesOver([ahead])).next.sinceMs).toBe(startMs + 420_000);
  });

  it.each([
    [-700, -760],
    [-595, -660],
    [-540, -660],
    [-539, undefined],
  ])(
    'goes by our clock less ten minutes where the service tells none: of a record at %i s, %s',
    async (time, since) => {
      const { next, reading } = await passesOver([{ ...page([], 1), sent: [record('a', at(time))] }]);
      expect(next.sinceMs).toBe(since === undefined ? undefined : startMs + 1000 * since);
      expect(reading.future.count).toBe(since === undefined ? 1 : 0);
    },
  );

  it.each(['soon', 5, null, {}])('is none of a record whose time is %j, which is given', async (time) => {
    const { next, given, reading } = await passesOver([
      { ...page([], 1, startMs), sent: [record('a', time)] },
    ]);
    expect({ given, sinceMs: next.sinceMs, seen: next.seen.size }).toEqual({
      given: ['a'],
      sinceMs: undefined,
      seen: 0,
    });
    expect(reading.future.count).toBe(0);
  });

  test('has the clocks of a whole reading, and keeps those before of any other', async () => {
    const clocks = { serviceMs: startMs - 5, ownMs: startMs - 7 };
    const before = { sinceMs: startMs - 9, seen: new Map(), clocks };
    const whole = await passesOver([page(['a'], 1, startMs)], before, startMs + 3);
    expect(whole.next.clocks).toEqual({ serviceMs: startMs, ownMs: startMs + 3 });
    const torn = await passesOver([page(['a'], 2, startMs), page(['b'], 3, startMs)], before, startMs + 3);
    expect({ clocks: torn.next.clocks, sinceMs: torn.next.sinceMs }).toEqual({
      clocks,
      sinceMs: startMs - 9,
    });
    expect((await passesOver([page(['a'], 1)], before)).next.clocks).toBeUndefined();
  });

  test('forgets what lies more than two hours before it', async () => {
    const seen = new Map([
      ['old', startMs - 7_200_001],
      ['kept', startMs - 7_200_000],
    ]);
    const before = { sinceMs: startMs, seen, clocks: { serviceMs: startMs, ownMs: startMs } };
    const { next } = await passesOver([page([], 0, startMs)], before);
    expect([...next.seen.keys()]).toEqual(['kept']);
  });
});

describe('a clock of the service that was set back', () => {
  const before = { sinceMs: startMs, seen: new Map(), clocks: { serviceMs: startMs, ownMs: startMs } };
  it.each([
    ['by a minute is none', 60_000, [startMs]],
    ['by more lets the list begin so much earlier, and a minute', 60_001, [startMs, startMs - 120_001]],
  ])('%s', async (_, setBackMs, asked) => {
    const { asked: since } = await passesOver(
      [page([], 0, startMs + 600_000 - setBackMs)],
      before,
      startMs + 600_000,
    );
    expect(since).toEqual(asked);
  });

  test('is noticed only where both clocks are known', async () => {
    const pages = [page([], 0, startMs - 3_600_000)];
    expect((await passesOver(pages, { ...before, clocks: undefined })).asked).toEqual([startMs]);
    expect((await passesOver(pages, { ...before, sinceMs: undefined })).asked).toEqual([undefined]);
  });
});
