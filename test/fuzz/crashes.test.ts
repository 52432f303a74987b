import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import { crashesOf } from './corpus.ts';
import { faultOf } from './fault.ts';
import { mutate } from './mutate.ts';
import { syntaxes } from './syntax.ts';
import { type Target, targets } from './targets.ts';

interface PlantedBug {
  readonly file: string;
  readonly after: string;
}

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
  expect(
    await faultOf({ seeds: [], words: [], sources: [], syntax: syntaxes.csv, run }, Buffer.alloc(0)),
  ).toContain('TypeError');
});

it.each(Object.entries(targets))(
  'an input of %s is mutated in the same way by the same numbers',
  (_, target) => {
    const [input = ''] = target.seeds.map((seed) => Buffer.from(seed).toString('latin1'));
    const mutations = [1, 2].map(() => {
      const random = seededRandom(1);
      return Array.from({ length: 50 }, () =>
        mutate(input, { random, others: [input], words: [['x']], syntax: target.syntax }),
      );
    });
    expect(mutations[0]).toEqual(mutations[1]);
    expect(mutations[0]?.some((mutation) => mutation !== input)).toBe(true);
  },
);

it.each([
  [
    'json',
    '{"a":[1,{"b":"c,"}]}',
    [
      '"a"',
      '1',
      '"b"',
      '"c,"',
      '"b":"c,"',
      '{"b":"c,"}',
      '[1,{"b":"c,"}]',
      '"a":[1,{"b":"c,"}]',
      '{"a":[1,{"b":"c,"}]}',
    ],
  ],
  ['csv', 'a;"b;\n""c"\r\nd', ['a', '"b;\n""c"', 'a;"b;\n""c"', '', 'd', 'd']],
  ['xml', '<c r="A1"><v>7</v></c>', [' r="A1"', 'A1', '7', '<v>7</v>', '<c r="A1"><v>7</v></c>']],
] as const)('the parts of a text of %s are known by its syntax', (name, text, parts) => {
  const spans = syntaxes[name].spansOf(text);
  expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(parts);
});

it('each bug that a campaign plants has one place in the source', () => {
  const bugs: readonly PlantedBug[] = JSON.parse(readFileSync('fixtures/fuzz/planted-bugs.json', 'utf8'));
  const misplaced = bugs.filter(({ file, after }) => readFileSync(file, 'utf8').split(after).length !== 2);
  expect(misplaced).toEqual([]);
  expect(bugs.length).toBeGreaterThan(0);
});
