import { describe, expect, it } from 'vitest';
import { orderItemRecords, productRecords } from '../../src/input/records/record-kinds.ts';
import { read } from './reading.ts';
import { oneSheet, zip } from './write-xlsx.ts';

const sheet = 'xl/worksheets/sheet1.xml';
const book = oneSheet([['originId'], ['1']]);

/** A workbook with this text as its only sheet. */
function bookOf(text: string): Buffer {
  return zip({
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><sheets><sheet name="A" sheetId="1" r:id="a"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="a" Type="/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    [sheet]: text,
  });
}

/** A workbook with these rows in its only sheet. */
const sheetOf = (rows: string) => bookOf(`<worksheet><sheetData>${rows}</sheetData></worksheet>`);

/** The position of a part's entry in the directory. */
function entryOf(bytes: Buffer, name: string): number {
  return bytes.lastIndexOf(name) - 46;
}

function changed(change: (bytes: Buffer) => void, original = book): Buffer {
  const bytes = Buffer.from(original);
  change(bytes);
  return bytes;
}

/** Changes the size of the sheet in the directory. */
const saying = (size: number, original: Buffer) =>
  changed((bytes) => bytes.writeUInt32LE(size, entryOf(bytes, sheet) + 24), original);

const entry = entryOf(book, sheet);
const endAt = book.lastIndexOf('PK\u0005\u0006');
const other = entryOf(book, 'xl/styles.xml');

/** Unpacks to a hundred times the size in its directory. */
const liar = saying(500_000, bookOf(`<worksheet>${' '.repeat(50_000_000)}</worksheet>`));
/** States in its directory that it unpacks to 4 GiB. */
const bomb = saying(0xffff_fff0, sheetOf(''));

const hostile: readonly (readonly [name: string, content: Buffer, reason: RegExp])[] = [
  ['two workbooks in one file', Buffer.concat([book, book]), /more than one zip archive/],
  [
    'a workbook with something in front',
    Buffer.concat([Buffer.from('PK\u0003\u0004'), book]),
    /more than one zip archive/,
  ],
  ['a part of a workbook', book.subarray(0, book.length - 30), /cut short/],
  [
    'a directory in the wrong place',
    changed((bytes) => bytes.writeUInt32LE(5, endAt + 16)),
    /only a part of one/,
  ],
  [
    'a directory of other length',
    changed((bytes) => bytes.writeUInt16LE(3, endAt + 10)),
    /a different number of files/,
  ],
  ['an entry behind the end', changed((bytes) => bytes.writeUInt32LE(0x7fff_ffff, entry + 42)), /cut short/],
  [
    'entries that overlap',
    changed((bytes) => bytes.writeUInt32LE(bytes.readUInt32LE(other + 42), entry + 42)),
    /overlap/,
  ],
  [
    'a packed size beyond the file',
    changed((bytes) => bytes.writeUInt32LE(0x7fff_ffff, entry + 20)),
    /overlap|cut short/,
  ],
  [
    'a packed size without its Zip64 record',
    changed((bytes) => bytes.writeUInt32LE(0xffff_ffff, entry + 20)),
    /the size of one of its files is missing/,
  ],
  ['another checksum', changed((bytes) => bytes.writeUInt32LE(1, entry + 16)), /does not match its entry/],
  ['fewer bytes than it says', saying(9_999, book), /does not match its entry/],
  ['more bytes than it says', liar, /does not match its entry/],
  ['a bomb', bomb, /more than 400 times/],
  ['an unknown method', changed((bytes) => bytes.writeUInt16LE(99, entry + 10)), /unknown method/],
  ['a zip password', changed((bytes) => bytes.writeUInt16LE(1, entry + 8)), /encrypted by a zip program/],
  [
    'a damaged part',
    changed((bytes) =>
      bytes.fill(0xff, bytes.indexOf(sheet) + sheet.length, bytes.indexOf(sheet) + sheet.length + 20),
    ),
    /is damaged|does not match/,
  ],
  ['a document type', bookOf('<!DOCTYPE a [<!ENTITY b "c">]><worksheet/>'), /DOCTYPE/],
  [
    'an entity of its own',
    sheetOf('<row><c t="inlineStr"><is><t>&b;</t></is></c></row>'),
    /the unknown entity/,
  ],
  ['a tag without an end', bookOf(`<worksheet ${'a'.repeat(3_000_000)}`), /unterminated XML tag/],
  [
    'a sheet that breaks off',
    bookOf('<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row>'),
    /cut short/,
  ],
  ['rows out of order', sheetOf('<row r="2"/><row r="1"/>'), /after row 2/],
  ['a row beyond the last', sheetOf('<row r="1048577"/>'), /number 1048577/],
  ['cells out of order', sheetOf('<row r="1"><c r="B1"/><c r="A1"/></row>'), /not in order/],
  ['a column beyond the last', sheetOf('<row r="1"><c r="XFE1"/></row>'), /not in order/],
  [
    'a text that is not there',
    sheetOf('<row r="1"><c r="A1" t="s"><v>7</v></c></row>'),
    /the text with number 7 is missing/,
  ],
  [
    'a number that is none',
    sheetOf('<row r="1"><c r="A1"><v>abc</v></c></row>'),
    /'abc' in place of a number/,
  ],
];

const header = '<row r="1"><c r="A1" t="inlineStr"><is><t>originId</t></is></c></row>';

/** XML of programs that concatenate text. Lenient reading would change or lose a value in each of them. */
const homeMade: readonly (readonly [name: string, content: Buffer, reason: RegExp])[] = [
  ['a row that is not closed', sheetOf(`${header}<row r="2"><c r="A2"><v>1</v></c>`), /<row> is not closed/],
  [
    'a cell that is not closed',
    sheetOf(`${header}<row r="2"><c r="A2"><v>1</v><c r="B2"><v>2</v></c></row>`),
    /not directly in its row/,
  ],
  [
    'a cell within a cell',
    sheetOf(`${header}<row r="2"><c r="A2"><v>1</v><c r="B2"/></c></row>`),
    /not directly in its row/,
  ],
  ['a row within a row', sheetOf(`${header}<row r="2"><row r="3"/></row>`), /row 2 contains another row/],
  [
    'a bracket in a text',
    sheetOf('<row r="1"><c r="A1" t="inlineStr"><is><t>origin<5</t></is></c></row>'),
    /unescaped '<'/,
  ],
  [
    'a bracket in a value',
    sheetOf('<row r="1"><c r="A1" t="str"><v>origin< Id</v></c></row>'),
    /unescaped '<'/,
  ],
  [
    'HTML in a text',
    sheetOf('<row r="1"><c r="A1" t="inlineStr"><is><t>origin<br/>Id</t></is></c></row>'),
    /contains the tag <br>/,
  ],
  [
    'HTML in a value',
    sheetOf('<row r="1"><c r="A1" t="str"><v>origin<b>Id</b></v></c></row>'),
    /contains the tag <b>/,
  ],
  [
    'an attribute without quotes',
    sheetOf('<row r="1"><c r="A1" t=str><v>x</v></c></row>'),
    /<c r="A1" t=s is malformed/,
  ],
  [
    'attributes without a blank between them',
    sheetOf('<row r="1"><c r="A1"t="str"><v>x</v></c></row>'),
    /<c r="A1"t is malformed/,
  ],
  ['an entity without its end', sheetOf('<row><c t="str"><v>a &lt b</v></c></row>'), /unknown entity 'lt'/],
  ['a character that XML lacks', sheetOf('<row><c t="str"><v>a&#0;b</v></c></row>'), /unknown entity '#0'/],
  [
    'two documents in a part',
    bookOf('<worksheet><sheetData/></worksheet><worksheet/>'),
    /more than one root element/,
  ],
  ['tags without end', bookOf('<a>'.repeat(300)), /nested too deeply/],
];

it.each(homeMade)(
  'XML that is not well-formed is refused by its part: %s',
  async (_name, content, reason) => {
    const { problems, records } = await read(productRecords, content);
    expect(problems).toMatchObject([{ code: 'broken-xlsx', reason: expect.stringMatching(reason) }]);
    expect(problems[0]?.reason).toContain('(in xl/worksheets/sheet1.xml)');
    expect(records).toEqual([]);
  },
);

it('rows of form controls are not rows of the sheet', async () => {
  const anchor = '<controls><anchor><from><row>0</row></from></anchor></controls>';
  const text = `<worksheet><sheetData>${header}<row r="2"><c r="A2"><v>1</v></c></row></sheetData>${anchor}</worksheet>`;
  const { records, problems } = await read(productRecords, bookOf(text));
  expect(problems).toEqual([]);
  expect(records).toHaveLength(1);
});

it('a number whose format the workbook lacks is no id and no text, since zeros may be missing; an amount or a date is what it is', async () => {
  const row = '<row r="2"><c r="A2" s="7"><v>123</v></c><c r="B2" s="7"><v>46295</v></c></row>';
  const names = ['originId', 'orderedAt'].map(
    (name, at) => `<c r="${'AB'[at]}1" t="inlineStr"><is><t>${name}</t></is></c>`,
  );
  const content = sheetOf(`<row r="1">${names.join('')}</row>${row}`);
  const { problems } = await read(orderItemRecords, content, {
    set: ['orderOriginId=O', 'productOriginId=P'],
  });
  expect(problems).toMatchObject([
    { column: 'originId', code: 'unknown-format', reason: expect.stringContaining('is missing') },
  ]);
});

describe('a hostile workbook is refused within a second of processor time', () => {
  it.each(hostile)('%s', async (_name, content, reason) => {
    const start = process.cpuUsage();
    const { problems, records } = await read(productRecords, content);
    expect(problems).toMatchObject([
      { code: expect.stringMatching(/^broken-(?:xlsx|zip)$/), reason: expect.stringMatching(reason) },
    ]);
    expect(records).toEqual([]);
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(1_000_000);
  });

  it('damaged anywhere gives no records that it did not hold', async () => {
    const whole = await read(productRecords, book);
    expect(whole.entries).toHaveLength(1);
    for (let at = 0; at < book.length; at += 17) {
      const { problems, records } = await read(
        productRecords,
        changed((bytes) => bytes.writeUInt8(bytes.readUInt8(at) ^ 0x55, at)),
      );
      const isRight = problems.length === 0 && records[0]?.originId === '1';
      expect({ at, isRightOrRefused: isRight || problems.length > 0 }).toEqual({
        at,
        isRightOrRefused: true,
      });
    }
  });
});

describe('what is unusual and lawful in a workbook is read', () => {
  it.each<[string, string]>([
    [
      'prefixes',
      '<x:worksheet><x:sheetData><x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>originId</x:t></x:is></x:c></x:row><x:row r="2"><x:c r="A2"><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>',
    ],
    [
      'no places',
      '<worksheet><sheetData><row><c t="inlineStr"><is><t>originId</t></is></c></row><row><c><v>1</v></c></row></sheetData></worksheet>',
    ],
    [
      'apostrophes and blanks in tags',
      "<worksheet><sheetData><row r = '1' ><c r='A1' t='inlineStr'><is><t>originId</t></is></c></row><row r='2'><c r='A2' ><v>1</v></c></row></sheetData></worksheet>",
    ],
    [
      'sections and comments',
      '<worksheet><!-- > --><sheetData><row><c t="inlineStr"><is><t><![CDATA[originId]]></t></is></c></row><row><c t="str"><f>A&amp;B</f><v>1</v></c></row></sheetData></worksheet>',
    ],
    [
      'text in several formats, and its pronunciation',
      '<worksheet><sheetData><row><c t="inlineStr"><is><r><t>origin</t></r><rPh><t>x</t></rPh><r><t>Id</t></r></is></c></row><row><c><v>1</v></c></row></sheetData></worksheet>',
    ],
  ])('%s', async (_name, text) => {
    const { ids, problems } = await read(productRecords, bookOf(text));
    expect(problems).toEqual([]);
    expect(ids).toEqual(['1']);
  });

  it('a formula without a result is quoted as it was typed', async () => {
    const sheet =
      '<worksheet><sheetData><row><c t="inlineStr"><is><t>originId</t></is></c></row><row><c><f>A1&amp;"x"</f></c></row></sheetData></worksheet>';
    const { problems } = await read(productRecords, bookOf(sheet));
    expect(problems).toMatchObject([{ code: 'not-calculated', value: '=A1&"x"' }]);
  });

  it('pieces of the document end anywhere, also within tags and characters', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => [`상품 😀 & <${index}>`]);
    const { ids, problems } = await read(productRecords, oneSheet([['originId'], ...rows]));
    expect(problems).toEqual([]);
    expect(ids).toEqual(rows.flat());
  });
});
