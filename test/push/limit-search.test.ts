import { expect, it, test } from 'vitest';
import { LimitSearch, limitBounds } from '../../src/push/send/limit-search.ts';

type Round = (search: LimitSearch) => void;

/** A round of answers from a fully used service. */
const answers =
  (latencyMs: number, atMs = 0, { operation = 'a', inFlight = 64 } = {}): Round =>
  (search) =>
    search.answered({ operation, latencyMs, inFlight }, atMs);
const strain =
  (atMs: number): Round =>
  (search) =>
    search.strained(atMs);

/** The limits after each of these rounds, to two decimal places, and the search, which begins in this state. */
function after(rounds: readonly Round[], state: Partial<LimitSearch> = {}) {
  const search = Object.assign(new LimitSearch(), state);
  const limits = rounds.map((round) => {
    round(search);
    return Math.round(search.limit * 100) / 100;
  });
  return { limits, search };
}

const limitsAfter = (...rounds: readonly Round[]) => after(rounds).limits;

test('the limit begins at 8 and doubles while that gets more done, up to 64; then a lower one is tried', () => {
  expect(new LimitSearch().limit).toBe(8);
  const rounds = Array.from({ length: 5 }, () => answers(100));
  expect(limitsAfter(...rounds)).toEqual([16, 32, 64, 32, 64]);
});

test('a limit that gets no more done is left for the other direction with half the step', () => {
  expect(limitsAfter(answers(100), answers(200), answers(100))).toEqual([16, 8, 5.66]);
});

test('a lower limit is kept where it gets as much done, and never below 2', () => {
  const rounds = [answers(100), answers(200), answers(100), answers(50), answers(25), answers(25)];
  expect(limitsAfter(...rounds)).toEqual([16, 8, 5.66, 2.83, 2, 2.83]);
  expect(limitBounds).toEqual({ start: 8, min: 2, max: 64 });
});

it.each([
  ['a fifth of the throughput that is possible is gained by a higher limit', 166, 32],
  ['less is gained', 168, 8],
])('where %s it is judged by that', (_, latencyMs, limit) => {
  expect(limitsAfter(answers(100), answers(latencyMs)).at(-1)).toBe(limit);
});

it.each([
  ['a tenth of what it could lose', 72, 2.83],
  ['more', 75, 8],
])('a lower limit may lose %s', (_, latencyMs, limit) => {
  const [, , , last] = limitsAfter(answers(100), answers(200), answers(100), answers(latencyMs));
  expect(last).toBe(limit);
});

test('answers of less than 5 ms are alike, since they wait for this program', () => {
  expect(limitsAfter(answers(1), answers(5))).toEqual([16, 32]);
  expect(limitsAfter(answers(5), answers(1))).toEqual([16, 32]);
  expect(limitsAfter(answers(1), answers(10)).at(-1)).toBe(8);
});

test('a limit is compared only by answers to an operation that was measured at both', () => {
  const other = answers(900, 0, { operation: 'b' });
  expect(limitsAfter(answers(100), other, other, answers(100))).toEqual([16, 8, 16, 32]);
});

test('a source that is slower than the limit teaches nothing', () => {
  const idle = (inFlight: number) => answers(100, 0, { inFlight });
  expect(limitsAfter(idle(3), idle(4), idle(7), idle(4), idle(8))).toEqual([8, 16, 8, 16, 32]);
});

test('several rounds at the best limit are averaged', () => {
  const { search } = after([answers(100), answers(300), answers(200)]);
  expect([...search.bestMs]).toEqual([['a', 150]]);
});

test('strain halves the limit; a higher one that was tried is left, and nothing is tried for a while', () => {
  const rounds = [answers(100), strain(10), answers(100, 20), answers(100, 179), answers(100, 180)];
  expect(limitsAfter(...rounds)).toEqual([16, 8, 8, 8, 11.31]);
});

test('from strain the limit is doubled back to the best one', () => {
  const rounds = [strain(0), strain(5), answers(100, 10), answers(100, 20), answers(100, 30)];
  const { limits, search } = after(rounds);
  expect(limits).toEqual([4, 2, 4, 8, 8]);
  // The strain cost 30 ms.
  expect(search).toMatchObject({ quietUntilMs: 30 + 16 * 30, suspectUntilMs: 30 + 4 * 30 });
});

test('a limit that strains again as soon as it is reached loses a tenth, and is approached in small steps', () => {
  const recovered = [strain(0), answers(100, 10), answers(100, 20), answers(100, 30)];
  const { search } = after(recovered);
  expect(search).toMatchObject({ limit: 8, best: 8, suspectUntilMs: 20 + 4 * 20 });
  const soon = after([strain(99)], search).search;
  expect(soon.best).toBeCloseTo(7.2);
  expect(soon.factor).toBeCloseTo(2 ** (1 / 4));
  expect(after([strain(100)], search).search.best).toBe(8);
});

test('strain on the way back is the fault of the limit it reached, strain on the way down of none', () => {
  expect(after([strain(0), strain(1)]).search.best).toBe(8);
  const rising = after([strain(0), strain(1), answers(100, 2), strain(3)]).search;
  expect(rising.best).toBeCloseTo(3.6);
  expect(rising.limit).toBe(2);
});

test('a round has as many answers as its comparison needs', () => {
  const needed = (state: Partial<LimitSearch>) => after([], state).search.answersNeeded;
  expect(needed({})).toBe(16);
  expect(needed({ limit: 40.5 })).toBe(41);
  expect(needed({ factor: Math.SQRT2 })).toBe(32);
  expect(needed({ factor: 2 ** (1 / 8) })).toBe(512);
  expect(needed({ factor: 2 ** (1 / 8), phase: 'rising' })).toBe(16);
});

test('the finest step is tried once in four rounds, and never becomes finer', () => {
  const finest = { factor: 2 ** (1 / 8), bestMs: new Map([['a', 100]]) };
  const tried = { ...finest, limit: 8 * 2 ** (1 / 8), phase: 'trying' } as const;
  const rounds = [answers(200), answers(100), answers(100), answers(100), answers(100)];
  const { limits, search } = after(rounds, tried);
  expect(limits).toEqual([8, 8, 8, 8, 7]);
  expect(search.factor).toBeCloseTo(2 ** (1 / 8));
  expect(after([answers(80)], tried).search.factor).toBeCloseTo(2 ** (1 / 4));
  const resting = { ...finest, roundsLeft: 2 };
  expect(after([answers(100, 0, { inFlight: 3 }), answers(100), answers(100)], resting).limits).toEqual([
    8, 8, 9,
  ]);
});

test('the direction changes with each limit that is no better, and at the bounds', () => {
  expect(limitsAfter(answers(100), answers(200), answers(100), answers(100), answers(100))).toEqual([
    16, 8, 5.66, 8, 9.51,
  ]);
  expect(after([answers(100)], { limit: 2, best: 2, isUpward: false }).limits).toEqual([4]);
});

test('strain at a lower limit that was tried says of the best one, too, that it is too high', () => {
  const lower = { limit: 4, phase: 'trying', suspectUntilMs: 100 } as const;
  expect(after([strain(99)], lower).search.best).toBeCloseTo(3.6);
  expect(after([strain(100)], lower).search.best).toBe(8);
});

test('a step changes the limit by one at least', () => {
  const small = { limit: 4, factor: 1.1, best: 4 };
  expect(after([answers(100)], small).limits).toEqual([5]);
  expect(after([answers(100)], { ...small, isUpward: false }).limits).toEqual([3]);
});
