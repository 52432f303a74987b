import { describe, expect, it } from 'vitest';
import { plainCell, refuseTyped } from '../../src/input/cells/typed.ts';
import type { TypedCell } from '../../src/input/records/cell.ts';
import type { FieldType } from '../../src/input/records/field.ts';

const date: TypedCell = { kind: 'date', plain: '2026-10-24' };
const truth: TypedCell = { kind: 'boolean' };
const whole: TypedCell = { kind: 'number', plain: '7', isWhole: true };
const day: TypedCell = { kind: 'number', plain: '44833', isWhole: true, day: '46295' };
const decimal: TypedCell = { kind: 'number', plain: '10.5', isWhole: false };
const percentage: TypedCell = { kind: 'number', plain: undefined, isWhole: true };
const tooLong: TypedCell = { kind: 'too-long' };
const unformatted: TypedCell = { kind: 'unformatted' };
const error: TypedCell = { kind: 'error', place: 'A!B7' };
const uncalculated: TypedCell = { kind: 'uncalculated', place: 'A!B7' };

const ids = ['id', 'memberId', 'carrier', 'trackingNumber', 'phone'] as const;
const amounts = ['money', 'integer'] as const;
const plain = [...amounts, 'dateTime', 'boolean'] as const;
const words = ['text', 'email', 'imageUrl', 'status', 'categories', 'selectedOptions'] as const;
const inWords = expect.stringMatching(/\w{3}/);

describe('a cell of a workbook that is no text', () => {
  it.each<[string, readonly FieldType[], TypedCell, string]>([
    ['a date', ids, date, 'id-made-a-date'],
    ['a boolean', ids, truth, 'id-not-text'],
    ['a number with decimals', ids, decimal, 'id-not-text'],
    ['a number with more digits than Excel keeps', ids, tooLong, 'id-mangled'],
    ['a number in an unknown format', [...ids, ...words], unformatted, 'unknown-format'],
    ['a number that shows another', amounts, percentage, 'shown-otherwise'],
    ['an error', [...ids, ...plain, ...words], error, 'excel-error'],
    ['a formula without a result', [...ids, ...plain, ...words], uncalculated, 'not-calculated'],
  ])('is refused with a remedy where it is %s', (_, types, typed, code) => {
    for (const type of types) {
      expect({ type, refusal: refuseTyped(type, typed, '10') }).toEqual({
        type,
        refusal: { code, reason: inWords, remedy: inWords },
      });
    }
  });

  it.each<[string, readonly FieldType[], TypedCell]>([
    ['a whole number', [...ids, ...amounts], whole],
    ['a date', [...plain, ...words], date],
    ['a boolean', [...plain, ...words], truth],
    ['a number with decimals', [...plain, ...words], decimal],
    ['a long number', [...plain, ...words], tooLong],
    ['a number in an unknown format as a value', plain, unformatted],
    [
      'a number that shows another, where it is text or a date',
      [...words, 'dateTime', 'boolean'],
      percentage,
    ],
  ])('is taken where it is %s', (_, types, typed) => {
    for (const type of types) expect({ type, refusal: refuseTyped(type, typed, '7') }).toEqual({ type });
  });

  it.each(['1,234', '12%', '-1,000'])('is no id where it is shown as %s, which an amount may be', (shown) => {
    for (const type of ids) {
      expect(refuseTyped(type, whole, shown)).toMatchObject({
        code: 'id-not-text',
        reason: expect.stringContaining('as an amount'),
        remedy: inWords,
      });
    }
    expect(refuseTyped('money', whole, shown)).toBeUndefined();
  });

  it('is named with its place and, of an error, with what it shows', () => {
    expect(refuseTyped('text', error, '#N/A')?.reason).toBe('A!B7 shows the error #N/A in place of a value');
    expect(refuseTyped('text', error, undefined)?.reason).toBe('A!B7 shows the error  in place of a value');
    expect(refuseTyped('text', uncalculated, '')?.reason).toContain('A!B7 contains a formula');
  });
});

it.each<[FieldType, TypedCell, string | undefined]>([
  ['money', day, '44833'],
  ['integer', day, '44833'],
  ['boolean', day, '44833'],
  ['dateTime', day, '46295'],
  ['dateTime', whole, '7'],
  ['dateTime', date, '2026-10-24'],
  ['money', date, '2026-10-24'],
  ['money', percentage, undefined],
  ['money', truth, undefined],
  ['dateTime', tooLong, undefined],
  ['id', day, undefined],
  ['text', date, undefined],
  ['status', whole, undefined],
])('a typed cell has its plain value for %s: %o is %s', (type, typed, value) => {
  expect(plainCell(type, typed)).toBe(value);
});
