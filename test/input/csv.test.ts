import { readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsv, splitRows } from '../../src/input/csv.ts';
import { decodeFile } from '../../src/input/decode.ts';
import { openInput } from '../../src/input/open.ts';
import type { Row } from '../../src/input/place.ts';
import { productRecords } from '../../src/input/record-kinds.ts';
import { read, recordsOf, withFiles } from './reading.ts';

const spectrum = new URL('../../fixtures/csv-spectrum/', import.meta.url);

/** The raw table of one file: header and rows, before any mapping. */
function tableOf(content: string | Uint8Array, delimiter = ','): Promise<{ header: string[]; rows: Row[] }> {
  return withFiles({ 'input.csv': content }, async (paths) => {
    const { files } = await openInput(paths, { stdin: Readable.from([]) });
    const [file] = files;
    if (!file) throw new Error('no file');
    const rows: Row[] = [];
    let header: readonly string[] = [];
    for await (const stretch of readCsv(file, decodeFile(file), { delimiter })) {
      rows.push(...stretch.rows);
      header = stretch.header;
      expect(stretch.problems).toEqual([]);
    }
    return { header: [...header], rows };
  });
}

describe('csv-spectrum comes out exactly', () => {
  const names = readdirSync(new URL('csvs', spectrum)).map((name) => name.replace('.csv', ''));

  it('holds all twelve files', () => {
    expect(names).toHaveLength(12);
  });

  it.each(names)('%s', async (name) => {
    const { header, rows } = await tableOf(spectrumCsv(name));
    const objects = rows.map(({ cells }) =>
      Object.fromEntries(header.map((column, index) => [column, cells[index]])),
    );
    expect(objects).toEqual(spectrumJson(name));
  });
});

/** The copy holds no CR; the files named for it get it back. */
function spectrumCsv(name: string): string {
  const content = readFileSync(new URL(`csvs/${name}.csv`, spectrum), 'utf8');
  return name.endsWith('_crlf') ? content.replaceAll('\n', '\r\n') : content;
}

/** One of the JSON files is no array and tells another phone number than its CSV. */
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
    const { entries } = await read(productRecords, { 'p.csv': content });
    expect(entries.map(({ line, record }) => [line, record.originId])).toEqual([
      [2, 'a'],
      [6, 'b'],
      [7, 'c'],
      [9, 'd'],
    ]);
  });

  it('with line ends of all kinds in one file', async () => {
    const { entries } = await read(productRecords, { 'p.csv': 'originId\r\na\rb\nc\r\n\r\nd' });
    expect(entries.map(({ line, record }) => [line, record.originId])).toEqual([
      [2, 'a'],
      [3, 'b'],
      [4, 'c'],
      [6, 'd'],
    ]);
  });

  it('across the pieces a long file is read in, which may cut characters, line ends and doubled quotes', async () => {
    const row = (index: number) => `id-${index},"한글 ""${'🙂'.repeat(index % 7)}""\r\nnext"\r\n`;
    const count = 30_000;
    const content = `\ufefforiginId,name\r\n${Array.from({ length: count }, (_, index) => row(index)).join('')}`;
    const { entries } = await read(productRecords, { 'p.csv': content });
    expect(entries).toHaveLength(count);
    for (const [index, { line, record }] of entries.entries()) {
      const name = `한글 "${'🙂'.repeat(index % 7)}"\r\nnext`;
      if (line !== 2 + 2 * index || record.originId !== `id-${index}` || record.name !== name) {
        expect({ line, record }).toEqual({ line: 2 + 2 * index, record: { originId: `id-${index}`, name } });
      }
    }
  });
});

describe('a piece of a file may end anywhere', () => {
  const pieceBytes = 262_144;
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
    const { entries } = await read(productRecords, { p: `${start}${filler}\r\n\r\n2,b\r3,c` });
    expect(entries.map(({ line }) => line)).toEqual([2, 4, 5]);
    const { problems } = await read(productRecords, {
      p: Buffer.concat([Buffer.from(`${start}${filler}\r\n\r\n2,b\r`), Buffer.from([0xff])]),
    });
    expect(problems).toMatchObject([{ line: 5, code: 'not-utf-8' }]);
  });
});

describe('quotes', () => {
  it('quote a cell only as its first character', async () => {
    const records = await recordsOf(productRecords, 'originId,name\n="007",5" pipe\n"8","a ""b"" c"\n');
    expect(records).toEqual([
      { originId: '007', name: '5" pipe' },
      { originId: '8', name: 'a "b" c' },
    ]);
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
    const content = 'originId;name\n1;"a",b,c,d\n2;e,f,g,h\n';
    expect(await recordsOf(productRecords, content, { delimiter: ';', map: [] }).catch(String)).toContain(
      'text-after-quote',
    );
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

  it.each(['"', '\n', '', ',,'])('cannot be %j', async (delimiter) => {
    const reading = read(productRecords, { 'p.csv': 'originId\n1' }, { delimiter });
    await expect(reading).rejects.toMatchObject({ kind: 'usage' });
  });
});

describe('what surrounds the records', () => {
  it('blank rows are passed over, before the header and between records', async () => {
    const { entries } = await read(productRecords, { 'p.csv': '\n,,\noriginId,name\n\n1,a\n , \n2,b\n\n' });
    expect(entries.map(({ line }) => line)).toEqual([5, 7]);
  });

  it('rows above --header-row are passed over', async () => {
    const content = '"notice, with\ntwo lines"\nsecond;notice\noriginId,name\n1,a\n';
    const { entries } = await read(productRecords, { 'p.csv': content }, { headerRow: 4, delimiter: ',' });
    expect(entries).toEqual([{ file: 'p.csv', line: 5, record: { originId: '1', name: 'a' } }]);
  });

  it('a --header-row beyond the end is a problem, for it would hide every record', async () => {
    const { problems } = await read(productRecords, { 'p.csv': 'originId\n1\n2\n' }, { headerRow: 40 });
    expect(problems).toMatchObject([{ file: 'p.csv', code: 'no-header' }]);
  });

  it('blank cells beyond the header are no cells', async () => {
    expect(await recordsOf(productRecords, 'originId,name,\n1,a\n2,b,,,\n')).toEqual([
      { originId: '1', name: 'a' },
      { originId: '2', name: 'b' },
    ]);
  });

  it.each([
    ['nothing', ''],
    ['a byte-order mark', '\ufeff'],
    ['blank lines', '\n\r\n \n'],
    ['a header alone', 'originId,name\n'],
    ['a header alone without line end', 'somethingElse'],
  ])('%s is no records and no problem', async (_name, content) => {
    expect(await read(productRecords, { 'p.csv': content })).toMatchObject({ count: 0, problemCount: 0 });
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
  mark: fc.constantFrom('', '\ufeff'),
  endsLastLine: fc.boolean(),
});

type Writer = typeof writer extends fc.Arbitrary<infer W> ? W : never;

function write(
  rows: readonly (readonly string[])[],
  { delimiter, end, quotesAll, mark, endsLastLine }: Writer,
) {
  const written = (text: string) => {
    const needsQuotes = quotesAll || text.startsWith('"') || /[\r\n]/.test(text) || text.includes(delimiter);
    return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => row.map(written).join(delimiter));
  return mark + lines.join(end) + (endsLastLine ? end : '');
}

const lineEnds = (text: string) => text.match(/\r\n|\n|\r/g)?.length ?? 0;

describe('random tables', () => {
  it('come back from every writer with the same cells on the same lines', async () => {
    const usable = table.map((rows) =>
      rows
        .filter((row) => row.some((text) => text.trim() !== ''))
        .map((row) => row.map((text) => text.replaceAll('\0', ''))),
    );
    await fc.assert(
      fc.asyncProperty(usable, writer, async (body, how) => {
        const filled = body.filter((row) => row.some((text) => text.trim() !== ''));
        const header = (filled[0] ?? ['only']).map((_, index) => `column ${index}`);
        const rows = [header, ...filled];
        const read = await tableOf(write(rows, how), how.delimiter);
        expect(read.header).toEqual(header);
        let line = 2;
        const expected = filled.map((cells) => {
          const row = { line, cells };
          line += 1 + cells.reduce((sum, text) => sum + lineEnds(text), 0);
          return row;
        });
        expect(read.rows).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('are split as csv-parse splits them', () => {
    fc.assert(
      fc.property(table, writer, (rows, how) => {
        const text = write(rows, { ...how, mark: '' });
        const theirs: string[][] = parse(text, {
          delimiter: how.delimiter,
          record_delimiter: ['\r\n', '\n', '\r'],
          relax_column_count: true,
          relax_quotes: true,
        });
        expect(splitRows(text, how.delimiter)).toEqual(theirs);
      }),
      { numRuns: 500 },
    );
  });
});
