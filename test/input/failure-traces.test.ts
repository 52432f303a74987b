import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ideographsOfUtf8 } from '../../src/input/cells/mojibake.ts';
import { fieldReader } from '../../src/input/cells/read-cell.ts';
import { traceRefusals } from '../../src/input/cells/traces.ts';
import { charsetNamed } from '../../src/input/open/charset.ts';
import { isRefusal } from '../../src/input/records/cell.ts';
import type { FieldType } from '../../src/input/records/field.ts';
import { type FailureTrace, failureTraces } from '../../src/input/records/options.ts';
import { orderItemRecords, productRecords } from '../../src/input/records/record-kinds.ts';
import { plainOptions, read, recordsOf, ungrouped } from './reading.ts';
import { oneSheet } from './write-xlsx.ts';

const fixture = (path: string) => readFileSync(new URL(`../../fixtures/${path}`, import.meta.url));
const cp949 = await charsetNamed('cp949');

/** The reader of a field of this type that allows these traces. */
const allowing = (type: FieldType, ...allow: readonly FailureTrace[]) =>
  fieldReader({ type }, { ...plainOptions, allow });

/** The trace for which a cell is refused, if any. */
function traceIn(cell: string, type: FieldType): FailureTrace | undefined {
  const value = allowing(type)(cell);
  if (!isRefusal(value)) return undefined;
  const [, trace] = /--allow (\S+)$/.exec(value.remedy) ?? [];
  return failureTraces.find((name) => name === trace);
}

/** UTF-8 decoded as CP949; `lost` replaces invalid bytes. */
function readAsCp949(text: string, lost: string): string {
  const bytes = Buffer.from(text);
  let shown = '';
  for (let at = 0; at < bytes.length; ) {
    const length = (bytes[at] ?? 0) < 0x80 ? 1 : 2;
    const character = cp949.decode(bytes.subarray(at, at + length));
    shown += character ?? lost;
    at += character === undefined ? 1 : length;
  }
  return shown;
}

const windowsBytes = (text: string) => new TextDecoder('windows-1252').decode(Buffer.from(text));
const latinBytes = (text: string) => Buffer.from(text).toString('latin1');

describe('what a program left where it failed is no id', () => {
  it.each(
    ungrouped({
      'decimal-ids': ['17850.0', '85123.00'],
      'date-ids': [
        ...['Jan-24', '24-Oct', '24. Okt', 'Mrz 24', '24-oct.', 'févr-24', '10월 24일'],
        ...['10월 24일'.normalize('NFD'), '10月24日', '2026-10-24 00:00:00'],
      ],
      'null-words': ['NaN', 'nan', 'NaT', 'null', 'NULL', 'None', 'undefined', 'N/A', '<NA>', '\\N'],
      'error-words': [
        ...['#N/A', '#REF!', '#NAME?', '#DIV/0!', '#SPILL!', ' ######## '],
        ...['[object Object]', '{{id}}', '<%= id %>'],
      ],
      mojibake: ['占쏙옙-1', '占쏙옙'.normalize('NFD'), '머占썽', 'Ã© Ã©', 'Â°', 'A 李六立'],
      'replacement-characters': ['A\ufffd1'],
      'question-marks': ['A-???'],
      escapes: ['A&amp;B', 'P=EB=A8=B8=EA=B7=B8', 'P\\uba38'],
    }),
  )('%s: %j', (trace, cell) => {
    expect(traceIn(cell, 'id')).toBe(trace);
    expect(traceIn(` ${cell} `, 'memberId')).toBe(trace);
  });

  it.each(
    ungrouped({
      'row-marks': [
        ...['# P4', '> P4', '// P4', '-- end --', '3 rows in set (0.00 sec)'],
        'PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted in /var/www/export.php on line 42',
        'ERROR 2013 (HY000): Lost connection to MySQL server during query',
      ],
      'id-lists': ['A-RED,A-BLUE', 'A-RED, A-BLUE', 'RED MUG,BLUE MUG', 'A;B;C'],
    }),
  )('%s until it is allowed: %j', (trace, cell) => {
    expect(traceIn(cell, 'id')).toBe(trace);
    expect(allowing('id', trace)(cell)).toBe(cell);
  });

  it.each([
    ...['17850', '1.0.1', '10.05', 'v1.0', '0.5', '1-19', '24-OctA', 'MAY-2024', 'JAN-240', 'OCT24'],
    ...['nano', 'Nanny', 'nullable', 'NA', 'None-1', 'N', 'n1', '#1001', 'A?1', 'A??1', '[A]', '<b>'],
    ...['김-1', '李-1', 'É-1', 'Tops > Knit, Sale', 'Mug, dark blue', 'A,', '#-1', 'A&B', 'A=EB', 'a\\u1'],
  ])('but %j is one', (cell) => {
    expect(allowing('id')(cell)).toBe(cell);
  });

  it.each(['phone', 'trackingNumber', 'carrier', 'categories'] as const)(
    'nor is it one that numbers %s',
    (type) => {
      expect(traceIn('1012345678.0', type)).toBe('decimal-ids');
      expect(traceIn('nan', type)).toBe('null-words');
    },
  );

  it('nor is it one among several categories', () => {
    expect(traceIn('A|nan', 'categories')).toBe('null-words');
    expect(traceIn('[{"originId":"10.0"}]', 'categories')).toBe('decimal-ids');
  });
});

describe('what a program left is no text either', () => {
  const programs = {
    'null-words': ['None'],
    'error-words': ['#N/A'],
    'replacement-characters': ['빨간 \ufffd\ufffd'],
    'question-marks': ['??? ??', '??', '???? 100g'],
    'control-characters': ['\u001b$)C\u000eBU\u000f', '가\u0007', '가\u000b나', '가\u007f', '가\ufffe'],
    escapes: [
      ...['머그 &amp; 컵', '머그&#0;', '머그&#xAC00;', '머그&nbsp;'],
      ...['=EB=A8=B8=EA=B7=B8', '\\uba38\\uadf8'],
    ],
  } as const;

  it.each(ungrouped(programs))('as %s, %j is refused until it is allowed', async (trace, cell) => {
    const file = `originId,name\n1,"${cell}"\n`;
    const { problems, count } = await read(productRecords, file);
    expect({ count, problems }).toMatchObject({
      count: 0,
      problems: [
        { line: 2, column: 'name', remedy: expect.stringMatching(new RegExp(` --allow ${trace}$`)) },
      ],
    });
    expect(await recordsOf(productRecords, file, { allow: [trace] })).toEqual([
      { originId: '1', name: cell },
    ]);
  });

  it.each(['groupName', 'imageUrl'])('nor in %s', async (path) => {
    const { problems } = await read(productRecords, `originId,${path}\n1,None\n`);
    expect(problems).toMatchObject([
      {
        column: path,
        remedy: expect.stringMatching(
          /^leave the cell blank; to clear alimtalkTemplateCode, .* --allow null-words$/,
        ),
      },
    ]);
  });

  it.each([
    ...['?', '??A', 'None such', 'Null & Co', 'nan khatai', 'Why?', '정말??', 'A?B?C', '30% OFF?'],
    ...['H&M; 셔츠', 'R&D', '1=EB', 'C:\\users', '머그\t\n컵'],
    ...['No. 24-Oct', '17850.0', '#1 Mug', '# 1', '[2+1] 양말', '<신상> 모자', '(재입고) 셔츠'],
  ])('but %j is a name', (name) => {
    expect(allowing('text')(name)).toBe(name);
  });

  it('nor is one question mark one, blanks or not', () => {
    expect(traceIn(' ?', 'text')).toBeUndefined();
  });

  it('while in an option none is a word like any other', () => {
    const options = allowing('selectedOptions');
    expect(options('Gift wrap=None')).toEqual([{ name: 'Gift wrap', value: 'None' }]);
    expect(traceIn('null', 'selectedOptions')).toBe('null-words');
    for (const option of [
      { name: 'a', value: '\ufffd' },
      { name: '\ufffd', value: 'a' },
    ]) {
      expect(options([option])).toSatisfy(isRefusal);
    }
  });

  it.each(['money', 'dateTime', 'boolean', 'integer', 'status'] as const)('nor a %s', (type) => {
    expect(traceIn('nan', type)).toBe('null-words');
    expect(traceIn('#REF!', type)).toBe('error-words');
    expect(allowing(type, 'null-words')('nan')).toSatisfy(isRefusal);
  });
});

describe('a column of long ids that Excel has rounded to 15 digits', () => {
  const file = (ids: readonly string[]) => `originId,name\n${ids.map((id) => `${id},a\n`).join('')}`;
  const rounded = ['2026093012345610', '2026093012345620', '2026093012345630'];

  it('is refused, until it is allowed', async () => {
    const { problems } = await read(productRecords, file(rounded));
    expect(problems).toMatchObject([{ line: 2, column: 'originId', code: 'rounded-ids' }]);
    const allow = ['rounded-ids'] as const;
    expect(await recordsOf(productRecords, file(rounded), { allow })).toHaveLength(3);
  });

  it('is refused also where records are ids alone, and for the order of items', async () => {
    const rows = rounded.map((id, n) => `${id},I-${n}1,P1\n`).join('');
    const content = `orderOriginId,originId,productOriginId\n${rows}`;
    const { problems } = await read(orderItemRecords, content);
    expect(problems).toMatchObject([{ line: 2, column: 'orderOriginId' }]);
  });

  it.each([
    ['two of them', rounded.slice(0, 2)],
    ['one that ends in another digit', [...rounded, '2026093012345641']],
    ['15 digits', rounded.map((id) => id.slice(1))],
    ['letters', rounded.map((id) => `A${id}`)],
  ])('is no such column with %s', async (_, ids) => {
    expect(await recordsOf(productRecords, file(ids))).toHaveLength(ids.length);
  });

  it('is no such column where one order has many items', async () => {
    const rows = [1, 2, 3].map((n) => `2026093012345610,I-${n},P1\n`).join('');
    expect(await recordsOf(orderItemRecords, `orderOriginId,originId,productOriginId\n${rows}`)).toHaveLength(
      3,
    );
  });
});

it.each([
  ['phone', '010-****-1234'],
  ['phone', '010****1234'],
  ['email', 'ki***@example.com'],
] as const)('a masked contact reaches nobody: %s %j', (type, cell) => {
  expect(traceIn(cell, type)).toBe('masked-contacts');
  expect(allowing(type, 'masked-contacts')(cell)).toBe(cell);
});

describe('the currency of an amount is not lost', () => {
  it.each(['$10', '€10', '10€', '10 USD', 'usd 10', 'US$1,234.50', 'HK$ 10', '10 JPY'])(
    '%s is sent only where that is allowed',
    (cell) => {
      expect(traceIn(cell, 'money')).toBe('currencies');
      expect(allowing('money', 'currencies')(cell)).toMatch(/^[\d.]+$/);
    },
  );

  it.each(['₩10', '￦10', '10원', '10 KRW', 'krw 10', '₩10원', '10'])('%s is in won, and 10', (cell) => {
    expect(allowing('money')(cell)).toBe('10');
  });

  it('nor is that of a workbook, which shows it by the format of its cell', async () => {
    const rows = [
      ['orderOriginId', 'originId', 'productOriginId', 'paidPrice'],
      ['O', 'a', 'P', { written: '10', style: 6 }],
      ['O', 'b', 'P', { written: '10', style: 7 }],
    ] as const;
    const files = { 'o.xlsx': oneSheet(rows) };
    const { problems, entries } = await read(orderItemRecords, files);
    expect(problems).toMatchObject([{ line: 2, code: 'foreign-currency', value: '$10.00' }]);
    expect(entries).toMatchObject([{ record: { originId: 'b', paidPrice: '10' } }]);
    const allowed = await read(orderItemRecords, files, { allow: ['currencies'] });
    expect(allowed.entries).toMatchObject([{ record: { paidPrice: '10' } }, { record: { paidPrice: '10' } }]);
  });
});

it('a phone that is the largest number of a program is none, unless allowed', () => {
  expect(traceIn('2147483647', 'phone')).toBe('number-limits');
  expect(allowing('phone', 'number-limits')('2147483647')).toBe('2147483647');
});

it.each([
  ['buyer.phone', '+1'],
  ['recipient.phone', '+1 213-555-0100 ext. 74444'],
  ['buyer.email', 'ki***@example.com'],
])('a bad contact names the flag that leaves it out: %s', async (path, cell) => {
  const file = {
    'o.csv': `orderOriginId,originId,productOriginId,${path}\nA,A-1,P1,${cell}\nB,B-1,P1,\nC,C-1,P1,\n`,
  };
  const flag = `${path}=`;
  const { problems } = await read(orderItemRecords, file);
  expect(problems).toMatchObject([{ line: 2, remedy: expect.stringContaining(`--set ${flag}`) }]);
  expect(await recordsOf(orderItemRecords, file['o.csv'], { set: [flag] })).toHaveLength(3);
});

it.each(Object.entries(traceRefusals))(
  '%s are refused in words, with the flag that sends them',
  (trace, refusal) => {
    expect(refusal).toEqual({
      code: expect.stringMatching(/^[a-z]+(?:-[a-z]+)*$/),
      reason: expect.stringMatching(/\w{3}/),
      remedy: expect.stringMatching(new RegExp(`^\\w.*; to send it as it is, add --allow ${trace}$`)),
    });
  },
);

const koreanNames = [
  '빨간 가방',
  '오버핏 후드 (기모)',
  '김하늘',
  '베이직 코튼 티셔츠',
  '서울특별시 강남구 가상로 12',
  '각설탕 500g',
  '양말 [3켤레]',
  '㈜모노 텀블러',
];

describe('text that was read in the wrong encoding is found', () => {
  it.each(koreanNames)('UTF-8 as CP949: %s', (name) => {
    for (const lost of ['\ufffd', '?', '\u0080', '']) {
      const shown = readAsCp949(name, lost);
      expect([shown, traceIn(shown, 'text')]).not.toEqual([shown, undefined]);
    }
  });

  it.each([...koreanNames, 'カップ', '商品', 'Café', 'Müller', 'don’t', '5 °C', '€ 12', 'Привет', '😀'])(
    'UTF-8 as Windows-1252 or Latin-1: %s',
    (name) => {
      expect(traceIn(windowsBytes(name), 'text')).toBe('mojibake');
      expect(traceIn(latinBytes(name), 'text')).toBe('mojibake');
    },
  );

  it.each(koreanNames)('CP949 as Latin-1: %s', (name) => {
    expect(traceIn(Buffer.from(cp949.encode(name)).toString('latin1'), 'text')).toBe('mojibake');
  });

  it('in ideographs of which CP949 has two', () => {
    expect(traceIn('\uf9e1\uf9d1\uf9f7', 'text')).toBe('mojibake');
  });

  it('by a control character, which no other text has', () => {
    expect(traceIn('가방\u0085', 'text')).toBe('mojibake');
  });

  it('twice over, too', () => {
    expect(traceIn(windowsBytes(windowsBytes('Café')), 'text')).toBe('mojibake');
  });

  it.each([
    ...['«CAFÉ»', '« Café »', '“CAFÉ”', 'CAFÉ’S', 'MANHÃ…', 'LIÇÃO', 'GRÖSSE', 'Åre – Östersund'],
    ...['é»¡°£', '»¡°£é', 'Ã— é', 'É Ã©', '商品 쀼', '李李'],
    ...['½ & ¾', '100 °C', '5 µg', '© 2026', 'naïve', 'Ærø', '····', '°º°º', 'déjà vu', 'Việt Nam'],
    ...[
      '李 찻잔',
      '元氣な子',
      '源氏物語',
      '梨子',
      '二重',
      '李氏',
      '占領',
      '獨占을',
      '똠양꿍',
      '쀼쀼 인형',
      'Café 쀼쀼',
      '子ども',
      'Ⅱ호 ①②',
    ],
    ...[
      '김하늘',
      '오버핏 후드 (기모)',
      'ㅋㅋㅋ',
      '㈜모노 · 텀블러',
      '🎁 선물',
      'Привет',
      'Γειά',
      'สวัสดี',
      '商品',
    ],
  ])('but %j was not', (name) => {
    expect(traceIn(name, 'text')).toBeUndefined();
  });

  it.each(['머그\ufffd\ufffd', '\ufffd머그'])('what was lost before, in UTF-8 as CP949: %s', (name) => {
    expect(traceIn(readAsCp949(name, ''), 'text')).toBe('mojibake');
  });

  it('by all the ideographs that begin Hangul there, and no others', () => {
    const begin = Array.from({ length: 4 * 31 }, (_, index) => [
      0xea + Math.floor(index / 31),
      0xa1 + (index % 31),
    ]);
    expect(cp949.decode(Buffer.from(begin.flat()))?.normalize('NFC')).toBe(ideographsOfUtf8);
  });
});

describe('a template hides nothing', () => {
  const file = (order: string) => `Order,SKU\n${order},P\n`;
  const map = ['orderOriginId=SKU', 'originId={Order}-{n}', 'productOriginId=SKU'];

  it.each(['nan', '17850.0', 'Jan-24', '#N/A', '1.23457E+15', "'007", '합계', '???'])('%s', async (cell) => {
    const { problems } = await read(orderItemRecords, file(cell), { map });
    expect(problems).toMatchObject([{ line: 2, column: '{Order}-{n}', value: cell }]);
  });

  it('where it is allowed it is a part like any other', async () => {
    const [record] = await recordsOf(orderItemRecords, file('nan'), { map, allow: ['null-words'] });
    expect(record?.originId).toBe('nan-1');
  });
});

it('what nearly all text is made of is no trace in any syllable of everyday Korean', () => {
  const index = gunzipSync(fixture('encodings/index-euc-kr.txt.gz')).toString();
  const hangul = Array.from(index.matchAll(/\t([가-힣]) /g), ([, syllable = '']) => syllable);
  expect(hangul.length).toBeGreaterThan(2_000);
  expect(hangul.filter((syllable) => traceIn(`${syllable}${syllable}`, 'text') !== undefined)).toEqual([]);
});
