import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { fieldReader, partRefuser } from '../../src/input/cells/read-cell.ts';
import type { FieldType } from '../../src/input/records/field.ts';
import { plainOptions } from './reading.ts';

const conventions = { carriers: ['한진=18'], statuses: { N40: 'DELIVERED' }, optionName: '옵션' } as const;
const settings = { ...plainOptions, carriers: ['우리=99'], imageBaseUrl: 'https://shop.example/i' };

describe('a cell is read by the type of its field', () => {
  it.each<[FieldType, Json, unknown]>([
    ['id', ' 007 ', '007'],
    ['text', ' a ', 'a'],
    ['imageUrl', 'x.jpg', 'https://shop.example/i/x.jpg'],
    ['memberId', ' m1 ', 'm1'],
    ['phone', '1012345678', '01012345678'],
    ['email', ' a@b.example ', 'a@b.example'],
    ['carrier', '우리', '99'],
    ['carrier', '한진', '18'],
    ['trackingNumber', '1234-5678', '12345678'],
    ['money', '1,000원', '1000'],
    ['dateTime', '2026-09-30', '2026-09-30T00:00:00+09:00'],
    ['boolean', 'Y', true],
    ['integer', '7', 7],
    ['status', 'N40', 'DELIVERED'],
    ['categories', 'A|B', [{ originId: 'A' }, { originId: 'B' }]],
    ['selectedOptions', 'L', [{ name: '옵션', value: 'L' }]],
  ])('%s: %j is %j', (type, cell, value) => {
    const read = fieldReader({ type }, settings, conventions);
    expect([read(cell), read(cell)]).toEqual([value, value]);
  });

  it.each<[FieldType, Json, string]>([
    ['id', 'a\tb', 'id-control-character'],
    ['email', 'kim', 'not-an-email'],
    ['carrier', '693340618584', 'not-a-carrier'],
    ['memberId', 'han*', 'masked-member'],
    ['memberId', 'kim,lee,park', 'id-list'],
    ['memberId', 'kim;lee', 'id-list'],
    ['memberId', '# kim', 'marked-row'],
    ['categories', 'A|nan', 'null-word'],
    ['selectedOptions', '색상=\ufffd', 'replacement-character'],
  ])('%s: %j is refused', (type, cell, code) => {
    expect(fieldReader({ type }, plainOptions)(cell)).toMatchObject({ code });
  });

  it.each([
    ...['id', 'text', 'memberId', 'phone', 'email', 'carrier', 'trackingNumber', 'imageUrl', 'money'],
    ...['dateTime', 'boolean', 'integer', 'status', 'categories', 'selectedOptions'],
  ] as FieldType[])('%s: #VALUE!, which rejects have for lost values, is refused', (type) => {
    const read = fieldReader({ type, isNullable: true }, settings, conventions);
    expect(read('#VALUE!')).toMatchObject({ code: 'error-word' });
  });

  it('a carrier by the common names, where no others are given', () => {
    expect(fieldReader({ type: 'carrier' }, plainOptions)('한진')).toBe('05');
  });

  it('with the words that are allowed', () => {
    const allow = { ...plainOptions, allow: ['null-words'] as const };
    expect(fieldReader({ type: 'categories' }, allow)('A|nan')).toEqual([
      { originId: 'A' },
      { originId: 'nan' },
    ]);
    expect(
      fieldReader({ type: 'selectedOptions' }, plainOptions)('[{"name":"none","value":"#N/A"}]'),
    ).toEqual([{ name: 'none', value: '#N/A' }]);
  });
});

describe('half of a character cannot be sent', () => {
  const whole = '\ud83d\ude00';
  it.each<[FieldType, Json, Json]>([
    ['text', 'a \ud83d', `a ${whole}`],
    ['id', '\ude00-1', `${whole}-1`],
    ['categories', '["A","\\ud83d-1"]', `["A","${whole}-1"]`],
    ['selectedOptions', [{ name: 'a', value: '\ud83d' }], [{ name: 'a', value: whole }]],
    ['selectedOptions', '[{"name":"\\ud83d","value":"b"}]', '[{"name":"a","value":"b"}]'],
  ])('%s: %j is refused, %j is not', (type, torn, sound) => {
    const read = fieldReader({ type }, plainOptions);
    expect(read(torn)).toEqual({
      code: 'half-character',
      reason: expect.stringContaining('half of a character'),
      remedy: expect.stringContaining('write the whole character'),
    });
    expect(read(sound)).not.toHaveProperty('code');
  });
});

it.each<[FieldType, string, boolean]>([
  ['id', 'nan', true],
  ['id', '1.2E+10', true],
  ['memberId', "'007", true],
  ['id', 'A-1', false],
  ['text', 'None', true],
  ['text', "'007", false],
])('a part of a template of %s is refused where it hides a fault: %j', (type, cell, isRefused) => {
  expect(partRefuser(type, plainOptions)(cell)).toBe(isRefused);
});
