import { expect, it } from 'vitest';
import { SeenHashes } from '../../src/store/postgres/journal/seen-hashes.ts';

it('what was looked up and not there is absent until it is put on record, 20,000 lookups later too', () => {
  const seen = new SeenHashes();
  expect(seen.isAbsent(7)).toBe(false);
  for (const hash of [7, -8]) seen.addAbsent(hash);
  for (let hash = 1000; hash < 41_000; hash += 1) seen.addAbsent(hash);
  expect([7, -8, 21_000, 40_999].map((hash) => seen.isAbsent(hash))).toEqual([true, true, true, true]);
  for (const hash of [7, 40_999]) seen.add(hash);
  expect([7, -8, 40_998, 40_999].map((hash) => seen.isAbsent(hash))).toEqual([false, true, true, false]);
  expect(seen.mayBeThere('product', -8)).toBe(true);
});

it('of what is remembered as absent, the oldest is forgotten', () => {
  const seen = new SeenHashes();
  for (let hash = 0; hash < 100_000; hash += 1) seen.addAbsent(hash);
  expect([0, 99_999].map((hash) => seen.isAbsent(hash))).toEqual([false, true]);
});

it('where nothing was on record, all is absent that this process has not put there, and only its kind need not be asked', () => {
  const seen = new SeenHashes();
  seen.startEmpty('product');
  expect([seen.isAbsent(1), seen.mayBeThere('product', 1), seen.mayBeThere('category', 1)]).toEqual([
    true,
    false,
    true,
  ]);
  seen.add(1);
  expect([seen.isAbsent(1), seen.mayBeThere('product', 1)]).toEqual([false, true]);
});

it('of 200,000 records on record, hardly one other seems to be', () => {
  const seen = new SeenHashes();
  seen.startEmpty('product');
  const hashOf = (index: number) => Math.imul(index, 0x9e3779b1);
  for (let index = 0; index < 200_000; index += 1) seen.add(hashOf(index));
  let count = 0;
  for (let index = 200_000; index < 300_000; index += 1) if (!seen.isAbsent(hashOf(index))) count += 1;
  expect(count).toBeLessThan(20);
});
