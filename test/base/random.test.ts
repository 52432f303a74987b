import { describe, expect, it } from 'vitest';
import { pick, seededRandom } from '../../src/base/random.ts';

const numbers = (seed: number, count: number) => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, random);
};

describe('a seeded source', () => {
  it('gives the same sequence for the same seed, on every machine', () => {
    expect(numbers(1, 3)).toEqual([0.6270739405881613, 0.002735721180215478, 0.5274470399599522]);
    expect(numbers(42, 1000)).toEqual(numbers(42, 1000));
  });

  it('gives another sequence for another seed', () => {
    expect(numbers(1, 5)).not.toEqual(numbers(2, 5));
  });

  it('stays in [0, 1) and fills it evenly', () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const number of numbers(7, 100_000))
      tenths[Math.floor(number * 10)] = (tenths[Math.floor(number * 10)] ?? 0) + 1;
    expect(tenths).toHaveLength(10);
    for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});

describe('pick', () => {
  it.each([
    [0, 'a'],
    [0.34, 'b'],
    [0.999, 'c'],
  ])('at %d of three takes %s', (number, picked) => {
    expect(pick(() => number, ['a', 'b', 'c'])).toBe(picked);
  });
});
