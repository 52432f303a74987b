import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import { readCsv } from '../../src/input/formats/csv/csv.ts';
import type { Fault } from '../../src/input/records/problem.ts';
import { productRecords } from '../../src/input/records/record-kinds.ts';
import type { InputRow } from '../../src/input/records/row-batch.ts';
import { read, recordsOf } from './reading.ts';
import { lineEnds, writtenCell } from './written.ts';

const spectrum = new URL('../../fixtures/csv-spectrum/', import.meta.url);

interface Table {
  readonly header: readonly string[];
  readonly rows: readonly InputRow[];
  readonly problems: readonly Fault[];
}

/** The raw table of a text read in these pieces: header and rows, before any mapping. */
async function tableOf(pieces: readonly string[], delimiter = ','): Promise<Table> {
  const rows: InputRow[] = [];
  const problems: Fault[] = [];
  let header: readonly string[] = [];
  for await (const batch of readCsv(streamOf(pieces), { delimiter })) {
    rows.push(...batch.rows.map(({ line, cells }) => ({ line, cells })));
    if (batch.end) problems.push(batch.end);
    header = batch.header;
  }
  return { header, rows, problems };
}

const spectrumNames = readdirSync(new URL('csvs', spectrum)).map((name) => name.replace('.csv', ''));

it.each(spectrumNames)('csv-spectrum comes out exactly: %s', async (name) => {
  const { header, rows, problems } = await tableOf([spectrumCsv(name)]);
  expect(problems).toEqual([]);
  const objects = rows.map(({ cells }) =>
    Object.fromEntries(header.map((column, index) => [column, cells[index]])),
  );
  expect(objects).toEqual(spectrumJson(name));
});

/** The copy contains no CR; this restores it in the files named for it. */
function spectrumCsv(name: string): string {
  const content = readFileSync(new URL(`csvs/${name}.csv`, spectrum), 'utf8');
  return name.endsWith('_crlf') ? content.replaceAll('\n', '\r\n') : content;
}

/** One of the JSON files is not an array and has a different phone number than its CSV. */
function spectrumJson(name: string): unknown {
  const json: unknown = JSON.parse(readFileSync(new URL(`json/${name}.json`, spectrum), 'utf8'));
  if (name !== 'location_coordinates') return json;
  return [{ ...(json as object), 'Contact Phone Number': '2095257564' }];
}

describe('the line of a record is the line it starts on', () => {
  it.each([
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ])('after cells of several lines, with %s', async (_name, end) => {
    const content = ['originId,name', 'a,"one', 'two', 'three"', '', 'b,x', '"c","', '"', 'd,y'].join(end);
    const { entries } = await read(productRecords, content);
    expect(entries.map(({ line, record }) => [line, record.originId])).toEqual([
      [2, 'a'],
      [6, 'b'],
      [7, 'c'],
      [9, 'd'],
    ]);
  });

  it('with line ends of all kinds in one file', async () => {
    const { entries } = await read(productRecords, 'originId\r\na\rb\nc\r\n\r\nd');
    expect(entries.map(({ line, record }) => [line, record.originId])).toEqual([
      [2, 'a'],
      [3, 'b'],
      [4, 'c'],
      [6, 'd'],
    ]);
  });
});

describe('a piece of a file may end anywhere', () => {
  const pieceBytes = 65_536;
  const straddling = '한🙂,"a""b"\r\nc,d\r\n';

  it.each(Array.from({ length: Buffer.byteLength(straddling) + 1 }, (_, before) => before))(
    '%i bytes into a row with wide characters, doubled quotes and CR LF',
    async (before) => {
      const start = 'originId,name\r\n1,';
      const filler = 'x'.repeat(pieceBytes - before - start.length - '\r\n'.length);
      expect(await recordsOf(productRecords, `${start}${filler}\r\n${straddling}`)).toEqual([
        { originId: '1', name: filler },
        { originId: '한🙂', name: 'a"b' },
        { originId: 'c', name: 'd' },
      ]);
    },
  );

  it.each([0, 1, 2, 3, 4, 5])('%i bytes into a line end, and no line is counted twice', async (before) => {
    const start = 'originId,name\r\n1,';
    const filler = 'x'.repeat(pieceBytes - before - start.length);
    const { entries } = await read(productRecords, `${start}${filler}\r\n\r\n2,b\r3,c`);
    expect(entries.map(({ line }) => line)).toEqual([2, 4, 5]);
    const { problems } = await read(
      productRecords,
      Buffer.concat([Buffer.from(`${start}${filler}\r\n\r\n2,b\r`), Buffer.from([0xff])]),
    );
    expect(problems).toMatchObject([{ line: 5, code: 'not-utf-8' }]);
  });
});

describe('quotes', () => {
  it('quote a cell only as its first character; `="007"` is a cell of a file that quotes, too', async () => {
    const records = await recordsOf(productRecords, 'originId,name\n="007",pipe\n"8","a ""b"" c"\n');
    expect(records).toEqual([
      { originId: '007', name: 'pipe' },
      { originId: '8', name: 'a "b" c' },
    ]);
  });

  it('are characters in a file that never quotes', async () => {
    const content = 'originId,name,groupName\n1,5" pipe,x\n2,24",7"\n3,4"x6" frame,y "z"\n4,,z\n';
    expect((await recordsOf(productRecords, content)).map(({ name }) => name)).toEqual([
      '5" pipe',
      '24"',
      '4"x6" frame',
      undefined,
    ]);
  });

  it.each([
    ['a lost delimiter', '1,Boots"Here, when",x', false],
    ['a lost delimiter, of the only quoted cell', '1,Boots"Here, when"', true],
    ['a lost delimiter, no delimiter within', '1,Boots"Here",x', false],
    ['a blank before the quote', '1, "Mug",x', true],
    ['an inch sign', '1,5" pipe,x', false],
  ])('inside a cell are damage in a file that quotes: %s', async (_name, row, isAlone) => {
    const header = row.includes(',x') ? 'originId,name,groupName' : 'originId,name';
    const blanks = ','.repeat(header.split(',').length - 2);
    const others = isAlone ? `2,b${blanks}\n` : `2,"b, c"${blanks}\n`;
    for (const rows of [`${row}\n${others}`, `${others}${row}\n`]) {
      const { problems } = await read(productRecords, `${header}\n${rows}`);
      const line = rows.startsWith(row) ? 2 : 3;
      expect(problems).toMatchObject([{ line, code: 'stray-quote', value: expect.stringContaining('"') }]);
    }
  });

  it('inside a header are damage, too', async () => {
    const { problems, records } = await read(productRecords, 'originId,name"groupName, x"\n1,a,b\n2,"c",d\n');
    expect(problems).toMatchObject([{ line: 1, code: 'stray-quote' }]);
    expect(records).toEqual([]);
  });
});

describe('the delimiter is found by itself', () => {
  it.each([',', '\t', ';', '|'])('%j', async (delimiter) => {
    const content = `originId${delimiter}name\n1${delimiter}a\n2${delimiter}"b,;|\tc"\n`;
    expect(await recordsOf(productRecords, content)).toEqual([
      { originId: '1', name: 'a' },
      { originId: '2', name: 'b,;|\tc' },
    ]);
  });

  it('is the one under which the rows agree, not the one that occurs most', async () => {
    expect(await recordsOf(productRecords, 'originId;name\n1;b,c,d\n2;e,f,g,h\n')).toEqual([
      { originId: '1', name: 'b,c,d' },
      { originId: '2', name: 'e,f,g,h' },
    ]);
  });

  it('can be given', async () => {
    expect(await recordsOf(productRecords, 'originId^name\n1^a,b', { delimiter: '^' })).toEqual([
      { originId: '1', name: 'a,b' },
    ]);
    expect(await recordsOf(productRecords, 'originId\tname\n1\ta', { delimiter: '\\t' })).toHaveLength(1);
  });
});

describe('what surrounds the records', () => {
  it('blank rows are passed over, before the header and between records', async () => {
    const { entries } = await read(productRecords, '\n,,\noriginId,name\n\n1,a\n , \n2,b\n\n');
    expect(entries.map(({ line }) => line)).toEqual([5, 7]);
  });

  it.each([
    ['100,000 blank lines', ' \r\n'.repeat(100_000), 100_003],
    ['the delimiters that Excel writes down to its last row', ',\n'.repeat(150_000), 150_003],
  ])('%s are passed over', async (_name, blank, line) => {
    const { entries, problems } = await read(productRecords, `originId,name\n1,a\n${blank}2,b\n`);
    expect(problems).toEqual([]);
    expect(entries.map((entry) => entry.line)).toEqual([2, line]);
  });
});

describe('a header where none is expected', () => {
  it.each([
    ['a title', '상품 목록\n\noriginId,name\n1,a\n', 3],
    ['a title as wide as the table', '상품 목록,,\noriginId,name,groupName\n1,a,\n', 2],
    ['a title and a date', '상품 목록\n출력일: 2026-09-30\noriginId,name\n1,a\n', 3],
    ['two cells', '기간,9월\noriginId,name,groupName\n1,a,b\n', 2],
    ['many lines of many widths', 'A,B\nC,D\n\n"E\nF",G,H\nI\noriginId,name\n1,a\n2,b\n', 7],
    ['another header', '상품코드,상품명\noriginId,name\n1,a\n', 2],
    ['the same header', 'originId,name\noriginId,name\n1,a\n', 2],
  ])(
    '%s above the header: the line of the header is named, and nothing else',
    async (_name, content, line) => {
      const { problems, records } = await read(productRecords, content);
      expect(problems).toMatchObject([
        { remedy: `line ${line} looks like the header; add --header-row ${line}` },
      ]);
      expect(records).toEqual([]);
      const found = await read(productRecords, content, { headerRow: line });
      expect(found.problems).toEqual([]);
      expect(found.records[0]?.originId).toBe('1');
    },
  );

  it.each([
    ['the header once more', 'originId,name\n', 'repeated-header', ['1', '2']],
    ['the header after a byte-order mark', '\ufefforiginId,name\n', 'repeated-header', ['1', '2']],
    ['dashes', '--------,----\n', 'rule-row', ['1', '2']],
    ['dashes without delimiters', '+------+\n', 'rule-row', ['1', '2']],
    ['the header of another table', 'ORDERID,SUM\n', 'second-header', ['1']],
    ['the header in another order', 'name,originId\n', 'second-header', ['1']],
    ['a sum', 'Total,2\n', 'total-row', ['1', '2']],
    ['a sum with its unit', '합계:,2건\n', 'total-row', ['1', '2']],
  ])('%s among the records is none of them', async (_name, row, code, good) => {
    const { problems, ids } = await read(productRecords, `originId,name\n1,a\n${row}2,b\n`);
    expect(problems).toMatchObject([{ line: 3, code }]);
    expect(ids).toEqual(good);
  });

  it('a product may be called Total', async () => {
    const { problems } = await read(productRecords, 'originId,name\n1,a\nTotal,b\n');
    expect(problems).toEqual([]);
  });

  it.each(['(필수),(필수)', 'string,varchar(40)', 'Required*,'])(
    'what the columns take, right below the header, is none of them: %s',
    async (row) => {
      const { problems, ids } = await read(productRecords, `originId,name\n${row}\n1,a\n`);
      expect(problems).toMatchObject([{ line: 2, code: 'guide-row' }]);
      expect(ids).toEqual(['1']);
    },
  );

  it('the header once more is none of them either where its names are long', async () => {
    const name = `product ${'x'.repeat(40)}`;
    const content = `${name},name\n1,a\n${name},name\n2,b\n`;
    const { problems } = await read(productRecords, content, { map: [`originId=${name}`] });
    expect(problems).toMatchObject([{ line: 3, code: 'repeated-header' }]);
  });

  it('a second header that nobody knows is no record `PRODUCTID`', async () => {
    const { problems } = await read(productRecords, '상품코드,상품명\nPRODUCTID,PRNAME\n1,a\n');
    expect(problems).toMatchObject([{ line: 2, code: 'second-header' }]);
  });

  it('a delimiter that is not detected is asked for', async () => {
    const { problems } = await read(productRecords, 'originId~name\n1~a\n');
    expect(problems).toMatchObject([
      { remedy: expect.stringContaining('give their delimiter with --delimiter') },
    ]);
  });

  it('a --header-row beyond the end is a problem, for it would hide every record', async () => {
    const { problems } = await read(productRecords, 'originId\n1\n2\n', { headerRow: 40 });
    expect(problems).toMatchObject([{ code: 'no-header' }]);
  });
});

describe('rows of another width than the header', () => {
  it.each([
    ['a delimiter at the end of every row', 'originId,name\n1,a,\n2,b,\n', ['row-ends']],
    ['three delimiters there', 'originId,name\n1,a,,,\n2,b,,,\n', ['row-ends']],
    [
      'a delimiter there below a column that no field speaks of',
      'originId,name,메모\n1,a,x,\n2,b,y,\n',
      ['row-ends', 'unknown-columns'],
    ],
    ['one at the end of the header, too', 'originId,name,\n1,a,\n2,b,\n', []],
    ['one at the end of the header alone', 'originId,name,\n1,a\n2,b\n', []],
  ])('%s changes nothing, and is said once', async (_name, content, codes) => {
    const { problems, notices, records } = await read(productRecords, content);
    expect({ problems, codes: notices.map(({ code }) => code) }).toEqual({ problems: [], codes });
    expect(records).toEqual([
      { originId: '1', name: 'a' },
      { originId: '2', name: 'b' },
    ]);
  });

  it('the numbers that R puts before its rows are no ids, also where the last cells are blank', async () => {
    const content = 'originId,name,groupName\n1,P-7,a,\n2,P-8,b,\n3,P-9,c,\n';
    const { problems, records } = await read(productRecords, content);
    expect(problems).toMatchObject([{ line: 1, code: 'header-width' }]);
    expect(records).toEqual([]);
  });

  const four = 'originId,name,groupName,imageUrl\n';
  it.each([
    ['a blank cell too many in one row', `${four}P1,Cup,Cups,\nP2,Mug, blue,Mugs,\n`, [3]],
    ['a blank cell too many in the first row', `${four}P2,Mug,blue,Mugs,\nP1,Cup,Cups,\n`, [2]],
    ['a blank cell too many in the only row', `${four}P2,Mug,blue,Mugs,\n`, [2]],
    ['names with a comma in every row', `${four}P1,Cup, red,Cups,\nP2,Mug, blue,Mugs,\n`, [2, 3]],
    ['amounts with a comma in every row', `${four}P1,12,900,Cups,\nP2,9,500,Mugs,\n`, [2, 3]],
    ['various blank cells too many', `${four}P1,Cup,Cups,,\nP2,Mug,Mugs,,,\n`, [2, 3]],
    ['a cell too few in one row', `${four}P1,Cup,Cups,\nP2,Mug,Mugs\n`, [3]],
    ['a cell too few in the first row', `${four}P2,Mug,Mugs\nP1,Cup,Cups,\n`, [2]],
    ['a cell too few in the only row', `${four}P2,Mug,Mugs\n`, [2]],
    ['rows without the last delimiter under a header with one', 'originId,name,\n1a,\n2,b,\n', [2]],
    ['a value where the header has no name', 'originId,name,\n1,a,b\n2,b,\n', [2]],
  ])('%s is an error in that row, which is shown', async (_name, content, lines) => {
    const { problems } = await read(productRecords, content);
    expect(problems.map(({ line }) => line)).toEqual(lines);
    for (const { code, value } of problems) {
      expect({ code, value }).toEqual({ code: 'ragged-row', value: expect.stringContaining(' | ') });
    }
  });

  it.each([
    ['has lost a delimiter', 'originId,namegroupName,groupId\n1,a,b,\n2,b,c,\n'],
    ['has one too many', 'originId,na,me,groupName\n1,a,b\n2,b,c\n'],
    ['has a blank name too many', 'originId,,name,groupName\n1,a,b\n2,b,c\n'],
    ['has names that no row has cells for', 'originId,name,groupName,groupId\n1,a\n2,b\n'],
    ['has another delimiter than its rows', 'originId;name\n1,a\n2,b\n3,c\n'],
    ['stands above rows that are quoted whole', 'originId,name\n"1,a"\n"2,b"\n'],
  ])('a header that maybe %s is refused: its names may belong to other columns', async (_name, content) => {
    const { problems, notices, records } = await read(productRecords, content);
    expect(problems).toMatchObject([{ line: 1, code: 'header-width' }]);
    expect(notices.map(({ code }) => code)).not.toContain('row-ends');
    expect(records).toEqual([]);
  });

  it('a first piece decides how wide rows are, and a later one that differs is an error', async () => {
    const rows = Array.from({ length: 9_000 }, (_, n) => `${n},name ${n},\n`).join('');
    const { problems, count } = await read(productRecords, `originId,name\n${rows}A,b\n`);
    expect({ problems, count }).toMatchObject({
      problems: [{ line: 9_002, code: 'ragged-row' }],
      count: 9_000,
    });
  });

  it('cells are counted as the header is written, with the blank one at its end', async () => {
    const content = 'originId,name,groupName,groupId,\n1,a,b,,\n2,b,c,,,\n';
    const { problems } = await read(productRecords, content);
    expect(problems).toMatchObject([{ line: 3, reason: 'this row has 6 cells, the header has 5' }]);
  });
});

describe('rows that have lost their cells', () => {
  it.each([
    ['a footer', 'P1,a\nP2,b\nExported on 2026-09-30,\n', [4, 'lone-value']],
    ['a line that closes the list', 'P1,a\nP2,b\n-- end --,\n', [4, 'marked-row']],
    ['a footnote', 'P1,a\nP2,b\n* 재고 수량은 실시간이 아닙니다,\n', [4, 'lone-value']],
    ['a row that is cut off', 'P1,a\nP2,b\nP4,', [4, 'lone-value']],
    ['the message of a program', 'P1,a\nP2,b\nKilled,\n', [4, 'lone-value']],
    ['rows that all have an id alone', 'P1,\nP2,\nP3,\n', [1, 'empty-columns']],
  ])('%s is refused', async (_, rows, [line, code]) => {
    const { problems } = await read(productRecords, `originId,name\n${rows}`);
    expect(problems).toContainEqual(expect.objectContaining({ line, code }));
  });

  it.each([
    ['in one row', 'P1,\n'],
    ['in several rows, the last among them', 'P1,\nP2,b\nP3,\n'],
    ['in a row that is not the last', 'P1,a\nP2,\nP3,c\n'],
  ])('but an id may be alone %s', async (_, rows) => {
    const { problems } = await read(productRecords, `originId,name\n${rows}`);
    expect(problems).toEqual([]);
  });

  it.each([
    ['a file whose last line has no line end', 'P1,a\nP2,b', ['no-line-end']],
    ['the same in quotes', 'P1,"a"\nP2,"b"', ['no-line-end']],
    ['a blank last line without one', 'P1,a\nP2,b\n  ', []],
    ['a file that ends with its line', 'P1,a\nP2,b\n', []],
  ])('%s is read, and what may be lost is said', async (_, rows, codes) => {
    const { problems, notices } = await read(productRecords, `originId,name\n${rows}`);
    expect({ problems, codes: notices.map(({ code }) => code) }).toEqual({ problems: [], codes });
  });
});

/** Cells that writers must quote, and cells that look like something else. */
const cell = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '',
    'a',
    '007',
    '"',
    '""',
    ',',
    ';',
    '\t',
    '\n',
    '\r\n',
    '\r',
    ' x ',
    '한글',
    '🙂',
    '="1"',
    '\\',
  ),
);

const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 12 }));

const writer = fc.record({
  delimiter: fc.constantFrom(',', '\t', ';', '|'),
  end: fc.constantFrom('\n', '\r\n', '\r'),
  quotesAll: fc.boolean(),
  endsLastLine: fc.boolean(),
});

type Writer = typeof writer extends fc.Arbitrary<infer W> ? W : never;

function write(rows: readonly (readonly string[])[], { delimiter, end, quotesAll, endsLastLine }: Writer) {
  const lines = rows.map((row) => row.map((text) => writtenCell(text, delimiter, quotesAll)).join(delimiter));
  return lines.join(end) + (endsLastLine ? end : '');
}

/** `text` cut at these places, but never within a CR LF or a character. */
function cut(text: string, places: readonly number[]): string[] {
  const isWithinPair = (at: number) =>
    /^(?:\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(text.slice(at - 1, at + 1));
  const cuts = places
    .map((place) => place % (text.length + 1))
    .filter((at) => !isWithinPair(at))
    .sort((a, b) => a - b);
  return [...cuts, text.length].map((at, index) => text.slice(cuts[index - 1] ?? 0, at));
}

const places = fc.array(fc.nat(), { maxLength: 6 });

function withHeader(body: readonly (readonly string[])[]) {
  const filled = body.filter((row) => row.some((text) => text.trim() !== ''));
  const header = (filled[0] ?? ['only']).map((_, index) => `column ${index}`);
  return { header, filled };
}

describe('random tables', () => {
  it('come back from every writer and in any pieces with the same cells on the same lines', async () => {
    await fc.assert(
      fc.asyncProperty(table, writer, places, async (body, how, cuts) => {
        const { header, filled } = withHeader(body);
        const read = await tableOf(cut(write([header, ...filled], how), cuts), how.delimiter);
        let line = 2;
        const rows = filled.map((cells) => {
          const row = { line, cells };
          line += 1 + cells.reduce((sum, text) => sum + lineEnds(text), 0);
          return row;
        });
        expect(read).toEqual({ header, rows, problems: [] });
      }),
      { numRuns: 1000 },
    );
  });

  it('end at a quote closed too early, with its line and the rows above it', async () => {
    const misclosed = fc.constantFrom('"a"b', '"a"=', '""a', '"a"" b"c', '"a\nb"c', '"a\n""" "', '" "x""');
    await fc.assert(
      fc.asyncProperty(table, writer, places, misclosed, fc.nat(), async (body, how, cuts, cell, place) => {
        const { header, filled } = withHeader(body);
        const above = filled.slice(0, place % (filled.length + 1));
        const start = write([header, ...above], { ...how, endsLastLine: true });
        const text = start + cell + write([['', ...header.slice(1)], ...filled], how);
        const { rows, problems } = await tableOf(cut(text, cuts), how.delimiter);
        const line = 1 + lineEnds(start) + lineEnds(cell);
        expect(rows.map(({ cells }) => cells)).toEqual(above);
        expect(problems).toMatchObject([{ line, code: 'text-after-quote' }]);
      }),
      { numRuns: 500 },
    );
  });
});
