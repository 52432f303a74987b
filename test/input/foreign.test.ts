import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { charsetNamed } from '../../src/input/open/charset.ts';
import { openInput } from '../../src/input/open/open.ts';
import { productRecords } from '../../src/input/records/record-kinds.ts';
import { validateInput } from '../../src/input/validate.ts';
import { plainOptions, read, surroundings, withFiles } from './reading.ts';
import { oneSheet, zip } from './write-xlsx.ts';

const cp949 = await charsetNamed('cp949');

/** An OLE container with this entry in its directory, which begins at the second sector of 512 bytes. */
function office(entry: string): Buffer {
  const file = Buffer.alloc(2_048);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file);
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(1, 48);
  file.write('Root Entry', 1_024, 'utf16le');
  file.write(entry, 1_024 + 128, 'utf16le');
  return file;
}

/** A tar archive of one file (POSIX ustar). */
function tar(name: string, content: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name);
  header.write('0000644\u00000000000\u00000000000\u0000', 100);
  header.write(`${content.length.toString(8).padStart(11, '0')}\u000000000000000\u0000`, 124);
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148);
  return Buffer.concat([header, Buffer.from(content.padEnd(512, '\u0000')), Buffer.alloc(1_024)]);
}

const foreign: readonly (readonly [
  name: string,
  content: Uint8Array | string,
  code: string,
  remedy: string,
])[] = [
  ['a workbook under a password', office('EncryptedPackage'), 'encrypted-xlsx', 'workbook-password-file'],
  ['a workbook of Excel 97', office('Workbook'), 'old-xls', 'CSV UTF-8'],
  ['a Word document', office('WordDocument'), 'office-document', 'export'],
  ['a login page', '<!doctype html><html><body><form>로그인</form></body></html>', 'html-table', 'browser'],
  ['an error page in UTF-16', Buffer.from('\ufeff\n <html><h1>502', 'utf16le'), 'html-table', 'browser'],
  ['a table without rows', '\n<table border=1><tr></table>', 'html-table', 'browser'],
  [
    'an XML spreadsheet',
    '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>',
    'xml-table',
    'CSV UTF-8',
  ],
  [
    'an XML spreadsheet with a short head',
    '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook><Worksheet><Table><Row>',
    'xml-table',
    'CSV UTF-8',
  ],
  ['a web archive', 'MIME-Version: 1.0\n', 'html-table', 'CSV UTF-8'],
  ['a PDF', '%PDF-1.7\n', 'pdf', 'export'],
  ['a zip', zip({ 'orders.csv': 'originId\n1' }), 'zip', 'unpack'],
  ['an empty zip', zip({}), 'zip', 'unpack'],
  ['a zip that is cut short', zip({ 'orders.csv': 'x'.repeat(99) }).subarray(0, 60), 'broken-zip', 'again'],
  ['an .xlsb', zip({ '[Content_Types].xml': '', 'xl/workbook.bin': '' }), 'xlsb', 'CSV UTF-8'],
  ['an .ods', zip({ mimetype: '', 'content.xml': '' }), 'open-document', 'CSV UTF-8'],
  ['a .docx', zip({ '[Content_Types].xml': '', 'word/document.xml': '' }), 'office-document', 'export'],
  ['a workbook in gzip', gzipSync(oneSheet([['originId']])), 'packed-twice', 'gzip -dc'],
  ['gzip in gzip', gzipSync(gzipSync('originId\n1\n')), 'packed-twice', 'gzip -dc'],
  ['a .tar.gz', gzipSync(tar('orders.csv', 'originId\n1\n')), 'tar', 'tar -xf'],
  ['a .tar', tar('orders.csv', 'originId\n1\n'), 'tar', 'tar -xf'],
  ['a .zst', Buffer.from('28b52ffd0000', 'hex'), 'zstd', 'zstd -dc'],
  ['an .xz', Buffer.from('fd377a585a000004', 'hex'), 'xz', 'xz -dc'],
  ['a .bz2', 'BZh91AY&SY\u0000', 'bzip2', 'bzip2 -dc'],
  ['a Parquet file', 'PAR1\u0015\u0000', 'parquet', 'as CSV or JSON'],
  [
    'a document of Apple Numbers',
    zip({ 'Index/Document.iwa': '', 'Metadata/DocumentIdentifier': '' }),
    'iwork',
    'Export To, CSV',
  ],
  ['a PNG', Buffer.from('89504e470d0a1a0a', 'hex'), 'image', 'records'],
  ['a PDF in gzip', gzipSync('%PDF-1.7\n'), 'pdf', 'export'],
];

describe('what is no table is named for what it is, with what to do', () => {
  it.each(foreign)('%s', async (_name, content, code, remedy) => {
    for (const name of ['export.xls', 'export.csv']) {
      const { problems, records } = await read(productRecords, { [name]: content });
      expect(problems).toMatchObject([{ file: name, code, remedy: expect.stringContaining(remedy) }]);
      expect(records).toEqual([]);
    }
  });

  it.each([
    ['gzip in gzip', gzipSync(gzipSync('originId\n1\n')), 'unpacked'],
    ['a .tar.gz', gzipSync(tar('orders.csv', 'originId\n1\n')), 'orders.csv'],
  ])('%s is read as the remedy says', async (_name, content, result) => {
    const unpacked = await withFiles({ "shop's export": content }, async ([path = ''], folder) => {
      const input = await openInput([path], surroundings());
      const { problems } = await validateInput(input, productRecords, plainOptions);
      execSync(String(problems[0]?.remedy).split(': ')[1] ?? '', { cwd: folder });
      return readFileSync(join(folder, result));
    });
    const { records } = await read(productRecords, { unpacked });
    expect(records).toMatchObject([{ originId: '1' }]);
  });

  it('a table called .xls that is text is read', async () => {
    const { entries } = await read(productRecords, {
      'export.xls': cp949.encode('originId\tname\r\n1\t가\r\n') as Uint8Array,
    });
    expect(entries).toMatchObject([{ line: 2, record: { originId: '1', name: '가' } }]);
  });

  it('--format that the content contradicts is refused', async () => {
    const book = oneSheet([['originId'], ['1']]);
    for (const [content, format] of [
      [book, 'csv'],
      ['originId\n1\n', 'xlsx'],
      ['<table><tr><td>originId<tr><td>1</table>', 'csv'],
    ] as const) {
      const { problems } = await read(productRecords, content, { format });
      expect(problems).toMatchObject([{ code: 'not-this-format' }]);
    }
  });
});
