import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { readDateTime } from '../../src/input/cells/date-time.ts';
import { readId } from '../../src/input/cells/id.ts';
import { categoriesReader, optionsReader } from '../../src/input/cells/lists.ts';
import { readInteger, readMoney } from '../../src/input/cells/numbers.ts';
import { carrierReader, readTrackingNumber } from '../../src/input/cells/shipment.ts';
import { memberIdReader, readEmail, readImageUrl, readPhone, readText } from '../../src/input/cells/text.ts';
import { readBoolean, statusReader } from '../../src/input/cells/words.ts';
import { isRefusal } from '../../src/input/records/cell.ts';
import { ungrouped } from './reading.ts';

/** Cells with their values. A cell without one is its own value. */
type Table = readonly (string | readonly [cell: Json, value: unknown])[];
type Refusals = Readonly<Record<string, readonly Json[]>>;

function promise(title: string, read: (cell: Json) => unknown, taken: Table, refused: Refusals) {
  describe(title, () => {
    const pairs = taken.map((row) => (typeof row === 'string' ? ([row, row] as const) : row));
    it.each(pairs)('%j is %j', (cell, value) => {
      expect(read(cell)).toEqual(value);
    });
    it.each(ungrouped(refused))('refused as %s: %j', (code, cell) => {
      const refusal = read(cell);
      expect(refusal).toSatisfy(isRefusal);
      expect(refusal).toMatchObject({ code, reason: inWords, remedy: inWords });
    });
  });
}

const inWords = expect.stringMatching(/\w{3}/);

promise(
  'an id is text whose zeros count',
  readId,
  [
    '007',
    [' 007 ', '007'],
    ['\u00a0A-1\u3000', 'A-1'],
    '15E02',
    '1-19',
    'E+15',
    'PE-1',
    '1E+5A',
    '=A1',
    '17850.0',
    'M',
    'm',
    ['\u1112\u1161\u11ab', '한'],
    'Total',
    '합계-1',
    "'N",
    '+82 10-1234-5678',
  ],
  {
    'id-not-text': [7, true, ['7']],
    'id-apostrophe': ["'007", '’0123'],
    'id-quoted': ["'A-1'", '“A-1”', '«1»'],
    'blank-id': [' '],
    'id-without-letters': [
      '-',
      '--',
      '.',
      '*',
      '- -',
      '∞',
      '%',
      '/',
      '::',
      '==',
      '@',
      '[]',
      '_',
      '`',
      '{}',
      '~',
    ],
    'id-grouped': ['1,234', '12,345,678.00'],
    'total-row': ['총 2건', 'Grand Total', 'sub total:', '(3 rows affected)', '12 rows', '합계', ' 총계 '],
    'id-mangled': ['1.23457E+15', '5.54e+08', '2E-5', '1E+15', '12e+345', '-1E+05', '2,3424544E+17'],
    'id-control-character': ['a\nb', 'a\tb', 'a\u0000b', 'a\u007fb', '가\u0085', 'A\u009b1'],
    'id-invisible-character': [
      'A\u200b1',
      '\u202e1-A',
      '\u2067A\u2069',
      'A\u00ad1',
      'A\u2028B',
      'A\u31641',
      'A\ufe0f',
    ],
  },
);

promise(
  'money is an exact decimal',
  readMoney,
  [
    ['6300.00', '6300'],
    ['1,516,452', '1516452'],
    ['12,900원', '12900'],
    ['₩12,900', '12900'],
    ['￦ 12,900', '12900'],
    ['12900 KRW', '12900'],
    ['$1,234.50', '1234.5'],
    ['1,234.50 usd', '1234.5'],
    ['US$ 10', '10'],
    ['10€', '10'],
    ['-0.00', '0'],
    ['0.50', '0.5'],
    '0.125',
    ['1,516.125', '1516.125'],
    ['007', '7'],
    '10',
    '123456789012345',
    '12345678901234.5',
    [' 12,900원 ', '12900'],
    [12900, '12900'],
    [0.1, '0.1'],
    [1.234, '1.234'],
  ],
  {
    'negative-amount': ['-12.50', '₩-12,900', -1],
    'ambiguous-amount': ['1,5', '1,51', '1234,567', '1.516', '1.516.452', '1.234,56', '12.', '.5'],
    'not-an-amount': ['1.5E+3', '(1,200)', 'free', '10 pcs', 'ABC10', '12 900', true, ['12900'], 1e21],
    'amount-too-long': ['1234567890123456', 1234567890123456],
  },
);

promise(
  'an amount with a comma before decimals, once a person has said so',
  (cell) => readMoney(cell, 'comma'),
  [
    ['19,90', '19.9'],
    ['0,5', '0.5'],
    ['1.234,50', '1234.5'],
    ['1.516.452', '1516452'],
    ['1.516', '1516'],
    '12900',
    ['12.900원', '12900'],
    // JSON numbers always have a point.
    [19.9, '19.9'],
    [1.516, '1.516'],
  ],
  { 'ambiguous-amount': ['19.90', '12,900', '1,516,452', '1,5,0'], 'negative-amount': ['-19,90'] },
);

it('the remedy for what is no amount fits either mark before decimals', () => {
  expect(readMoney('free', 'comma')).toMatchObject({ remedy: 'write digits, such as 12900' });
  const remedy = expect.stringMatching(/ 12\.5; if commas .* -c decimal=comma$/);
  expect(readMoney('1,5')).toMatchObject({ remedy });
});

promise(
  'a date-time is ISO-8601 with its offset',
  (cell) => readDateTime(cell, '+09:00'),
  [
    ['2026-09-30 14:36', '2026-09-30T14:36:00+09:00'],
    ['2026-09-30 14:36:07', '2026-09-30T14:36:07+09:00'],
    ['2026-09-30 9:05', '2026-09-30T09:05:00+09:00'],
    ['2026-09-30T14:36:00', '2026-09-30T14:36:00+09:00'],
    ['2026-09-30T14:36:00.123', '2026-09-30T14:36:00.123+09:00'],
    '2019-08-24T14:15:22Z',
    ['2026-04-05 20:45:56 +0500', '2026-04-05T20:45:56+05:00'],
    '2026-04-05T20:45:56-03:30',
    ['2026-09-30', '2026-09-30T00:00:00+09:00'],
    ['2026-9-3', '2026-09-03T00:00:00+09:00'],
    ['2026. 9. 30. 오후 2:36:07', '2026-09-30T14:36:07+09:00'],
    ['2026-09-30 오전 12:05', '2026-09-30T00:05:00+09:00'],
    ['2026. 9. 30.', '2026-09-30T00:00:00+09:00'],
    ['2026. 9. 30. 14:36', '2026-09-30T14:36:00+09:00'],
    ['2026년 9월 30일 오후 2:36', '2026-09-30T14:36:00+09:00'],
    ['2026년 9월 30일', '2026-09-30T00:00:00+09:00'],
    ['2026-09-30 2:36 PM', '2026-09-30T14:36:00+09:00'],
    // As PostgreSQL writes it.
    ['2026-09-30 14:36:07.25+09', '2026-09-30T14:36:07.25+09:00'],
    ['2026.09.30', '2026-09-30T00:00:00+09:00'],
    ['2026/09/30 23:59:59', '2026-09-30T23:59:59+09:00'],
    ['20250829', '2025-08-29T00:00:00+09:00'],
    ['20250829143607', '2025-08-29T14:36:07+09:00'],
    ['2024-02-29', '2024-02-29T00:00:00+09:00'],
    ['46196.98', '2026-06-23T23:31:12+09:00'],
    ['46196', '2026-06-23T00:00:00+09:00'],
    ['25569', '1970-01-01T00:00:00+09:00'],
    ['99999.5', '2173-10-13T12:00:00+09:00'],
    [' 2026-09-30 ', '2026-09-30T00:00:00+09:00'],
    ['2026-09-30t14:36:00z', '2026-09-30T14:36:00Z'],
    ['2026-10-10 10:10:10', '2026-10-10T10:10:10+09:00'],
    ['2026. 1. 1. 오후 1:00', '2026-01-01T13:00:00+09:00'],
    ['1970-01-01', '1970-01-01T00:00:00+09:00'],
    ['2199-12-31', '2199-12-31T00:00:00+09:00'],
  ],
  {
    'date-shortened': ['1-19', '24-Oct', 'Oct-24', '10월 24일'],
    'no-such-time': [
      '2026. 9. 30. 오후 13:00',
      '2026. 9. 30. 오전 0:30',
      '2026-09-30 14:36 PM',
      '2026-09-00',
      '1969-12-31',
      '2200-01-01',
      '2026-02-30',
      '2025-02-29',
      '2026-13-01',
      '2026-00-10',
      '20261301',
      '2026-09-30 24:00',
      '2026-09-30 12:60',
      '2026-09-30 12:00:60',
      '0026-09-30',
      '20261',
      '25568.9',
      '2026-09-30T12:00+15:00',
    ],
    'not-a-date': [
      ...['문 앞에 놓아주세요', '2026-09.30', '2026-09-30 14', 'yesterday', '12', 46196.98],
      ...['2026-09-30 09:00-12', '2026-09-30 오전 2:36 PM'],
    ],
    'year-last': ['09/30/2026', '30.09.2026 14:36'],
  },
);

const withOrder = (order: 'dmy' | 'mdy') => (cell: Json) => readDateTime(cell, '+09:00', order);

promise(
  'a date with its year at the end, once a person has said that the day comes first',
  withOrder('dmy'),
  [
    ['24.11.2026', '2026-11-24T00:00:00+09:00'],
    ['1/2/2026 9:05', '2026-02-01T09:05:00+09:00'],
    ['24-11-2026, 14:36:07', '2026-11-24T14:36:07+09:00'],
    ['2026-11-24', '2026-11-24T00:00:00+09:00'],
    ['46196', '2026-06-23T00:00:00+09:00'],
  ],
  { 'no-such-time': ['11/24/2026', '31.02.2026'], 'not-a-date': ['24.11.26', '24.11/2026'] },
);
promise(
  'a date with its year at the end, once a person has said that the month comes first',
  withOrder('mdy'),
  [
    ['11/24/2026', '2026-11-24T00:00:00+09:00'],
    ['1/2/2026 2:36 PM', '2026-01-02T14:36:00+09:00'],
    ['1/2/2026 12:05am', '2026-01-02T00:05:00+09:00'],
  ],
  { 'no-such-time': ['24.11.2026', '1/2/2026 14:36 PM'] },
);

promise(
  'a boolean is a word people use',
  readBoolean,
  [
    ...['Y', 'y', 'T', 'TRUE', 'true', 'Yes', '1', ' 사용함 ', '사용', '노출함', '진열함'].map(
      (word) => [word, true] as const,
    ),
    ...['N', 'n', 'F', 'FALSE', 'no', '0', '-1', '사용안함', '사용 안함', '노출안함', '진열안함'].map(
      (word) => [word, false] as const,
    ),
    ['사용함'.normalize('NFD'), true],
    [true, true],
    [false, false],
    [1, true],
    [0, false],
  ],
  { 'not-a-boolean': ['maybe', '2', 2, [true]] },
);

promise(
  'a whole number is digits',
  readInteger,
  [
    ['12', 12],
    [' -3 ', -3],
    // As pandas writes a column that has blank cells.
    ['3.0', 3],
    [7, 7],
  ],
  { 'not-an-integer': ['1.5', '1,000', '1e3', 1.5, '99999999999999999', true] },
);

promise(
  "a status is one of the document's five, a word for one, or left alone in progress",
  statusReader(),
  [
    'DELIVERED',
    [' delivered ', 'DELIVERED'],
    ['Return', 'RETURN'],
    'CANCEL',
    'FAIL',
    'EXCHANGE',
    ['배송완료', 'DELIVERED'],
    ['구매 확정', 'DELIVERED'],
    ['취소완료', 'CANCEL'],
    ['반품완료', 'RETURN'],
    ['교환완료'.normalize('NFD'), 'EXCHANGE'],
    ...['배송중', '배송 준비중', '입금전', '결제완료', '발주확인', '반품신청'].map(
      (word) => [word, undefined] as const,
    ),
  ],
  { 'not-a-status': ['N40', 'CANCELLED', 1] },
);

it('an unknown status names the five, and proposes none of them for all records', () => {
  const refused = statusReader()('SHIPPED');
  for (const words of ['DELIVERED, RETURN, CANCEL, FAIL, EXCHANGE', '--set status='])
    expect(refused).toMatchObject({ remedy: expect.stringContaining(words) });
  expect(refused).not.toMatchObject({ remedy: expect.stringMatching(/--set status=\w/) });
});

promise(
  "a preset's own words for a status",
  statusReader({ N40: 'DELIVERED', N30: 'in-progress' }),
  [
    ['N40', 'DELIVERED'],
    ['n40', 'DELIVERED'],
    ['배송완료', 'DELIVERED'],
    ['N30', undefined],
  ],
  { 'not-a-status': ['N50'] },
);

promise(
  'a phone number is digits, dialled as in Korea',
  readPhone,
  [
    '010-1234-5678',
    '01012345678',
    '02-123-4567',
    '1588-1234',
    ['1012345678', '01012345678'],
    ['10-1234-5678', '010-1234-5678'],
    ['+82 10-1234-5678', '010-1234-5678'],
    ['+82 (0)10-1234-5678', '010-1234-5678'],
    ['+821012345678', '01012345678'],
    ["'010-1234-5678", '010-1234-5678'],
    ["'+82 10 1234 5678", '010 1234 5678'],
    '010-****-5678',
    '+1 (415) 555-0100',
    ['82 10-1234-5678', '010-1234-5678'],
    '123-4567',
    '+12 3456 7890 12345',
  ],
  {
    'not-a-phone': [
      '010-1234-5678 (집)',
      '123-456',
      '+12 3456 7890 123456',
      '김하늘',
      '서울시 강남구 1-2',
      'kim@example.com',
      '1234',
    ],
    'id-not-text': [['01012345678'], 1012345678],
    'id-mangled': ['1.01235E+09'],
  },
);

const guests = ['비회원', '(비회원)', ' 비회원구매 '].map((word) => [word, null] as const);

promise(
  'a masked member is nobody, and a guest is no member',
  memberIdReader(readId),
  ['haneul01', ...guests],
  {
    'masked-member': ['hane****', 'han*', '*'],
    'id-not-text': [7],
  },
);

promise(
  'an e-mail address has its @',
  readEmail,
  [[' kim@example.com ', 'kim@example.com'], 'ki***@example.com'],
  {
    'not-an-email': ['010-1234-5678', 'kim at example', 'kim@example.com\u200b', 1],
  },
);

promise(
  'a carrier goes by many names and one code',
  carrierReader(['우리택배= 99 ', '한진=0018']),
  [
    ['CJ대한통운', '04'],
    ['CJ 대한통운', '04'],
    ['cj대한통운(주)', '04'],
    ['CJGLS', '04'],
    ['㈜로젠택배', '06'],
    ['롯데글로벌로지스', '08'],
    ['우체국택배'.normalize('NFD'), '01'],
    '04',
    '0006',
    ['자체배송', 'self'],
    ['직접 배송', 'self'],
    ['방문수령', 'self'],
    ['우리택배', '99'],
    ['한진', '0018'],
    ['한진택배', '05'],
    '번개같이빠른배송',
  ],
  { 'not-a-carrier': ['693340618584', '6933-4061-8584'], 'id-not-text': [4] },
);

it.each([
  ['01', ['우체국', '우편등기', '등기우편', '우체국등기', 'ePost']],
  ['04', ['대한통운', '대한통운택배', 'CJ대한통운택배', 'CJ택배', 'CJ', 'CJ Logistics']],
  ['05', ['한진', 'Hanjin']],
  ['06', ['로젠', 'KGB', 'Logen']],
  ['08', ['롯데택배', '롯데', '현대택배', '롯데(구현대)택배', 'Lotte', 'Hyundai']],
  ['self', ['직접전달', '매장픽업', '퀵서비스', 'SELF']],
])('a carrier whose code is %s is also called %j', (code, names) => {
  expect(names.map(carrierReader())).toEqual(names.map(() => code));
});

promise(
  'a tracking number is a number, whatever parts its digits',
  readTrackingNumber,
  [
    ['6933-4061-8584', '693340618584'],
    ['6933 4061 8584', '693340618584'],
    '41993584183',
    '0012345',
    ["'6933-4061-8584", '693340618584'],
    'EB123456789KR',
    '1Z-999-AA1',
    ['A1'.repeat(20), 'A1'.repeat(20)],
  ],
  {
    'not-a-tracking-number': [
      `${'A1'.repeat(20)}B`,
      '부재시 문 앞에 놓아주세요',
      '문앞 2층',
      '1층에 놓고\n벨 눌러주세요',
      'LEAVE-AT-DOOR',
    ],
    'id-not-text': [41993584183],
    'id-mangled': ['6.93341E+11'],
  },
);

promise(
  'text is trimmed and composed',
  readText,
  [[' 빨간 가방 ', '빨간 가방'], ['\u1112\u1161\u11ab\u1100\u1173\u11af', '한글'], '㈜ 🙂', 'two\nlines'],
  { 'not-text': [5, ['a']] },
);

promise(
  'an image is a web address',
  (cell) => readImageUrl(cell),
  [
    'https://cdn.example/a b.jpg',
    ['//cdn.example/x.jpg', 'https://cdn.example/x.jpg'],
    ['https://cdn.example/a.jpg, https://cdn.example/b.jpg', 'https://cdn.example/a.jpg'],
    'https://cdn.example/a,b.jpg',
    ['https://cdn.example/a.jpg;https://cdn.example/b.jpg', 'https://cdn.example/a.jpg'],
    ['https://cdn.example/a.jpg https://cdn.example/b.jpg', 'https://cdn.example/a.jpg'],
    ['https://cdn.example/a.jpg | https://cdn.example/b.jpg', 'https://cdn.example/a.jpg'],
    ['\nhttps://cdn.example/a.jpg', 'https://cdn.example/a.jpg'],
  ],
  {
    'relative-image': ['20250730/x.jpg', '/web/a, b.jpg'],
    'not-an-address': ['<img src="x.jpg">', 'javascript:alert(1)', 'https://', 1],
  },
);

promise(
  'a relative image belongs under the address of images',
  (cell) => readImageUrl(cell, 'https://shop.example/img/'),
  [['20250730/x.jpg', 'https://shop.example/img/20250730/x.jpg']],
  { 'not-an-address': ['\\\\[/x.jpg'] },
);

/** The categories of a product as the service returns them. */
const reply = (flag: JsonObject) => [{ ...flag, category: { id: '1', originId: '9' } }];
const categories = (...originIds: readonly string[]) => originIds.map((originId) => ({ originId }));

promise(
  'categories are originIds',
  categoriesReader(),
  [
    ['99', categories('99')],
    ['99|109', categories('99', '109')],
    ['99 || 109', categories('99', '109')],
    ['99^|^109', categories('99', '109')],
    ['99\n109\n', categories('99', '109')],
    ['["99","109"]', categories('99', '109')],
    ['[{"originId":"99","isPrimary":true}]', [{ originId: '99', isPrimary: true }]],
    [['99'], categories('99')],
    [[{ originId: '99', isPrimary: false }], [{ originId: '99', isPrimary: false }]],
    [[], []],
    ['99| |109', categories('99', '109')],
    ['Tops>Knit', categories('Tops>Knit')],
    ...[true, 'true'].map(
      (isPrimary) => [reply({ isPrimary }), [{ originId: '9', isPrimary: true }]] as const,
    ),
    ...[false, 'false'].map(
      (isPrimary) => [reply({ isPrimary }), [{ originId: '9', isPrimary: false }]] as const,
    ),
    ...[{ isPrimary: null }, {}].map((flag) => [reply(flag), categories('9')] as const),
  ],
  {
    'not-categories': [
      reply({ isPrimary: 'perhaps' }),
      '[99]',
      '[{"originId":"99","primary":true}]',
      '["99"',
      99,
    ],
    'blank-id': ['[""]'],
    'id-mangled': ['99|1.2E+10'],
  },
);

const brown = { name: '색상', value: '브라운' };
const large = { name: '사이즈', value: 'L' };

promise(
  'selected options are names with values',
  optionsReader(),
  [
    ['색상=브라운', [brown]],
    ['색상: 브라운 / 사이즈: L', [brown, large]],
    ['색상=브라운, 사이즈=L', [brown, large]],
    ['색상: 브라운/사이즈: L', [brown, large]],
    ['색상=브라운/사이즈=L', [brown, large]],
    ['색상=브라운|사이즈=L', [brown, large]],
    ['색상=브라운\n사이즈=L', [brown, large]],
    ['색상=브라운^|^사이즈=L', [brown, large]],
    ['색상=브라운||사이즈=L', [brown, large]],
    ['용량: 1,000ml', [{ name: '용량', value: '1,000ml' }]],
    ['혼용률: 면/폴리', [{ name: '혼용률', value: '면/폴리' }]],
    ['색상: 블랙/화이트/끈: 흰색', [{ name: '색상', value: '블랙/화이트/끈: 흰색' }]],
    ['색상=블랙/화이트, 사이즈=L', [{ name: '색상', value: '블랙/화이트' }, large]],
    ['색상=브라운/1,000ml=2개', [brown, { name: '1,000ml', value: '2개' }]],
    ['시간: 10:30', [{ name: '시간', value: '10:30' }]],
    ['시간=10/11:30', [{ name: '시간', value: '10/11:30' }]],
    ['주소: https://a.example/b: c', [{ name: '주소', value: 'https://a.example/b: c' }]],
    ['각인: 사랑해, 10:30에 만나', [{ name: '각인', value: '사랑해, 10:30에 만나' }]],
    ['각인: 비율은, 16:9', [{ name: '각인', value: '비율은, 16:9' }]],
    [
      '90: 2개, 95: 3개, 100=1',
      [
        { name: '90', value: '2개' },
        { name: '95', value: '3개' },
        { name: '100', value: '1' },
      ],
    ],
    ['[{"name":"색상","value":"브라운"}]', [brown]],
    [[brown], [brown]],
    [' 색상 = 브라운 | | 사이즈 : L ', [brown, large]],
  ],
  { 'not-options': ['브라운', '=브라운', '색상=브라운 / L', '[{"name":"색상"}]', 5] },
);

promise(
  'categories of a shop system may be paths',
  categoriesReader({ hasCategoryPaths: true }),
  [
    ['Tops > Knit, Sale', categories('Tops > Knit', 'Sale')],
    ['Tops>Knit', categories('Tops > Knit')],
    ['Home\\, Garden > Pots, Sale', categories('Home, Garden > Pots', 'Sale')],
  ],
  {},
);

promise(
  'an option without a name may get one of its shop system, but for JSON and what is no text',
  optionsReader({ optionName: '옵션' }),
  [
    [' 브라운 / L ', [{ name: '옵션', value: '브라운 / L' }]],
    ['색상: 브라운', [brown]],
  ],
  { 'not-options': [5, '[1]', ' {"a":"b"}'] },
);
