import { describe, expect, it } from 'vitest';
import { pick, seededRandom } from '../../src/base/random.ts';

it('a seeded source gives the same sequence for the same seed, on every machine', () => {
  const random = seededRandom(1);
  expect([random(), random(), random()]).toEqual([
    0.6270739405881613, 0.002735721180215478, 0.5274470399599522,
  ]);
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
