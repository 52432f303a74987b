import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMoney, jsonMoney, moneyOfJson, parseMoney } from '../../src/base/money.ts';

test.each([
  ['0', 0n],
  ['1500', 15_000_000n],
  ['-2.5', -25_000n],
  ['10.00', 100_000n],
  ['0.0001', 1n],
  ['007', 70_000n],
  ['1.50000000000000000000', 15_000n],
  ['100000000000', 10n ** 15n],
  ['-100000000000', -(10n ** 15n)],
])('%s is read exactly', (text, amount) => {
  expect(parseMoney(text)).toBe(amount);
});

test.each([
  '',
  '-',
  '.5',
  '5.',
  '+1',
  '1,500',
  '1e3',
  '0x10',
  ' 1',
  '1 ',
  '1\n',
  '--1',
  '1.2.3',
  '0.00001',
  '100000000000.0001',
  '9999999999999999999',
  'NaN',
  'Infinity',
  '１５００',
  '1_000',
])('%j is no amount', (text) => {
  expect(parseMoney(text)).toBeUndefined();
});

test('whatever is written is read back as the same amount, without needless zeros', () => {
  const most = 10n ** 15n;
  fc.assert(
    fc.property(fc.bigInt({ min: -most, max: most }), (amount) => {
      const text = formatMoney(amount);
      expect(parseMoney(text)).toBe(amount);
      expect(text).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d{0,3}[1-9])?$/);
    }),
  );
});

test('an amount is a JSON number of the very digits, whatever a reward can be', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), (amount) => {
      const written = JSON.stringify(jsonMoney(amount));
      expect(written).toBe(formatMoney(amount));
      expect(moneyOfJson(JSON.parse(written))).toBe(amount);
    }),
  );
});

test('a sum that no number holds keeps its digits as text', () => {
  expect(jsonMoney(9_223_372_036_854_775_807n)).toBe('922337203685477.5807');
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (amount) => {
      expect(moneyOfJson(JSON.parse(JSON.stringify(jsonMoney(amount))))).toBe(amount);
    }),
  );
});
