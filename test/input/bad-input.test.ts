import { describe, expect, it } from 'vitest';
import { rowMaximum } from '../../src/input/formats/csv/csv-rows.ts';
import { recordMaximum } from '../../src/input/formats/json/json.ts';
import { columnsMaximum, depthMaximum } from '../../src/input/formats/json/object-table.ts';
import { problemsKept } from '../../src/input/records/problem-list.ts';
import { categoryRecords, orderItemRecords, productRecords } from '../../src/input/records/record-kinds.ts';
import { read } from './reading.ts';

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

const tenMegabytes = 'x'.repeat(10_000_000);

interface Case {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly file?: string;
  readonly line: number;
  readonly code: string;
  /** The good records before and, where reading goes on, after it. */
  readonly good: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'a row with too many cells; reading goes on',
    content: 'originId,name\na,b\nc,d,e\nf,g\n',
    line: 3,
    code: 'ragged-row',
    good: ['a', 'f'],
  },
  {
    name: 'a row with too few cells; reading goes on',
    content: 'originId,name\r\na\r\nf,g\r\n',
    line: 2,
    code: 'ragged-row',
    good: ['f'],
  },
  {
    name: 'a quote that is never closed',
    content: 'originId,name\na,b\nc,"d\ne,f\n',
    line: 3,
    code: 'unclosed-quote',
    good: ['a'],
  },
  {
    name: 'a quote that is closed too early',
    content: 'originId,name\na,b\nc,"d" e\nf,g\n',
    line: 3,
    code: 'text-after-quote',
    good: ['a'],
  },
  {
    name: 'an unclosed quote that a later one seems to close',
    content: 'originId,name\na,"b\nc,"d"\n',
    line: 3,
    code: 'text-after-quote',
    good: [],
  },
  {
    name: 'bytes that are neither UTF-8 nor CP949',
    content: bytes('originId,name\r\na,b\r\nc,', [0xb0, 0x20], '\r\nf,g'),
    line: 3,
    code: 'not-utf-8',
    good: ['a'],
  },
  {
    name: 'bytes that are no UTF-8, lines ending with CR',
    content: bytes('originId,name\ra,b\rc,', [0xff], '\rf,g'),
    line: 3,
    code: 'not-utf-8',
    good: ['a'],
  },
  {
    name: 'a character cut off at the end of the file',
    content: bytes('originId,name\na,b\nc,', [0xed, 0x95]),
    line: 3,
    code: 'not-utf-8',
    good: ['a'],
  },
  {
    name: 'a character cut off at the end of a file with quotes',
    content: bytes('originId,name\na,"b"\nc,', [0xed, 0x95]),
    line: 3,
    code: 'not-utf-8',
    good: ['a'],
  },
  {
    name: 'a row of delimiters alone, without end',
    content: `originId,name\na,"b"\nc${','.repeat(10_000_000)}`,
    line: 3,
    code: 'row-too-long',
    good: ['a'],
  },
  {
    name: 'a bad byte far into the file',
    content: bytes(`originId,name\n한,글\n${' ,\n'.repeat(299_997)}`, [0x80], '\n'),
    line: 300_000,
    code: 'not-utf-8',
    good: ['한'],
  },
  {
    name: 'NUL bytes',
    content: 'originId,name\na,b\nc,\0d\n',
    line: 3,
    code: 'nul-bytes',
    good: ['a'],
  },
  {
    name: 'half a character of UTF-16',
    content: Buffer.from('\ufefforiginId,name\na,b\nc,\ud83d\n', 'utf16le'),
    line: 3,
    code: 'not-utf-16le',
    good: ['a'],
  },
  {
    name: 'a line of 10 MB',
    content: `originId,name\na,b\nc,${tenMegabytes}`,
    line: 3,
    code: 'row-too-long',
    good: ['a'],
  },
  {
    name: 'a quoted cell of 10 MB in many lines',
    content: `originId,name\na,b\nc,"${'x\n'.repeat(5_000_000)}`,
    line: 3,
    code: 'row-too-long',
    good: ['a'],
  },
  {
    name: 'a header that a field needs, twice',
    content: '\noriginId,name,name\na,b,c\n',
    line: 2,
    code: 'duplicate-header',
    good: [],
  },
  {
    name: 'two headers that a field could mean',
    content: 'originId,Name,NAME (KR)\na,b,c\n',
    line: 1,
    code: 'ambiguous-columns',
    good: [],
  },
  {
    name: 'the header __proto__',
    content: 'originId,__proto__\na,b\n',
    line: 1,
    code: 'forbidden-header',
    good: [],
  },
  {
    name: 'the header buyer.__proto__',
    content: 'originId,buyer.__proto__\na,b\n',
    line: 1,
    code: 'forbidden-header',
    good: [],
  },
  {
    name: 'the JSON name __proto__',
    content: '[{"originId":"a"},\n{"originId":"b","__proto__":{"isAdmin":true}}]',
    line: 2,
    code: 'forbidden-header',
    good: [],
  },
  {
    name: 'JSON cut in the middle of a record',
    content: '[\n{"originId":"a"},\n{"orig',
    line: 3,
    code: 'broken-json',
    good: ['a'],
  },
  {
    name: 'JSON cut between records',
    content: '[\n{"originId":"a"}\n',
    line: 2,
    code: 'broken-json',
    good: ['a'],
  },
  {
    name: 'JSON with a missing comma',
    content: '[\n{"originId":"a"}\n{"originId":"b"}]',
    line: 3,
    code: 'broken-json',
    good: ['a'],
  },
  {
    name: '200,000 opening brackets',
    content: '['.repeat(200_000),
    line: 1,
    code: 'too-deep',
    good: [],
  },
  {
    name: '200,000 opening brackets in a value',
    content: `[{"originId":"a"},\n{"originId":${'['.repeat(200_000)}`,
    line: 2,
    code: 'too-deep',
    good: ['a'],
  },
  {
    name: '200,000 opening brackets on a line of NDJSON; reading goes on',
    file: 'p.ndjson',
    content: `{"originId":${'['.repeat(200_000)}${']'.repeat(200_000)}}\n{"originId":"b"}`,
    line: 1,
    code: 'too-deep',
    good: ['b'],
  },
  {
    name: 'a JSON record of 10 MB',
    content: `[{"originId":"a"},\n{"originId":"${tenMegabytes}"}]`,
    line: 2,
    code: 'record-too-long',
    good: ['a'],
  },
  {
    name: 'a line of NDJSON of 10 MB',
    file: 'p.ndjson',
    content: `{"originId":"a"}\n{"originId":"${tenMegabytes}"}`,
    line: 2,
    code: 'record-too-long',
    good: ['a'],
  },
  {
    name: 'a broken line of NDJSON; reading goes on',
    file: 'p.ndjson',
    content: '{"originId":"a"}\r\n{"originId":\r\n{"originId":"c"}\r\n',
    line: 2,
    code: 'broken-json',
    good: ['a', 'c'],
  },
  {
    name: 'a record that is no object; reading goes on',
    content: '[{"originId":"a"},\n["b"],\n{"originId":"c"}]',
    line: 2,
    code: 'not-an-object',
    good: ['a', 'c'],
  },
  {
    name: 'a field said twice, nested and dotted; reading goes on',
    content: '[{"originId":"a"},\n{"originId":"b","x":{"y":1},"x.y":2},\n{"originId":"c"}]',
    line: 2,
    code: 'duplicate-field',
    good: ['a', 'c'],
  },
  {
    name: 'values as names; reading goes on',
    file: 'p.ndjson',
    content: `{"originId":"a"}\n${JSON.stringify(Object.fromEntries(Array.from({ length: columnsMaximum }, (_, n) => [`n${n}`, 1])))}\n{"originId":"c"}`,
    line: 2,
    code: 'too-many-columns',
    good: ['a', 'c'],
  },
  {
    name: 'an originId that stands already; reading goes on',
    content: 'originId,name\na,b\na,c\nd,e\n',
    line: 3,
    code: 'duplicate-origin-id',
    good: ['a', 'd'],
  },
  {
    name: 'a blank originId; reading goes on',
    content: 'originId,name\n ,b\nd,e\n',
    line: 2,
    code: 'missing',
    good: ['d'],
  },
];

describe('bad input is a problem that names file and line', () => {
  it.each(cases)('$name', async ({ content, file = 'p.txt', line, code, good }) => {
    const { problems, problemCount, ids, records, count } = await read(productRecords, { [file]: content });
    const told = problems.filter((problem) => problem.code === code);
    expect(told).toEqual([expect.objectContaining({ file, line })]);
    expect(told[0]?.reason).not.toBe('');
    expect(told[0]?.remedy).not.toBe('');
    expect(ids).toEqual(good);
    expect(count).toBe(records.length);
    expect(problemCount).toBe(problems.length);
  });

  it('pollutes no prototype', () => {
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});

describe('what is just within the bounds is read', () => {
  it('a row of the longest length', async () => {
    const name = 'x'.repeat(rowMaximum - 'a,'.length - '\n'.length);
    const { records } = await read(productRecords, `originId,name\na,${name}\n`);
    expect(records[0]?.name).toBe(name);
  });

  it('JSON of the greatest depth', async () => {
    const levels = depthMaximum - 2;
    const content = `[{"originId":"a","x":${'['.repeat(levels)}${']'.repeat(levels)}}]`;
    expect(await read(productRecords, content)).toMatchObject({ count: 1, problemCount: 0 });
    const deeper = `[{"originId":"a","x":${'['.repeat(levels + 1)}${']'.repeat(levels + 1)}}]`;
    expect(await read(productRecords, deeper)).toMatchObject({ count: 0, problemCount: 1 });
  });

  it('records that together are longer than the longest', async () => {
    const name = 'x'.repeat(recordMaximum / 4);
    const records = Array.from({ length: 8 }, (_, index) => ({ originId: String(index), name }));
    expect(await read(productRecords, JSON.stringify(records))).toMatchObject({ count: 8 });
  });
});

describe('problems with other records are told in the same run', () => {
  it('of a bad record, which holds its id: no later one goes out in its place', async () => {
    const { problems, count } = await read(
      productRecords,
      'originId,isReviewDisabled\na,maybe\na,Y\nb,Y\nb,never\n',
    );
    expect(problems.map(({ line, code, reason }) => [line, code, reason])).toEqual([
      [2, 'not-a-boolean', 'this is not a boolean value'],
      [3, 'duplicate-origin-id', expect.stringMatching(/input:2$/)],
      [5, 'not-a-boolean', 'this is not a boolean value'],
      [5, 'duplicate-origin-id', expect.stringMatching(/input:4$/)],
    ]);
    expect(count).toBe(1);
  });

  it('of categories whose parents form a cycle, wherever they stand; the others are good', async () => {
    const { problems, ids } = await read(categoryRecords, {
      'one.csv': 'originId,name,상위 분류번호\nbelow,x,A\nA,x,B\nfree,x,elsewhere\n',
      'two.csv': 'originId,name,parentOriginId\nB,x,A\nself,x,self\nchild,x,free\n',
    });
    const cycle = 'its parents form a cycle: A > B > A';
    expect(problems.map(({ file, line, column, reason }) => [file, line, column, reason])).toEqual([
      ['one.csv', 2, '상위 분류번호', cycle],
      ['one.csv', 3, '상위 분류번호', cycle],
      ['two.csv', 2, 'parentOriginId', cycle],
      ['two.csv', 3, 'parentOriginId', 'its parents form a cycle: self > self'],
    ]);
    expect(ids).toEqual(['free', 'child']);
  });
});

describe('rows of one order that disagree on whose it is', () => {
  const columns = 'orderOriginId,originId,productOriginId,orderedAt,memberOriginId,buyer.name\n';
  const one = `${columns}O,1,P,2026-09-30,kim,\nO,2,P,2026-10-01,,김\nO,3,P,,lee,이\n`;
  const files = { 'o.csv': `${one}N,4,P,2026-09-30,lee,이\n` };

  it('are told where orders are made whole, each with the row it contradicts', async () => {
    const { problems, count } = await read(orderItemRecords, files, { hasWholeOrders: true });
    expect(problems.map(({ line, column, value, reason }) => [line, column, value, reason])).toEqual([
      [4, 'memberOriginId', 'lee', expect.stringMatching(/o\.csv:2$/)],
      [4, 'buyer.name', '이', expect.stringMatching(/o\.csv:3$/)],
    ]);
    expect(count).toBe(4);
  });

  it('are sent where items go out alone', async () => {
    expect(await read(orderItemRecords, files)).toMatchObject({ problems: [], count: 4 });
  });
});

describe('all problems are told', () => {
  it('of a record, each with its column and value', async () => {
    const content = 'originId,name,imageUrl,isAlimtalkEnabled\n1.2E+5,b,x.jpg,maybe\n';
    const { problems } = await read(productRecords, content);
    expect(problems.map(({ column, value, code }) => [column, value, code])).toEqual([
      ['originId', '1.2E+5', 'id-mangled'],
      ['imageUrl', 'x.jpg', 'relative-image'],
      ['isAlimtalkEnabled', 'maybe', 'not-a-boolean'],
    ]);
  });

  it('of a file in the order of its lines', async () => {
    const content = 'originId,isReviewDisabled\na,maybe\nb\nc,maybe\nd,1,2\n"e';
    const { problems } = await read(productRecords, content);
    expect(problems.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6]);
  });

  it('of every file, and a duplicate names where the id stood first', async () => {
    const { problems } = await read(productRecords, {
      'one.csv': 'originId\na\n"b',
      'two.csv': 'originId\nc\nc\na\n',
    });
    expect(problems.map(({ file, line }) => [file, line])).toEqual([
      ['one.csv', 3],
      ['two.csv', 3],
      ['two.csv', 4],
    ]);
    expect(problems[1]?.reason).toMatch(/two\.csv:2$/);
    expect(problems[2]?.reason).toMatch(/one\.csv:2$/);
  });

  it('in number, though only the first are kept', async () => {
    const rows = problemsKept + 7;
    const { problems, problemCount } = await read(
      productRecords,
      `originId,isReviewDisabled\n${Array.from({ length: rows }, (_, index) => `${index},maybe\n`).join('')}`,
    );
    expect(problemCount).toBe(rows);
    expect(problems).toHaveLength(problemsKept);
    expect(problems.at(-1)?.line).toBe(problemsKept + 1);
  });

  it('and a record with too many names takes no room from those after it', async () => {
    const many = Object.fromEntries(Array.from({ length: columnsMaximum }, (_, n) => [`n${n}`, 1]));
    const lines = [
      { originId: 'a', ...many },
      { originId: 'b', name: 'c' },
    ].map((line) => JSON.stringify(line));
    const { records, notices } = await read(productRecords, { 'p.ndjson': lines.join('\n') });
    expect(records).toEqual([{ originId: 'b', name: 'c' }]);
    expect(notices).toEqual([]);
  });

  it('with a value that is shortened', async () => {
    const { problems } = await read(
      productRecords,
      `originId,isReviewDisabled\na,${'x'.repeat(500)}\nb,${'🙂'.repeat(500)}\n`,
    );
    expect(problems[0]?.value).toBe(`${'x'.repeat(79)}…`);
    expect(problems[1]?.value).toBe(`${'🙂'.repeat(79)}…`);
  });
});
