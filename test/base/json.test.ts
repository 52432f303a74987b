import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { areSameNumbers, isRounded, type JsonObject, numbersAsWritten } from '../../src/base/json.ts';
import { objectTexts } from './json-texts.ts';

test('the numbers of an object, however it is written, are those that parsing it rounds', () => {
  fc.assert(
    fc.property(objectTexts, (text) => {
      const numbers = numbersAsWritten(text);
      for (const [name, value] of Object.entries(JSON.parse(text) as JsonObject)) {
        if (typeof value !== 'number') continue;
        expect(text).toContain(numbers.get(name));
        expect(Number(numbers.get(name))).toBe(value);
      }
    }),
    { numRuns: 2000 },
  );
});

it('a number keeps its digits behind any text, and within megabytes of it', () => {
  const text = `{"a":"\\\\\\",\\"ref\\":1{[","b":[{"ref":2}],"c":"${'\\\\x'.repeat(300_000)}","ref" : 12345678901234567890}`;
  expect(numbersAsWritten(text).get('ref')).toBe('12345678901234567890');
});

it.each([
  ['100', '100', true],
  ['100.00', '100', true],
  ['1E+2', '100', true],
  ['0.10', '0.1', true],
  ['-0', '0', true],
  ['100.00000000000000000001', '100', false],
  ['-100', '100', false],
  ['1e999999999999', '100', false],
  ['0100', '100', false],
  ['1,000', '1000', false],
  ['', '', false],
])('%s is the same number as %s: %s', (one, other, isSame) => {
  expect(areSameNumbers(one, other)).toBe(isSame);
});

it.each([
  '12345678901234567890',
  '9007199254740993',
  '1E400',
  '-1e-400',
  '0.1000000000000000055',
  '123456789.123456789123',
])('the number %s has another value once it is read', (text) => {
  expect(isRounded(text)).toBe(true);
});

it.each([
  '0',
  '-0',
  '1.0',
  '1e5',
  '1E5',
  '4.50',
  '5e-324',
  '0.1',
  '9007199254740992',
  '1234567890.12',
  '01',
  'abc',
  '',
])('the number %s has the same value, or is no number', (text) => {
  expect(isRounded(text)).toBe(false);
});
