import { expect, it, test } from 'vitest';
import { adaptiveConcurrency } from '../../src/push/send/adaptive-concurrency.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';

/** An adaptive limit, and exchanges from which it learns. */
function watched() {
  const clock = new ManualClock();
  let tell: (exchange: Parameters<Parameters<Watch>[0]>[0]) => void = () => undefined;
  const limit = adaptiveConcurrency({ watch: (listener) => (tell = listener) }, clock);
  const exchange = (tookMs: number, result: number | string = 200, operation = 'a', inFlight = limit()) =>
    tell({ operation, method: 'GET', path: '/', tookMs, inFlight, result, date: undefined });
  return {
    clock,
    limit,
    exchange,
    /** This number of successful answers, each begun after the previous one. */
    answers: (count: number, tookMs: number, operation?: string) => {
      for (let answer = 0; answer < count; answer += 1) {
        clock.advance(tookMs);
        exchange(tookMs, 200, operation);
      }
    },
  };
}
type Watch = Parameters<typeof adaptiveConcurrency>[0]['watch'];

test('a limit is left after 16 answers, and those that began under the one before do not count', () => {
  const { limit, answers, exchange, clock } = watched();
  expect(limit()).toBe(8);
  answers(15, 100);
  expect(limit()).toBe(8);
  answers(1, 100);
  expect(limit()).toBe(16);
  clock.advance(50);
  for (let old = 0; old < 40; old += 1) exchange(100);
  expect(limit()).toBe(16);
  answers(17, 100);
  expect(limit()).toBe(32);
});

test('answers count from when what the old limit had in flight is answered', () => {
  const { limit, answers, clock } = watched();
  answers(16, 100);
  clock.advance(100);
  answers(15, 100);
  expect(limit()).toBe(16);
  answers(1, 100);
  expect(limit()).toBe(32);
});

test('answers that began before a round that changed nothing count', () => {
  const { limit, exchange, clock } = watched();
  for (let idle = 0; idle < 16; idle += 1) {
    clock.advance(100);
    exchange(100, 200, 'a', 3);
  }
  expect(limit()).toBe(8);
  clock.advance(50);
  for (let answer = 0; answer < 16; answer += 1) exchange(100);
  expect(limit()).toBe(16);
});

test('answers to different operations are counted by themselves', () => {
  const { limit, answers } = watched();
  answers(15, 100, 'a');
  answers(15, 100, 'b');
  expect(limit()).toBe(8);
  answers(1, 100, 'b');
  expect(limit()).toBe(16);
});

it.each([429, 408, 500, 503, 'the connection broke'])('%s is strain, which halves the limit', (result) => {
  const { limit, exchange, clock } = watched();
  clock.advance(1000);
  exchange(10, result);
  expect(limit()).toBe(4);
});

it.each([200, 204, 400, 404, 422, 499])('%s is an answer', (result) => {
  const { limit, exchange, clock } = watched();
  for (let answer = 0; answer < 16; answer += 1) {
    clock.advance(100);
    exchange(100, result);
  }
  expect(limit()).toBe(16);
});

test('what was in flight when the limit was cut does not cut it again', () => {
  const { limit, exchange, clock } = watched();
  clock.advance(1000);
  exchange(10, 503);
  clock.advance(5);
  exchange(10, 503);
  exchange(5, 503);
  expect(limit()).toBe(4);
  clock.advance(20);
  exchange(10, 503);
  expect(limit()).toBe(2);
});
