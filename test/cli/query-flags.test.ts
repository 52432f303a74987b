import { describe, expect, it } from 'vitest';
import { queryValues } from '../../src/cli/flags/query-flags.ts';
import { reviewsQuery } from '../../src/contract/queries.ts';

const times = { nowMs: Date.parse('2026-11-20T00:00:00Z'), timeZone: '+09:00' };

describe('a time as people type it', () => {
  it.each([
    ['createdAtStart', '2026-02-28', '2026-02-28T00:00:00+09:00'],
    ['createdAtEnd', '2026-02-28', '2026-02-28T23:59:59.999+09:00'],
    ['createdAtStart', '2024-02-29', '2024-02-29T00:00:00+09:00'],
    ['createdAtStart', '2026-02-28 12:30', '2026-02-28T12:30:00+09:00'],
    ['createdAtStart', '2026-02-28T12:30:15.5Z', '2026-02-28T12:30:15.5Z'],
    ['createdAtStart', '7d', '2026-11-13T00:00:00.000Z'],
    ['createdAtStart', '36500d', '1926-12-15T00:00:00.000Z'],
  ])('%s %s is %s to the service', (name, typed, written) => {
    expect(queryValues(reviewsQuery(), { [name]: typed }, times)).toEqual({ [name]: written });
  });

  it.each([
    ['2026-02-29'],
    ['2026-02-30'],
    ['2026-04-31T09:00:00Z'],
    ['2026-13-01'],
    ['2026-02-28T25:00Z'],
    ['2026-02-28T09:00:00+0900x'],
    ['36501d'],
    ['999999999d'],
    [`${'9'.repeat(400)}d`],
    ['20 November'],
    [''],
  ])('is not "%s"', (typed) => {
    expect(() => queryValues(reviewsQuery(), { createdAtStart: typed }, times)).toThrow(
      expect.objectContaining({ kind: 'usage', message: `--created-at-start: '${typed}' is not a time` }),
    );
  });
});
