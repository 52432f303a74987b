import { describe, expect, it } from 'vitest';
import { rowMaximum } from '../../src/input/formats/csv/csv-rows.ts';
import { recordMaximum } from '../../src/input/formats/json/json.ts';
import { columnsMaximum, depthMaximum } from '../../src/input/formats/json/object-table.ts';
import { problemsKept } from '../../src/input/records/problem.ts';
import { categoryRecords, productRecords } from '../../src/input/records/record-kinds.ts';
import { type Files, read } from './reading.ts';

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

const tenMegabytes = 'x'.repeat(10_000_000);

/** Name, content, line and code of its problem, and the valid records before it and, if reading continues, after it. */
const cases: readonly (readonly [string, Files, number, string, readonly string[]])[] = [
  [
    'a row with too many cells; reading goes on',
    'originId,name\na,b\nc,d,e\nf,g\n',
    3,
    'ragged-row',
    ['a', 'f'],
  ],
  ['a quote that is never closed', 'originId,name\na,b\nc,"d\ne,f\n', 3, 'unclosed-quote', ['a']],
  ['a quote that is closed too early', 'originId,name\na,b\nc,"d" e\nf,g\n', 3, 'text-after-quote', ['a']],
  [
    'an unclosed quote that a later one seems to close',
    'originId,name\na,"b\nc,"d"\n',
    3,
    'text-after-quote',
    [],
  ],
  [
    'bytes that are no UTF-8, lines ending with CR',
    bytes('originId,name\ra,b\rc,', [0xff], '\rf,g'),
    3,
    'not-utf-8',
    ['a'],
  ],
  [
    'a character cut off at the end of a file with quotes',
    bytes('originId,name\na,"b"\nc,', [0xed, 0x95]),
    3,
    'not-utf-8',
    ['a'],
  ],
  [
    'a row of delimiters alone, without end',
    `originId,name\na,"b"\nc${','.repeat(10_000_000)}`,
    3,
    'row-too-long',
    ['a'],
  ],
  [
    'a bad byte far into the file',
    bytes(`originId,name\n한,글\n${' ,\n'.repeat(299_997)}`, [0x80], '\n'),
    300_000,
    'not-utf-8',
    ['한'],
  ],
  ['NUL bytes', 'originId,name\na,b\nc,\0d\n', 3, 'nul-bytes', ['a']],
  [
    'half a character of UTF-16',
    Buffer.from('\ufefforiginId,name\na,b\nc,\ud83d\n', 'utf16le'),
    3,
    'not-utf-16le',
    ['a'],
  ],
  ['a line of 10 MB', `originId,name\na,b\nc,${tenMegabytes}`, 3, 'row-too-long', ['a']],
  [
    'a quoted cell of 10 MB in many lines',
    `originId,name\na,b\nc,"${'x\n'.repeat(5_000_000)}`,
    3,
    'row-too-long',
    ['a'],
  ],
  ['the header __proto__', 'originId,__proto__\na,b\n', 1, 'forbidden-header', []],
  ['the header buyer.__proto__', 'originId,buyer.__proto__\na,b\n', 1, 'forbidden-header', []],
  [
    'the JSON name __proto__',
    '[{"originId":"a"},\n{"originId":"b","__proto__":{"isAdmin":true}}]',
    2,
    'forbidden-header',
    [],
  ],
  ['200,000 opening brackets', '['.repeat(200_000), 1, 'too-deep', []],
  [
    '200,000 opening brackets in a value',
    `[{"originId":"a"},\n{"originId":${'['.repeat(200_000)}`,
    2,
    'too-deep',
    ['a'],
  ],
  [
    '200,000 opening brackets on a line of NDJSON; reading goes on',
    { 'p.ndjson': `{"originId":${'['.repeat(200_000)}${']'.repeat(200_000)}}\n{"originId":"b"}` },
    1,
    'too-deep',
    ['b'],
  ],
  [
    'a JSON record of 10 MB',
    `[{"originId":"a"},\n{"originId":"${tenMegabytes}"}]`,
    2,
    'record-too-long',
    ['a'],
  ],
  [
    'a line of NDJSON of 10 MB',
    { 'p.ndjson': `{"originId":"a"}\n{"originId":"${tenMegabytes}"}` },
    2,
    'record-too-long',
    ['a'],
  ],
  [
    'a broken line of NDJSON; reading goes on',
    { 'p.ndjson': '{"originId":"a"}\r\n{"originId":\r\n{"originId":"c"}\r\n' },
    2,
    'broken-json',
    ['a', 'c'],
  ],
  [
    'a record that is no object; reading goes on',
    '[{"originId":"a"},\n["b"],\n{"originId":"c"}]',
    2,
    'not-an-object',
    ['a', 'c'],
  ],
  [
    'a field said twice, nested and dotted; reading goes on',
    '[{"originId":"a"},\n{"originId":"b","x":{"y":1},"x.y":2},\n{"originId":"c"}]',
    2,
    'duplicate-field',
    ['a', 'c'],
  ],
  ['a blank originId; reading goes on', 'originId,name\n ,b\nd,e\n', 2, 'missing', ['d']],
];

describe('bad input is a problem that names its line', () => {
  it.each(cases)('%s', async (_name, files, line, code, good) => {
    const { problems, problemCount, ids, records, count } = await read(productRecords, files);
    const told = problems.filter((problem) => problem.code === code);
    const inWords = expect.stringMatching(/\w/);
    expect(told).toMatchObject([{ line, reason: inWords, remedy: inWords }]);
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

  it('of a record with too many names, which takes no room from those after it', async () => {
    const many = Object.fromEntries(Array.from({ length: columnsMaximum }, (_, n) => [`n${n}`, 1]));
    const lines = [
      { originId: 'a', ...many },
      { originId: 'b', name: 'c' },
    ].map((line) => JSON.stringify(line));
    const { problems, records, notices } = await read(productRecords, { 'p.ndjson': lines.join('\n') });
    expect(problems).toMatchObject([{ line: 1, code: 'too-many-columns' }]);
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
