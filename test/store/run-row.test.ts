import { expect, it, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { readRun } from '../../src/store/journal/run-log.ts';

const start = { kind: 'orders', command: ['orders', 'push'], folder: '/x', files: ['a.csv'], startedMs: 5 };
const input = { digest: 'd', reading: 'r', records: 7 };
const whole = { ...start, plan: 'p1', shard: { index: 1, count: 2 }, input };
const end = { endedMs: 9, exitCode: 6, tally: { queued: 1, failed: 0 } };

const rowOf = (begun: unknown, ended?: unknown) => ({
  id: 'abc123',
  beginning: JSON.stringify(begun),
  ending: ended === undefined ? null : JSON.stringify(ended),
});
const without = (record: JsonObject, name: string) => ({ ...record, [name]: undefined });

const damaged = expect.objectContaining({
  kind: 'unreadable-path',
  message: 'the journal of pushes is damaged: its record of run abc123 cannot be read',
  hint:
    'restore the journal (pushes.db in the state folder, or its schema in PostgreSQL) from a backup; see where it is ' +
    'with reviewctl doctor',
});

test('a run is read as it was written, with all that it may have and without', () => {
  for (const begun of [start, whole]) {
    for (const ended of [undefined, end, { ...end, tally: {}, isWhole: false }]) {
      expect(readRun(rowOf(begun, ended))).toEqual({ id: 'abc123', ...begun, end: ended });
    }
  }
});

it.each<readonly [string, unknown]>([
  ...Object.keys(start).map((name) => [`without ${name}`, without(start, name)] as const),
  ...Object.keys(whole).map((name) => [`with true as ${name}`, { ...whole, [name]: true }] as const),
  ['with a number among its words', { ...start, command: ['orders', 1] }],
  ['with a number among its files', { ...start, files: [1] }],
  ['with a text as its files', { ...start, files: 'a.csv' }],
  ...['index', 'count'].map(
    (name) => [`with a shard without ${name}`, { ...whole, shard: without(whole.shard, name) }] as const,
  ),
  ...Object.keys(input).map(
    (name) => [`with an input without ${name}`, { ...whole, input: without(input, name) }] as const,
  ),
  ['with null as its shard', { ...whole, shard: null }],
  ['with null as its input', { ...whole, input: null }],
  ['that is a list', [start]],
])('the beginning of a run %s is damage', (_, begun) => {
  expect(() => readRun(rowOf(begun))).toThrow(damaged);
});

it.each<readonly [string, unknown]>([
  ...Object.keys(end).map((name) => [`without ${name}`, without(end, name)] as const),
  ['with words in its tally', { ...end, tally: { queued: 'one', failed: 0 } }],
  ['with a word for whether it is whole', { ...end, isWhole: 'yes' }],
  ['that is null', null],
])('the end of a run %s is damage', (_, ended) => {
  expect(() => readRun(rowOf(start, ended))).toThrow(damaged);
});

test('what is no JSON is damage', () => {
  expect(() => readRun({ id: 'abc123', beginning: '{', ending: null })).toThrow(damaged);
});
