import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdNumbers, SeenIds } from '../../src/base/id-set.ts';
import { textHashHalves } from '../../src/base/text-hash.ts';
import { temporaryFolder } from '../push/open-push.ts';

/** A hash with 65,536 possible values. */
function weakHash(text: string, into: Uint32Array): void {
  textHashHalves(text, into);
  into[0] = (into[0] ?? 0) & 0xf0000000;
  into[1] = (into[1] ?? 0) & 0xfff00000;
}

describe('ids that were seen', () => {
  it('are found again with their place, and no other id is taken for one of them', () => {
    const seen = new SeenIds();
    const count = 300_000;
    const id = (index: number) => `2026${String(index).padStart(7, '0')}-01`;
    let mistaken = 0;
    for (let index = 0; index < count; index += 1) {
      if (seen.add(id(index), Math.floor(index / 1000), index + 2)) mistaken += 1;
    }
    expect(mistaken).toBe(0);
    for (let index = 0; index < count; index += 997) {
      expect(seen.add(id(index), 0, 1)).toEqual({ fileIndex: Math.floor(index / 1000), line: index + 2 });
    }
    seen.close();
  });

  it('differ by case, by zeros and by order', () => {
    const seen = new SeenIds();
    for (const id of ['M', 'm', '7', '07', '007', 'ab', 'ba', '한', 'a\u0000']) {
      expect(seen.add(id, 0, 1)).toBeUndefined();
    }
  });

  const id = fc.oneof(
    fc.nat({ max: 300 }).map((number) => `O-${number}`),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  );
  /** Enough other ids `between` to move earlier ones out of memory. */
  const run = (between: readonly number[]) =>
    fc.record({
      fileIndex: fc.nat({ max: 2 }),
      ids: fc.array(id, { maxLength: 300 }),
      between: fc.constantFrom(0, 0, 0, ...between),
    });

  it.each([
    ['whose hashes differ', textHashHalves, [3000, 14_000]],
    ['of which many have one hash', weakHash, [3000, 14_000]],
    [
      'all of which have one hash',
      (_: string, into: Uint32Array) => {
        into.fill(7);
      },
      [300],
    ],
  ])('are told apart by their text: ids %s', (_, hash, between) => {
    const folder = temporaryFolder();
    fc.assert(
      fc.property(fc.array(run(between), { maxLength: 3 }), (runs) => {
        const seen = new SeenIds(folder, hash);
        const first = new Map<string, { fileIndex: number; line: number }>();
        let line = 0;
        const isRight = (text: string, fileIndex: number) => {
          line += 1;
          const before = seen.add(text, fileIndex, line);
          const expected = first.get(text);
          if (expected === undefined) first.set(text, { fileIndex, line });
          return before?.fileIndex === expected?.fileIndex && before?.line === expected?.line;
        };
        const all = runs.flatMap(({ fileIndex, ids, between: others }, at) => [
          ...ids.map((text) => isRight(text, fileIndex)),
          ...Array.from({ length: others }, (__, number) =>
            isRight(`B-${at}-${number}`.padEnd(80), fileIndex),
          ),
        ]);
        seen.close();
        expect(all).not.toContain(false);
      }),
      { numRuns: 12 },
    );
  });
});

describe('numbers of ids', () => {
  it('are what they were last changed to, however many ids come between', () => {
    const numbers = new IdNumbers();
    const count = 100_000;
    for (const addend of [1, 2 ** 40]) {
      for (let index = 0; index < count; index += 1)
        numbers.put(`O${index}`, (before = 0) => before + addend);
    }
    let wrong = 0;
    for (let index = 0; index < count; index += 1) if (numbers.get(`O${index}`) !== 2 ** 40 + 1) wrong += 1;
    expect(wrong).toBe(0);
    expect(numbers.get('none')).toBeUndefined();
  });
});
