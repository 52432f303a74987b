import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/base/duration.ts';

describe('a duration as people type it', () => {
  it.each([
    ['250ms', 250],
    ['0', 0],
    ['0s', 0],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '30', 's', '30 s', ' 30s', '-1s', '1e3s', '.5s', '1.s', '1s30ms', '10M', '1w'])(
    'is not "%s"',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});
