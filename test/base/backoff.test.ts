import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../src/base/backoff.ts';

const bounds = { firstMs: 100, longestMs: 5000 };

describe('the pause before another try', () => {
  it.each([
    [1, 50, 100],
    [2, 100, 200],
    [3, 200, 400],
    [6, 1600, 3200],
    [7, 2500, 5000],
    [2000, 2500, 5000],
  ])('after try %i lies between %i and %i ms', (attempt, least, most) => {
    expect(backoffMs(attempt, () => 0, bounds)).toBe(least);
    expect(backoffMs(attempt, () => 0.5, bounds)).toBe((least + most) / 2);
    expect(backoffMs(attempt, () => 1, bounds)).toBe(most);
  });
});
