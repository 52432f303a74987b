import { expect, test } from 'vitest';
import { nextRunId } from '../../src/store/runs/run-id.ts';

test('ids begin in 2020, sort with time and last until 2054', () => {
  expect(nextRunId(Date.UTC(2020, 0, 1), undefined)).toBe('000000');
  expect(nextRunId(Date.UTC(2026, 10, 20), undefined)).toBe('6f7b40');
  expect(nextRunId(Date.UTC(2054, 0, 1), undefined)).toBe('zz9d40');
});

test('the second of the run before is followed by the next one', () => {
  const nowMs = Date.UTC(2026, 10, 20);
  expect(nextRunId(nowMs, nextRunId(nowMs, undefined))).toBe('6f7b41');
  expect(nextRunId(nowMs, '6f7bzz')).toBe('6f7c00');
});
