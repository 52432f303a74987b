import { describe, expect, test } from 'vitest';
import type { TimeWindow } from '../../src/client/time-windows.ts';
import type { TimedPage } from '../../src/client/timed-pages.ts';
import { readInWindows } from '../../src/client/window-reading.ts';

const dayMs = 24 * 60 * 60 * 1000;
const known = { fromMs: 0, toMs: 1000 * dayMs };

/** The windows of a list in the order in which they are yielded; `totalOf` is the total of each. */
async function windowsOf(
  {
    lanes,
    total,
    isLatestFirst = false,
  }: { lanes: number; total: number | undefined; isLatestFirst?: boolean },
  totalOf: (window: TimeWindow) => number | null | undefined = () => 0,
): Promise<readonly TimeWindow[]> {
  const pagesOf = async function* (window: TimeWindow): AsyncGenerator<TimedPage> {
    const totalCount = totalOf(window);
    const page = { records: [], sent: [], totalCount, serviceMs: undefined };
    yield { page, records: [{ id: window, timeMs: window.fromMs }] };
  };
  const windows: TimeWindow[] = [];
  for await (const { records } of readInWindows({ lanes, isLatestFirst, known, pagesOf }, total)) {
    windows.push(...records.map(({ id }) => id as TimeWindow));
  }
  return windows;
}

describe('a window', () => {
  /** A list of 1,000 records, read in four windows of 250 expected records. */
  const list = { lanes: 1, total: 1000 };
  /** Reports `total` for window `number` of the four, and 100 for every other window and for parts. */
  const tellingOf = (number: number, total: number) => (window: TimeWindow) => {
    const fromMs = Math.max(window.fromMs, known.fromMs);
    const isWhole = Math.min(window.toMs, known.toMs) - fromMs === 250 * dayMs;
    return isWhole && fromMs === number * 250 * dayMs ? total : 100;
  };

  test.each([
    ['with twice the records that it should have is read as it is', 500, 4],
    ['with more is replaced by as many as it takes', 501, 6],
    ['with four times as many, by four', 1000, 7],
  ])('%s', async (_, total, count) => {
    expect(await windowsOf(list, tellingOf(3, total))).toHaveLength(count);
  });

  test.each([null, undefined])(
    'that tells %s as its total keeps none behind it from being replaced',
    async (none) => {
      const others = tellingOf(1, 501);
      const totalOf = (window: TimeWindow) => (window.fromMs < 0 ? none : others(window));
      expect(await windowsOf(list, totalOf)).toHaveLength(6);
    },
  );

  test('is not replaced by ever smaller ones where each tells the total of the whole list', async () => {
    expect((await windowsOf(list, () => 1000)).length).toBeLessThan(50);
  });

  test.each([false, true])(
    'that is replaced comes in its turn, the latest first: %s',
    async (isLatestFirst) => {
      const starts = (await windowsOf({ ...list, isLatestFirst }, tellingOf(2, 501))).map(
        ({ fromMs }) => fromMs,
      );
      const sorted = starts.toSorted((a, b) => a - b);
      expect(starts).toEqual(isLatestFirst ? sorted.toReversed() : sorted);
      expect(starts).toHaveLength(6);
    },
  );
});
