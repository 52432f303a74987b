import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { Table, type TableStreams } from '../../src/output/formats/table.ts';
import { displayWidth } from '../../src/output/terminal/display-width.ts';
import { rewardOutcomeView } from '../../src/output/views/reward-views.ts';
import type { Column } from '../../src/output/views/view.ts';
import { reviewView } from '../../src/output/views/views.ts';

const options: TableStreams = { columns: 80, hasColor: false, timeZone: '+09:00' };

const column = (header: string, kind: NonNullable<Column['kind']>, path = header): Column => ({
  header,
  path,
  kind,
});

const reviews = [
  {
    id: 'review-000001',
    rating: 5,
    text: '정말 마음에 들어요. 배송도 빠르고 색도 예뻐요 🫶🏽 다음에 또 살게요 👨‍👩‍👧',
    product: { name: '린넨 오버핏 셔츠 (아이보리)' },
    userNickname: '김철수',
    createdAt: '2019-08-24T14:15:22Z',
  },
  {
    id: 'review-000002',
    rating: 4.5,
    text: 'ok',
    product: { name: 'Cap' },
    userNickname: 'a-very-long-nickname-indeed',
    createdAt: '2019-08-25T08:00:00Z',
  },
];

async function linesOf(
  records: readonly JsonObject[],
  columns: readonly Column[],
  { isChosen = false, ...given }: Partial<TableStreams> & { readonly isChosen?: boolean } = {},
) {
  const text = await new Table(columns, { ...options, ...given }, { isChosen }).rows(records);
  return text.trimEnd().split('\n');
}

test.each([72, 80, 100, 140])(
  'a table of reviews fits %i cells and keeps 20 for the text',
  async (columns) => {
    const lines = await linesOf(reviews, reviewView.columns, { columns });
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    const [header = ''] = lines;
    for (const name of ['ID', 'RATING', 'TEXT', 'PRODUCT']) expect(header).toContain(name);
    expect(header.indexOf('PRODUCT') - header.indexOf('TEXT')).toBeGreaterThanOrEqual(22);
  },
);

test('columns stand under their headers whatever the script', async () => {
  expect(await linesOf(reviews, reviewView.columns, { columns: 100 })).toEqual([
    'ID             RATING  TEXT                  PRODUCT         DATE                     AUTHOR',
    'review-000001       5  정말 마음에 들어요.…  린넨 오버핏 …   2019-08-24 23:15 +09:00  김철수',
    'review-000002     4.5  ok                    Cap             2019-08-25 17:00 +09:00  a-very-long-n…',
  ]);
});

describe('a note', () => {
  const check = column('check', 'word');
  const hint = column('what to do', 'note', 'hint');
  const records = [
    { check: 'disk', hint: 'free some space on that disk' },
    { check: 'reach', hint: 'see https://a-long-address.example/ 지구' },
    { check: 'ok', hint: null },
  ];

  test('is in the line if all of them fit', async () => {
    expect(await linesOf(records, [check, hint], { columns: 80 })).toEqual([
      'CHECK  WHAT TO DO',
      'disk   free some space on that disk',
      'reach  see https://a-long-address.example/ 지구',
      'ok',
    ]);
  });

  test('is whole below its row if not, broken between words alone', async () => {
    expect(await linesOf(records, [check, hint], { columns: 20 })).toEqual([
      'CHECK',
      'disk',
      '    free some space',
      '    on that disk',
      'reach',
      '    see',
      '    https://a-long-address.example/',
      '    지구',
      'ok',
    ]);
  });

  test('keeps a command in one piece, to be copied', async () => {
    const next =
      "ask its operator: reviewctl ledger resolve 4711 --refused --reason 'lost, or late'; or wait";
    expect(await linesOf([{ check: 'r1', hint: next }], [check, hint], { columns: 40 })).toEqual([
      'CHECK',
      'r1',
      '    ask its operator:',
      "    reviewctl ledger resolve 4711 --refused --reason 'lost, or late';",
      '    or wait',
    ]);
  });

  test('says which it is where there are several, and is never cut', async () => {
    const long = 'very '.repeat(1_000).trim();
    const message = 'two words, and then quite a few more than the line has room for';
    const [, row = '', first = '', ...others] = await linesOf(
      [{ check: 'r1', message, hint: long }],
      [check, column('message', 'note'), hint],
      { columns: 60 },
    );
    expect([row, first]).toEqual(['r1', '    message: two words, and then quite a few more than the']);
    expect(others.shift()).toBe('    line has room for');
    expect(others.join(' ').replaceAll(/ +/g, ' ').trim()).toBe(`what to do: ${long}`);
    for (const line of others) expect(displayWidth(line)).toBeLessThanOrEqual(60);
  });

  test('is in the line where it fits, if most of them do', async () => {
    const most = [
      { check: 'a', hint: 'would be paid' },
      { check: 'b', hint: 'no member: a guest order' },
    ];
    expect(await linesOf(most, [check, hint], { columns: 24 })).toEqual([
      'CHECK  WHAT TO DO',
      'a      would be paid',
      'b',
      '    no member: a guest',
      '    order',
    ]);
  });

  test('goes below its row where a later one is longer than the first', async () => {
    const table = new Table([check, hint], { ...options, columns: 30 });
    expect(await table.rows([{ check: 'a', hint: 'short' }])).toBe('CHECK  WHAT TO DO\na      short\n');
    expect(await table.rows([{ check: 'b', hint: 'x'.repeat(23) }])).toBe(`b      ${'x'.repeat(23)}\n`);
    expect(await table.rows([{ check: 'c', hint: 'x'.repeat(24) }])).toBe(`c\n    ${'x'.repeat(24)}\n`);
  });
});

test('records that are but a note have no empty lines above them', async () => {
  const problem = column('problem', 'note');
  const records = [{ problem: 'event 12 is not what the events before it make of it' }];
  expect(await linesOf(records, [problem], { columns: 40 })).toEqual([
    '    event 12 is not what the events',
    '    before it make of it',
  ]);
});

test('a note leaves the line when ids have become too long for both', async () => {
  const table = new Table(rewardOutcomeView.columns, options);
  const reason = 'above the cap of a day, which is 5,000';
  expect(await table.rows([{ rewardId: '1', outcome: 'held', reason }])).toContain(`held     ${reason}\n`);
  const rewardId = '9'.repeat(60);
  expect(await table.rows([{ rewardId, outcome: 'held', reason }])).toBe(
    `${rewardId}  held\n    ${reason}\n`,
  );
});

test('a member with a long id leaves the other columns where they are', async () => {
  const table = new Table(rewardOutcomeView.columns, options);
  const paid = { rewardId: '1', memberOriginId: 'M1', outcome: 'paid' };
  const memberOriginId = 'M'.repeat(76);
  expect(await table.rows([paid, { ...paid, memberOriginId }])).toBe(
    `REWARD  MEMBER  OUTCOME\n1       M1      paid\n1               paid\n    ${memberOriginId}\n`,
  );
});

test('a field that is no column of its view is shown by its name, if that is of a time', async () => {
  const columns = [{ header: 'updatedAt', path: 'updatedAt' }];
  expect(await linesOf([{ updatedAt: '2019-08-24T14:15:22Z' }], columns, { isChosen: true })).toEqual([
    'UPDATEDAT',
    '2019-08-24 23:15 +09:00',
  ]);
});

describe('a column without a value', () => {
  const columns = [column('id', 'word'), column('n', 'number'), column('status', 'word')];

  test('is left out until a page has one, which has a header of its own', async () => {
    const table = new Table(columns, options);
    expect(await table.rows([{ id: 'p9', status: '' }])).toBe('ID\np9\n');
    expect(await table.rows([{ id: 'p10', status: 'ok' }])).toBe('ID   STATUS\np10  ok\n');
    expect(await table.rows([{ id: 'p11', status: null }])).toBe('p11\n');
    expect(table.leftOut).toEqual([]);
  });

  test('stays where it was asked for by name', async () => {
    expect((await linesOf([{ id: 'a' }], columns, { isChosen: true }))[0]).toBe('ID  N  STATUS');
  });
});

test('optional columns leave a narrow terminal first, the last before the others', async () => {
  const headerAt = async (columns: number) => (await linesOf(reviews, reviewView.columns, { columns }))[0];
  expect(await headerAt(100)).toMatch(/^ID +RATING +TEXT +PRODUCT +DATE +AUTHOR$/);
  expect(await headerAt(80)).toMatch(/^ID +RATING +TEXT +PRODUCT +DATE$/);
  expect(await headerAt(60)).toMatch(/^ID +RATING +TEXT +PRODUCT$/);
});

test('columns asked for by name never leave', async () => {
  const [header] = await linesOf(reviews, reviewView.columns, { columns: 30, isChosen: true });
  expect(header).toContain('AUTHOR');
});

test('a later, longer id is whole, and its column wider from there on', async () => {
  const table = new Table([column('id', 'word'), column('text', 'text'), column('status', 'word')], options);
  expect(await table.rows([{ id: 'p9', text: 'x', status: 'ok' }])).toBe('ID  TEXT  STATUS\np9  x     ok\n');
  expect(await table.rows([{ id: 'p10', text: 'longer', status: 'ok' }])).toBe('p10  lon…  ok\n');
});

test('pages as wide as each other are drawn alike, and one that is wider again', async () => {
  const table = new Table([column('id', 'word'), column('n', 'number')], options);
  const pages = [[{ id: 'p9', n: 1 }], [{ id: 'q1', n: 2 }], [{ id: 'p10', n: 3 }], [{ id: 'r1', n: 10 }]];
  const texts: string[] = [];
  for (const page of pages) texts.push(await table.rows(page));
  expect(texts).toEqual(['ID  N\np9  1\n', 'q1  2\n', 'p10  3\n', 'r1   10\n']);
});

test('a later, longer id changes widths, never which columns there are', async () => {
  const table = new Table(reviewView.columns, { ...options, columns: 82 });
  expect(await table.rows([{ id: 'r1', rating: 1, text: 'x' }])).toMatch(/^ID +RATING/);
  const id = 'r'.repeat(60);
  expect(await table.rows([{ id, rating: 5, text: 'x'.repeat(40) }])).toMatch(/^r{60} +5 +x{7,}…$/m);
});

test('a later, longer text in the last column is cut by the end of the line alone', async () => {
  const table = new Table([column('id', 'word'), column('error', 'text')], { ...options, columns: 30 });
  expect(await table.rows([{ id: 'a', error: 'short' }])).toBe('ID  ERROR\na   short\n');
  expect(await table.rows([{ id: 'b', error: 'x'.repeat(26) }])).toBe(`b   ${'x'.repeat(26)}\n`);
  expect(await table.rows([{ id: 'c', error: 'x'.repeat(27) }])).toBe(`c   ${'x'.repeat(25)}…\n`);
});

describe.each([
  ['Korean', '좋아요'],
  ['Japanese in half width', 'ｱｲｳ'],
  ['Thai', 'สวัสดีค่ะ'],
  ['an emoji', '👍'],
  ['an emoji of 2021', '🫶🫶'],
  ['emoji with their skins', '👍🏽👍🏿'],
  ['a flag', '🇰🇷'],
  ['a heart that is a text', '❤❤❤'],
  ['a keycap', '1\u20e3'],
  ['marks that compose with nothing', 'x\u0301q\u0301'],
  ['nothing but marks', '\u0301\u0e31'],
])('%s', (_kind, text) => {
  test('moves nothing that stands beside it, and is whole where it fits', async () => {
    const columns = [
      column('text', 'text'),
      column('count', 'number'),
      column('id', 'word', 'text'),
      column('end', 'word'),
    ];
    const records = [text, 'a'].map((one) => ({ text: one, count: 1, end: 'END' }));
    const [, line = '', plainLine = ''] = await linesOf(records, columns);
    expect(line.split(text)).toHaveLength(3);
    expect(displayWidth(line)).toBe(displayWidth(plainLine));
    expect(line).toMatch(/^\S+ {2,} {4}1 {2}\S+ {2,}END$/u);
  });

  test('is cut at the width of its column, and moves nothing', async () => {
    const columns: Column[] = [{ header: 't', path: 'text', kind: 'text', width: 5 }, column('end', 'word')];
    const records = [text.repeat(10), 'x'.repeat(50)].map((one) => ({ text: one, end: 'END' }));
    const [, line = '', plainLine = ''] = await linesOf(records, columns, { columns: 10 });
    expect(displayWidth(line)).toBe(10);
    expect(plainLine).toBe('xxxx…  END');
  });
});

test('line breaks of a text are folded', async () => {
  const columns = [column('text', 'text')];
  expect(await linesOf([{ text: ' one \r\n\r\n two\nthree' }], columns)).toEqual(['TEXT', 'one two three']);
});

test.each<[Json, string]>([
  [1234, '1,234'],
  ['12900.00', '12,900'],
  ['-1234567.50', '-1,234,567.5'],
  ['free', 'free'],
  [[{}, {}], '2'],
])('an amount has one form, whatever the service sends: %j', async (amount, shown) => {
  const columns = [column('amount', 'amount')];
  const [, line = ''] = await linesOf([{ amount }], columns);
  expect(line.trim()).toBe(shown);
});

test('a line or an exit code is not an amount', async () => {
  const columns = [column('line', 'number')];
  expect(await linesOf([{ line: 12345 }], columns)).toEqual([' LINE', '12345']);
});

test('a value of a megabyte is looked at for a thousand characters, even an id', async () => {
  const columns = [column('id', 'word', 'text')];
  const [, line = ''] = await linesOf([{ text: 'x'.repeat(1_000_000) }], columns);
  expect(line).toBe(`${'x'.repeat(1000)}…`);
});

test('color is the header in bold, and nothing else', async () => {
  const columns = [column('id', 'word')];
  expect(await linesOf([{ id: 'a' }], columns, { hasColor: true })).toEqual(['\u001b[1mID\u001b[22m', 'a']);
});

test('a share is told in percent', async () => {
  const records = [1, 0.03125, 0, 7].map((share) => ({ share }));
  const lines = await linesOf(records, [column('share', 'share')]);
  expect(lines).toEqual(['  SHARE', '100.0 %', '  3.1 %', '  0.0 %', '700.0 %']);
});
