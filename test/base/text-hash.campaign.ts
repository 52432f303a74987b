import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { textHash, textHashLength } from '../../src/base/text-hash.ts';

test('a hash is 11 characters of base64url, the same for the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(textHash(text)).toMatch(/^[\w-]{11}$/);
      expect(textHash(text)).toBe(textHash(`${text} `.slice(0, -1)));
      expect(textHashLength).toBe(11);
    }),
  );
});

test('a million ids of shops, and those that differ in one character, two swapped ones or a zero, have hashes of their own', () => {
  const seen = new Set<string>();
  const ids = new Set<string>();
  for (let number = 0; number < 250_000; number += 1) {
    const id = `202611${String(number % 28).padStart(2, '0')}-${String(number).padStart(7, '0')}`;
    for (const variant of [id, `${id}-1`, `0${id}`, id.split('').toReversed().join('')]) ids.add(variant);
  }
  for (const id of ids) seen.add(textHash(id));
  expect(seen.size).toBe(ids.size);
});

test('every bit of a hash is set for half of all ids, whatever bits were changed in them', () => {
  const counts = new Map<string, number>();
  const total = 64_000;
  for (let number = 0; number < total; number += 1) {
    for (const [place, digit] of textHash(`P${number}`).split('').entries()) {
      const key = `${place}${digit}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  // The last digit has four bits alone.
  const expected = (key: string) => total / (key.startsWith('10') && key.length === 3 ? 16 : 64);
  for (const [key, count] of counts) expect(Math.abs(count / expected(key) - 1)).toBeLessThan(0.2);
});
