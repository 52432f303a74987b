import { describe, expect, test } from 'vitest';
import type { RunJournal } from '../../src/store/journal/push-journal.ts';
import { type NotedOutcome, type PushRunStart, runsKept } from '../../src/store/runs/run-log.ts';
import { all } from './all-pages.ts';

/** Each call reopens the same records. */
export type OpenRunJournal = () => Promise<RunJournal>;

const startedMs = Date.UTC(2026, 10, 20, 9);

const start: PushRunStart = {
  kind: 'orders',
  command: ['orders', 'push', 'a b.csv', '--map', 'originId={주문번호}-{n}'],
  folder: '/exports',
  files: ['a b.csv'],
  startedMs,
};

const end = { endedMs: startedMs + 1500, exitCode: 6, tally: { queued: 2, rejected: 1 }, isWhole: true };

function rejected(line: number): NotedOutcome {
  return { file: 'a b.csv', line, originId: `I-${line}`, outcome: 'rejected', error: 'no such product' };
}

/** The contract of `RunLog`; `place` makes a new one for each test. */
export function describeRunLog(name: string, place: () => OpenRunJournal): void {
  describe(name, () => {
    promiseImports(place);

    test('a run is on record as it began, and once it ended with what came of it', async () => {
      const open = place();
      const journal = await open();
      const input = { digest: 'd1', reading: 'r1', records: 80 };
      const part = { ...start, shard: { index: 3, count: 8 }, batch: 'november', input };
      const id = await journal.runs.begin(part);
      expect(await journal.runs.list()).toEqual([{ id, ...part, end: undefined }]);
      await journal.runs.end(id, end);
      await journal.close();
      expect(await (await open()).runs.list()).toEqual([{ id, ...part, end }]);
    });

    test('the timeline of a run is on record with its end, read by itself, and goes with the run', async () => {
      const open = place();
      const journal = await open();
      const [one, other] = [await journal.runs.begin(start), await journal.runs.begin(start)];
      const interval = { outcomes: { queued: 2 }, latencies: { 35: 1 } };
      const timeline = { intervalMs: 1000, intervals: [interval, null] };
      await journal.runs.note(one, [rejected(2)]);
      await journal.runs.end(one, end, timeline);
      await journal.runs.end(other, end);
      await journal.close();
      const { runs } = await open();
      expect(await runs.timeline(one)).toEqual(timeline);
      expect(await runs.timeline(other)).toBeUndefined();
      expect(await all(runs.noted(one))).toEqual([rejected(2)]);
      await runs.remove([one]);
      expect(await runs.timeline(one)).toBeUndefined();
    });

    test('ids are in the order in which runs began, also within one second and when the clock is set back', async () => {
      const { runs } = await place()();
      const ids: string[] = [];
      for (const offsetMs of [0, 0, 10, -3_600_000, 60_000]) {
        ids.push(await runs.begin({ ...start, startedMs: startedMs + offsetMs }));
      }
      expect(new Set(ids).size).toBe(5);
      expect(ids.toSorted()).toEqual(ids);
      expect(ids.every((id) => /^[0-9a-z]{6}-\d+-[0-9a-z]{4}$/.test(id))).toBe(true);
      expect((await runs.list()).map(({ id }) => id)).toEqual(ids.toReversed());
    });

    test('what was noted of a run is told in its order, whatever its number', async () => {
      const { runs } = await place()();
      const [one, other] = [await runs.begin(start), await runs.begin(start)];
      const noted = Array.from({ length: 1201 }, (_, index) => rejected(index + 2));
      await runs.note(one, noted.slice(0, 700));
      await runs.note(other, [rejected(1)]);
      await runs.note(one, noted.slice(700));
      expect(await all(runs.noted(one))).toEqual(noted);
      expect(await all(runs.noted(other))).toEqual([rejected(1)]);
    });

    test('an outcome without an error is told without one', async () => {
      const { runs } = await place()();
      const id = await runs.begin(start);
      const { error: _, ...bare } = rejected(2);
      await runs.note(id, [bare]);
      expect(await all(runs.noted(id))).toEqual([bare]);
    });

    test('the oldest runs go, with what was noted of them, and what they did to records stays', async () => {
      const journal = await place()();
      const first = await journal.runs.begin(start);
      await journal.runs.note(first, [rejected(2)]);
      const entry = { originId: 'I-1', contentHash: 'h' };
      await journal.end(await journal.begin('order-item', [entry], first), {
        accepted: [{ entry }],
      });
      await Promise.all(Array.from({ length: runsKept }, () => journal.runs.begin(start)));
      expect(await journal.runs.list()).toHaveLength(runsKept);
      expect((await journal.runs.list()).map(({ id }) => id)).not.toContain(first);
      expect(await all(journal.runs.noted(first))).toEqual([]);
      expect((await journal.known('order-item', ['I-1'])).get('I-1')?.fate).toBe('accepted');
    });
  });
}

function promiseImports(place: () => OpenRunJournal): void {
  test('the records of a run of an import are kept as they came, page by page, and go with the run', async () => {
    const open = place();
    const journal = await open();
    const [one, other] = [await journal.runs.begin(start), await journal.runs.begin(start)];
    const pages = [
      [
        { file: 'a b.csv', line: 2, originId: 'I-1' },
        { file: 'a b.csv', line: 900_000, originId: '품목\0"2"' },
        { file: 'b.csv', line: 2, originId: '', outcome: 'rejected' },
      ],
      [{ file: 'a b.csv', line: 2, originId: 'I-1', outcome: 'queued' }],
    ];
    for (const page of pages) await journal.runs.keep(one, page);
    await journal.close();
    const { runs } = await open();
    expect(await all(runs.kept(one))).toEqual(pages.flat());
    expect(await all(runs.kept(other))).toEqual([]);
    await runs.remove([one]);
    expect(await all(runs.kept(one))).toEqual([]);
  });
}
