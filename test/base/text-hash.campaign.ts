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
