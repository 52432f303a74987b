import { describe, expect, it } from 'vitest';
import {
  orderItemRecords,
  orderItemUpdateRecords,
  productRecords,
} from '../../src/input/records/record-kinds.ts';
import { read } from './reading.ts';

const one = { originId: '1', name: 'a' };
const two = { originId: '2', isReviewDisabled: true };

it('a field of an order may be named after a property of JavaScript objects', async () => {
  const order = { originId: 'O', constructor: 'P', items: [{ originId: 'I' }] };
  const map = ['productOriginId=constructor'];
  const { entries } = await read(orderItemRecords, JSON.stringify(order), { map });
  const record = { orderOriginId: 'O', originId: 'I', productOriginId: 'P' };
  expect(entries).toEqual([{ file: 'input', line: 1, record }]);
});

describe('JSON of any shape gives the same records', () => {
  it.each([
    ['an array', JSON.stringify([one, two]), 'x.json'],
    ['a pretty array', JSON.stringify([one, two], null, 2), 'x.json'],
    ['objects one after the other', JSON.stringify(one, null, 2) + JSON.stringify(two, null, 2), 'x.json'],
    ['one object a line', `${JSON.stringify(one)}\n${JSON.stringify(two)}\n`, 'x.json'],
    [
      'one object a line, CR LF, without the last one',
      `${JSON.stringify(one)}\r\n\r\n${JSON.stringify(two)}`,
      'x.ndjson',
    ],
    ['a byte-order mark', `\ufeff${JSON.stringify([one, two])}`, 'x.json'],
    ['a name that says CSV', JSON.stringify([one, two]), 'x.csv'],
    ['no name', JSON.stringify([one, two]), 'x'],
  ])('%s', async (_name, content, file) => {
    const { records, problems } = await read(productRecords, { [file]: content });
    expect(problems).toEqual([]);
    expect(records).toEqual([one, two]);
  });

  it('one object alone', async () => {
    const { entries } = await read(productRecords, '\n {\n"originId": "1"}');
    expect(entries).toEqual([{ file: 'input', line: 2, record: { originId: '1' } }]);
  });

  it.each([
    ['json', '[]'],
    ['json', ''],
    ['ndjson', '\n\n'],
  ] as const)('%s of %j is no records and no problem', async (format, content) => {
    expect(await read(productRecords, content, { format })).toMatchObject({
      count: 0,
      problemCount: 0,
    });
  });
});

it.each([
  '{"originId":"1"}\n7',
  '{"originId":"1"} \n -1.5e3',
  '{"originId":"1"}\n7\n',
  '{"originId":"1"}\n"a"',
])(
  'what is no object is a problem, also where only the end of the file completes it: %j',
  async (content) => {
    const { records, problems } = await read(productRecords, content);
    expect(records).toEqual([{ originId: '1' }]);
    expect(problems).toMatchObject([{ line: 2, code: 'not-an-object' }]);
  },
);

describe('the line of a record is the line it starts on', () => {
  it('in an array written over many lines', async () => {
    const content = '[\n  {\n    "originId": "1"\n  },\n\n  {"originId":\n"2"}, {"originId": "3"}\n]\n';
    const { entries } = await read(productRecords, content);
    expect(entries.map(({ line, record }) => [line, record.originId])).toEqual([
      [2, '1'],
      [6, '2'],
      [7, '3'],
    ]);
  });

  it('across the pieces a long file is read in', async () => {
    const name = '한🙂'.repeat(50);
    const records = Array.from({ length: 5_000 }, (_, index) => ({ originId: String(index), name }));
    const { entries } = await read(productRecords, JSON.stringify(records, null, 1));
    expect(entries.map(({ line }) => line)).toEqual(records.map((_, index) => 2 + 4 * index));
    expect(entries.map(({ record }) => record)).toEqual(records);
  });
});

describe('JSON values keep their type', () => {
  it('nested and dotted names are the same field', async () => {
    const content = JSON.stringify([
      { orderOriginId: 'O', originId: 'a', productOriginId: 'P', buyer: { name: '김', phone: '010-1234' } },
      {
        orderOriginId: 'O',
        originId: 'b',
        productOriginId: 'P',
        'buyer.name': '김',
        'buyer.phone': '010-1234',
      },
    ]);
    const { records } = await read(orderItemRecords, content);
    expect(records.map(({ buyer }) => buyer)).toEqual([
      { name: '김', phone: '010-1234' },
      { name: '김', phone: '010-1234' },
    ]);
  });

  it('money may be a number, an id may not', async () => {
    const content = JSON.stringify([
      { orderOriginId: 'O', originId: 'a', productOriginId: 'P', paidPrice: 12900.5 },
      { orderOriginId: 'O', originId: 7, productOriginId: 'P' },
    ]);
    const { records, problems } = await read(orderItemRecords, content);
    expect(records.map(({ paidPrice }) => paidPrice)).toEqual(['12900.5']);
    expect(problems).toMatchObject([{ line: 1, column: 'originId', value: '7', code: 'id-not-text' }]);
  });

  it('a refused number is quoted digit by digit, as the file has it', async () => {
    const shipment = '"shipment":{"trackingNumber":12345678901234567890}';
    const content = `[{"originId":1e400,"productOriginId":"1e400","paidPrice":0.1234567890123456789,${shipment}}]`;
    const { problems } = await read(orderItemUpdateRecords, content);
    const quoted = ['0.1234567890123456789', '12345678901234567890', '1e400'];
    expect(new Set(problems.map(({ value }) => value))).toEqual(new Set(quoted));
  });

  it('null is null where the document has it, and says nothing elsewhere', async () => {
    const record = { orderOriginId: 'O', originId: 'a', productOriginId: 'P' };
    const content = JSON.stringify([{ ...record, alimtalkTemplateCode: null, memberOriginId: null }]);
    const { entries } = await read(orderItemRecords, content);
    expect(entries[0]?.record).toEqual({ ...record, alimtalkTemplateCode: null });
  });

  it('a field only some records have is read where it is', async () => {
    const { records, notices } = await read(
      productRecords,
      JSON.stringify([{ originId: '1' }, { originId: '2', name: 'b', colour: 'red' }, { originId: '3' }]),
    );
    expect(records.map(({ name }) => name)).toEqual([undefined, 'b', undefined]);
    expect(notices).toEqual([{ code: 'unknown-columns', message: 'columns not used: colour' }]);
  });
});

describe('broken JSON ends the reading, on the line of the damage', () => {
  const good = '{"originId":"0"}';
  it.each([
    ['a missing comma between records', `[${good}\n${good}]`, 2],
    ['two commas', `[${good},\n,${good}]`, 2],
    ['a comma before the end', `[${good},\n]`, 2],
    ['a missing brace', `[${good},\n{"originId":"1"\n,{"originId":"2"}]`, 3],
    ['a missing quote', `[${good},\n{"originId":"1,\n"name":"a"}]`, 2],
    ['a missing comma in a record', `[${good},\n{"originId":"1",\n"name":"a"\n"groupName":"b"}]`, 4],
    ['a word that is none', `[${good},\n{"originId":nil}]`, 2],
    ['text after the array', `[${good}]\n]`, 2],
    ['a surplus brace', `${good}\n}`, 2],
    ['a comma without an array', `${good}\n,${good}`, 2],
    ['an end inside a record', `[${good},\n{"originId":"1",\n`, 2, 'the file ends inside'],
    ['an end inside the array', `[\n${good}`, 2, 'the file ends inside'],
    ['an end inside a word', `${good}\ntru`, 2, 'the file ends inside'],
  ])('%s', async (_, content, line, reason = 'the JSON is broken') => {
    const { records, problems } = await read(productRecords, content, { format: 'json' });
    expect(records).toEqual([{ originId: '0' }]);
    expect(problems).toMatchObject([{ line, code: 'broken-json', reason: expect.stringContaining(reason) }]);
  });
});

describe('a key that an object has twice is refused: the last one must not win in silence', () => {
  it.each([
    ['{"originId":"1","name":"a","originId":"2"}', 'originId'],
    ['{"originId":"1" , "origin\\u0049d" :"2"}', 'originId'],
    ['{"originId":"1","extra":{"a":1,"b":{"c":1,"c":2}}}', 'extra.b.c'],
    ['{"originId":"1","extra":{"a":1},"extra":{"b":1}}', 'extra'],
    [
      '{"originId":"1","categories":[{"originId":"A"},{"originId":"B","originId":"C"}]}',
      'categories.originId',
    ],
    ['{"originId":"1","":1,"":2}', ''],
    ['{"originId":"1","__proto__":1,"__proto__":2}', '__proto__'],
  ])('%s', async (written, column) => {
    const good = '{"originId":"0"}';
    for (const content of [`${good}\n${written}\n`, `[${good},\n${written}]`, `${good}\n${written}`]) {
      for (const file of ['x.json', 'x.ndjson']) {
        if (content.startsWith('[') && file === 'x.ndjson') continue;
        const { records, problems } = await read(productRecords, { [file]: content });
        expect(problems).toMatchObject([{ file, line: 2, column, code: 'duplicate-field' }]);
        expect(records).toEqual([{ originId: '0' }]);
      }
    }
  });

  it.each([
    '{"originId":"1","name":"\\"originId\\":\\"2\\""}',
    '{"originId":"1","name":"a\\\\","groupName":": \\" : }{"}',
    '{"originId":"1","name":"x","categories":[{"originId":"A"},{"originId":"B"}]}',
    '{"originId" :"1","name":"14:36","extra":{"originId":"9","name":"n"}}',
  ])('what only looks like it is not: %s', async (written) => {
    for (const file of ['x.json', 'x.ndjson']) {
      const { problems, count } = await read(productRecords, { [file]: written });
      expect({ problems, count }).toEqual({ problems: [], count: 1 });
    }
  });
});

describe('an object around the list of records is told as what it is', () => {
  it.each([
    '{"products":[{"originId":"1"}]}',
    '{"totalCount":1,"data":[{"originId":"1"}],"pageInfo":{"hasNextPage":false,"endCursor":"x"}}',
    '{\n "products": [\n  {"originId":"1"}\n ]\n}',
  ])('%j', async (content) => {
    const { problems } = await read(productRecords, content);
    expect(problems).toMatchObject([
      { line: 1, code: 'not-a-list', remedy: expect.stringContaining('the list of records itself') },
    ]);
  });

  it('and as one page, where it says that there are more', async () => {
    const content =
      '{"data":[{"originId":"1"},{"originId":"2"}],"total":500,"next":"https://shop.example/?page=2"}';
    const { problems } = await read(productRecords, content);
    const reason = 'this is one page of a list: it contains 2 of 500 records';
    expect(problems).toMatchObject([{ line: 1, code: 'not-a-list', reason }]);
  });

  it('also where it is longer than any record', async () => {
    const records = Array.from({ length: 60_000 }, (_, index) => ({ originId: String(index), name: 'a' }));
    const content = JSON.stringify({ products: records }, null, 1);
    const { problems } = await read(productRecords, content);
    expect(problems).toMatchObject([
      { code: 'record-too-long', remedy: expect.stringContaining('the list of records itself') },
    ]);
  });

  it.each([
    '{"originId":7,"categories":[{"originId":"A"}]}',
    '{"originId":"1","variants":[{"originId":"A"}]}',
    '{"tags":["a"]}',
  ])('a record with lists is none: %s', async (content) => {
    const { problems } = await read(productRecords, content);
    expect(problems.filter(({ code }) => code === 'not-a-list')).toEqual([]);
  });
});

describe('half of a character is no text', () => {
  it.each([
    ['originId', '"A\\ud83d"', 'A\ud83d'],
    ['name', '"\\ude00 cup"', '\ude00 cup'],
    ['imageUrl', '"https://x.example/\\ud800.png"', 'https://x.example/\ud800.png'],
  ])('in %s it is refused, however it came: %s', async (column, written, value) => {
    const line =
      column === 'originId' ? `{"originId":${written}}` : `{"originId":"1","${column}":${written}}`;
    for (const file of ['x.json', 'x.ndjson']) {
      const { problems, count } = await read(productRecords, { [file]: line });
      expect(problems).toMatchObject([{ file, line: 1, column, value, code: 'half-character' }]);
      expect(count).toBe(0);
    }
  });

  it('a whole pair is text', async () => {
    const { records } = await read(productRecords, '{"originId":"1","name":"\\ud83d\\ude00"}\n');
    expect(records[0]?.name).toBe('😀');
  });
});

it('a column that JSON lacks is told after the last record, for any of them may bring it', async () => {
  const content = '{"originId":"1"}\n{"originId":"2","title":"b"}\n';
  const { records } = await read(productRecords, content, { map: ['name=title'] });
  expect(records.map(({ name }) => name)).toEqual([undefined, 'b']);
  const { problems } = await read(productRecords, content, { map: ['name=titel'] });
  expect(problems).toMatchObject([
    { reason: "there is no column 'titel'", remedy: expect.stringContaining("did you mean 'title'?") },
  ]);
});
