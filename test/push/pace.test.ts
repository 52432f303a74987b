import { expect, test } from 'vitest';
import { adaptiveConcurrency, firstPace, nextPace, type Pace, paceBounds } from '../../src/push/pace.ts';

/** The pace after exchanges that all took from `startedAtMs` to `endedAtMs`. */
function after(pace: Pace, results: readonly (number | string)[], startedAtMs = 0, endedAtMs = 10): Pace {
  return results.reduce((now, result) => nextPace(now, { startedAtMs, endedAtMs, result }), pace);
}

const good = (count: number) => Array<number>(count).fill(200);

test('it starts at 8 and allows one more for each round of good answers, up to 16', () => {
  expect(Math.floor(firstPace.limit)).toBe(8);
  expect(Math.floor(after(firstPace, good(9)).limit)).toBe(9);
  expect(after(firstPace, good(100_000)).limit).toBe(16);
});

test.each([429, 408, 500, 503, 'no answer within 30 s'])('%s halves it', (sign) => {
  expect(after(firstPace, [sign]).limit).toBe(4);
});

test.each([200, 201, 404, 422])('%i is an answer of a service that keeps up', (status) => {
  expect(after(firstPace, [status]).limit).toBeGreaterThan(8);
});

test('a round trip full of strain halves it once', () => {
  const cut = after(firstPace, [429]);
  expect(after(cut, [429, 503, 500, 429], 9, 11)).toEqual(cut);
  expect(after(cut, [429], 10, 20).limit).toBe(2);
});

test('it never falls below 2', () => {
  let pace = firstPace;
  for (let round = 0; round < 10; round += 1) pace = after(pace, [503], round * 10 + 10, round * 10 + 20);
  expect(pace.limit).toBe(paceBounds.least);
});

test('what the service tells of its exchanges moves the concurrency', () => {
  let tell: (exchange: { readonly tookMs: number; readonly result: number }) => void = () => {};
  let nowMs = 1000;
  const clock = { now: () => nowMs, sleep: () => Promise.resolve() };
  const concurrency = adaptiveConcurrency({ watch: (listener) => (tell = listener) }, clock);
  expect(concurrency()).toBe(8);
  tell({ tookMs: 50, result: 429 });
  nowMs += 20;
  tell({ tookMs: 50, result: 429 });
  expect(concurrency()).toBe(4);
  nowMs += 100;
  tell({ tookMs: 50, result: 429 });
  expect(concurrency()).toBe(2);
});
