import { expect, test } from 'vitest';
import { ownMsSince, timesMs } from './own-time.ts';

test.each([
  ['what it works and waits counts', { wall: 100, processor: 60, idle: 40 }, 100],
  ['what others have of the processor does not', { wall: 1_000, processor: 60, idle: 40 }, 100],
  ['several threads do not make it longer than it is', { wall: 100, processor: 190, idle: 5 }, 100],
  ['a process that gets hardly anything comes to its end', { wall: 1_000, processor: 1, idle: 0 }, 50],
])('of the time of a process, %s', (_, passed, own) => {
  const before = { wall: 7, processor: 5, idle: 3 };
  const now = {
    wall: before.wall + passed.wall,
    processor: before.processor + passed.processor,
    idle: before.idle + passed.idle,
  };
  expect(ownMsSince(before, now)).toBe(own);
});

test('a process that computes uses its own time', () => {
  const before = timesMs();
  while (timesMs().processor < before.processor + 5);
  expect(ownMsSince(before)).toBeGreaterThan(0);
});
