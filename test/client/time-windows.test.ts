import { describe, expect, it, test } from 'vitest';
import {
  directionOf,
  instantOf,
  mayFollow,
  overlapMs,
  splitWindow,
  withOverlap,
} from '../../src/client/time-windows.ts';

const second = 1000;
const open = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };
const boundsOf = (...split: Parameters<typeof splitWindow>) =>
  splitWindow(...split).map(({ fromMs, toMs }) => [fromMs, toMs]);

describe('a window of time', () => {
  const known = { fromMs: 0, toMs: 100 * second };

  it.each([
    ['is split into parts of equal length', known, 4, known, [0, 25_000, 50_000, 75_000, 100_000]],
    ['that is open has outer parts that are', open, 2, known, [open.fromMs, 50_000, open.toMs]],
    ['is split at whole seconds', known, 3, known, [0, 33_000, 66_000, 100_000]],
    [
      'is split where its records are',
      { fromMs: 50_000, toMs: open.toMs },
      2,
      known,
      [50_000, 75_000, open.toMs],
    ],
    ['ends where its records may', { fromMs: 0, toMs: 40_000 }, 2, known, [0, 20_000, 40_000]],
    [
      'has parts of four seconds at the least',
      { fromMs: 0, toMs: 12_000 },
      9,
      known,
      [0, 4000, 8000, 12_000],
    ],
    ['of less than eight seconds stays whole', { fromMs: 0, toMs: 7999 }, 9, known, [0, 7999]],
    ['of no length stays whole', { fromMs: 5, toMs: 5 }, 9, known, [5, 5]],
    [
      'in which no record is known stays whole',
      open,
      4,
      { fromMs: Number.NaN, toMs: 5 },
      [open.fromMs, open.toMs],
    ],
  ] as const)('%s', (_, window, parts, records, ends) => {
    expect(boundsOf(window, parts, records)).toEqual(ends.slice(1).map((end, index) => [ends[index], end]));
  });

  test('is split into 1,000 at the most', () => {
    expect(splitWindow(open, 5000, { fromMs: 0, toMs: 1e9 })).toHaveLength(1000);
  });

  test('is asked for with a second more before it', () => {
    expect(overlapMs).toBe(1000);
    expect(withOverlap({ fromMs: 5000, toMs: 9000 })).toEqual({ fromMs: 4000, toMs: 9000 });
  });
});

it.each([
  ['2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1)],
  ['2026-01-01T09:00:00.5+09:00', Date.UTC(2026, 0, 1, 0, 0, 0, 500)],
  ['2026-01-01T09:00:00+0900', Date.UTC(2026, 0, 1)],
  ['2026-01-01T00:00:00', Number.NaN],
  ['2026-01-01Z', Number.NaN],
  [1_767_225_600_000, Number.NaN],
  [null, Number.NaN],
])('the time %j is an instant only with a zone', (time, ms) => {
  expect(instantOf(time)).toBe(ms);
});

it.each([
  [[], 'DESC'],
  [[5], 'DESC'],
  [[5, 5], 'DESC'],
  [[5, 4, 4, 1], 'DESC'],
  [[1, 2, 2, 3], 'ASC'],
  [[1, 3, 2], undefined],
  [[3, 1, 2], undefined],
  [[1, Number.NaN], undefined],
])('the times %j are in the order %s', (times, direction) => {
  expect(directionOf(times)).toBe(direction);
});

test('a time may follow one that is the same, or lies in the direction of the list', () => {
  const following = [4, 5, 6, Number.NaN];
  expect(following.map((timeMs) => mayFollow(timeMs, 5, 'DESC'))).toEqual([true, true, false, false]);
  expect(following.map((timeMs) => mayFollow(timeMs, 5, 'ASC'))).toEqual([false, true, true, false]);
});
