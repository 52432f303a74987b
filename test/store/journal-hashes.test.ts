import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import { HashFilter } from '../../src/store/journal/packed/hash-filter.ts';
import { HashTable } from '../../src/store/sqlite/journal/hash-table.ts';

const random = seededRandom(1);
const anyHash = () => Math.floor(random() * 2 ** 32) | 0;

describe('a table of hashes', () => {
  /** Hashes that begin at the last slots of a table, in turn with small ones and any: their chains run into each other. */
  const pairs = Array.from({ length: 3000 }, (_, index): readonly [number, number] => {
    const hashes = [((index % 7) << 24) | 1023, index % 5, 1022 - (index % 3), anyHash()];
    return [hashes[index % 4] ?? 0, Math.floor(index / 2)];
  });
  const expected = new Map<number, Set<number>>();
  for (const [hash, answer] of pairs) expected.set(hash, (expected.get(hash) ?? new Set()).add(answer));
  const count = [...expected.values()].reduce((sum, { size }) => sum + size, 0);
  const found = (table: HashTable, hash: number) => {
    const answers = [-1];
    table.find(hash, answers);
    return answers.toSorted((a, b) => a - b);
  };
  const sorted = (answers: Iterable<number>) => [-1, ...answers].toSorted((a, b) => a - b);

  test('finds the answers of each, adds a pair once, and knows nothing of others', () => {
    const table = new HashTable();
    expect([found(table, 0), table.size, table.pairs().length]).toEqual([[-1], 0, 0]);
    for (const [hash, answer] of [...pairs, ...pairs]) table.add(hash, answer);
    expect(table.size).toBe(count);
    for (const [hash, answers] of expected) expect(found(table, hash)).toEqual(sorted(answers));
    for (let other = 0; other < 1000; other += 1)
      expect(found(table, (1 << 25) | (5000 + other))).toEqual([-1]);
  });

  test('gives back all pairs', () => {
    const table = new HashTable();
    for (const [hash, answer] of pairs) table.add(hash, answer);
    const all = table.pairs();
    expect(all).toHaveLength(2 * count);
    const given = new Map<number, Set<number>>();
    for (let at = 0; at < all.length; at += 2)
      given.set(all[at] ?? 0, (given.get(all[at] ?? 0) ?? new Set()).add(all[at + 1] ?? 0));
    expect(given).toEqual(expected);
  });
});

test.each([1, 100, 5000])('a filter of %i hashes has each of them, and few others', (count) => {
  const filter = new HashFilter(count);
  const hashes = Array.from({ length: count }, anyHash);
  for (const hash of hashes) filter.add(hash);
  expect(hashes.every((hash) => filter.mayHave(hash))).toBe(true);
  const others = Array.from({ length: 2000 }, anyHash);
  expect(others.filter((hash) => filter.mayHave(hash)).length).toBeLessThan(80);
});

test('of two hashes that share one of their bits a filter tells one from the other', () => {
  const filter = new HashFilter(10_000);
  for (let low = 0; low < 1000; low += 1) filter.add((anyHash() & ~0x3ffff) | low);
  const others = Array.from({ length: 1000 }, (_, index) => (anyHash() & ~0x3ffff) | index);
  expect(others.filter((hash) => filter.mayHave(hash)).length).toBeLessThan(80);
});
