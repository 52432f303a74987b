import { expect, test } from 'vitest';
import { nextRunId } from '../../src/base/run-id.ts';

const timeOf = (id: string) => {
  expect(id).toMatch(/^[0-9a-z]{6}-\d+-[0-9a-z]{4}$/);
  return id.slice(0, 6);
};

test('ids begin in 2020, sort with time and last until 2054', () => {
  expect(timeOf(nextRunId(Date.UTC(2020, 0, 1)))).toBe('000000');
  expect(timeOf(nextRunId(Date.UTC(2026, 10, 20)))).toBe('6f7b40');
  expect(timeOf(nextRunId(Date.UTC(2054, 0, 1)))).toBe('zz9d40');
});

test('the second of the run before is followed by the next one', () => {
  const nowMs = Date.UTC(2026, 10, 20);
  expect(timeOf(nextRunId(nowMs, nextRunId(nowMs)))).toBe('6f7b41');
  expect(timeOf(nextRunId(nowMs, '6f7bzz-1-0000'))).toBe('6f7c00');
});

test('runs that begin in the same second on two machines have different ids', () => {
  const nowMs = Date.UTC(2026, 10, 20);
  expect(new Set(Array.from({ length: 5 }, () => nextRunId(nowMs))).size).toBe(5);
});
