import { describe, expect, it } from 'vitest';
import { crashesOf } from './corpus.ts';
import { faultOf } from './fuzz-target.ts';
import { mutate } from './mutate.ts';
import { type Target, targets } from './targets.ts';

describe.each(Object.entries(targets))('%s', (name, target) => {
  it('reads or refuses in words every input that broke it once, and those that the fuzzer begins with', async () => {
    const inputs = [...crashesOf(name), ...target.seeds.map((seed) => Buffer.from(seed))];
    const faults: unknown[] = [];
    for (const input of inputs) {
      const fault = await faultOf(target, input);
      if (fault !== undefined) faults.push({ input: input.toString('latin1'), fault });
    }
    expect(faults).toEqual([]);
  });
});

it('a reader that fails in other than words is at fault', async () => {
  const run: Target['run'] = () => Promise.reject(new TypeError('cannot read properties of undefined'));
  expect(await faultOf({ seeds: [], words: [], run }, Buffer.alloc(0))).toContain('TypeError');
});

it('an input is mutated in the same way by the same numbers', () => {
  const input = Buffer.from('originId,name\nP-1,Cup\n');
  const mutations = [1, 2].map(() => {
    let number = 0;
    const random = () => (number = (number + 0.37) % 1);
    return Array.from({ length: 20 }, () => mutate(input, { random, others: [input], words: ['x'] }));
  });
  expect(mutations[0]).toEqual(mutations[1]);
  expect(mutations[0]?.some((mutation) => !mutation.equals(input))).toBe(true);
});
