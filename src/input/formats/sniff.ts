import { shellWord } from '../../base/shell-word.ts';
import { isGzip } from '../open/bytes.ts';
import type { Bytes, DiskFile, InputFile } from '../open/input-file.ts';
import type { Fault } from '../records/problem.ts';
import type { WorkbookFile } from './workbook/parts.ts';
import { BrokenWorkbook, fileSource, readZipDirectory } from './workbook/zip.ts';

/**
 * The kind of a file's content. Text may not be a table, and a web page may not contain one: their readers find out.
 */
type SniffedContent =
  | { readonly kind: 'text' | 'html' }
  | { readonly kind: 'xlsx'; readonly workbook: WorkbookFile }
  | { readonly kind: 'foreign'; readonly problem: Fault };

/** Bytes to examine. */
const headBytes = 4096;

/**
 * Sniffs the content of a file that begins with `first`. Names are unreliable: `.xls` is often HTML, `.csv` an xlsx.
 */
export async function sniffContent(file: InputFile, first: Buffer): Promise<SniffedContent> {
  const head = first.subarray(0, headBytes);
  const foreign = (code: ForeignKind, why = ''): SniffedContent => {
    const [reason, remedy] = foreignKinds[code];
    const text = typeof remedy === 'string' ? remedy : remedy(file.shownAs);
    return { kind: 'foreign', problem: { code, remedy: text, reason: reason + why } };
  };
  if (startsWith(head, 'PK\u0003\u0004')) {
    if (await file.isPacked()) return foreign('packed-twice');
    return kindOfZip(file, foreign);
  }
  if (startsWith(head, '\u00d0\u00cf\u0011\u00e0')) {
    if (await file.isPacked()) return foreign('packed-twice');
    const disk = await file.onDisk();
    const what = await kindOfOffice(disk, head);
    return what === 'encrypted-xlsx' ? { kind: 'xlsx', workbook: { disk, parts: undefined } } : foreign(what);
  }
  if (isGzip(head)) return foreign('packed-twice');
  const signed = signatures.find(([start, , at]) => startsWith(head, start, at));
  if (signed) return foreign(signed[1]);
  const markup = kindOfMarkup(head);
  return markup === 'xml-table' ? foreign(markup) : { kind: markup };
}

/** True if a file is a workbook protected with a password. */
export async function isProtected(file: InputFile): Promise<boolean> {
  for await (const first of file.peek()) {
    const content = await sniffContent(file, firstBytes({ value: first }));
    return content.kind === 'xlsx' && content.workbook.parts === undefined;
  }
  return false;
}

/** The first bytes of a file; empty if there are none or they cannot be read. */
export function firstBytes({ value }: IteratorResult<Bytes, unknown>): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

/** The remedy that unpacks with a program writing to standard output, so that the name of the file does not matter. */
const unpackedBy = (program: string) => (file: string) =>
  file === '-'
    ? `pipe it through ${program} -dc first`
    : `unpack it and name the result: ${program} -dc ${shellWord(file)} > unpacked`;

const untarred = (file: string) =>
  file === '-'
    ? 'save it to a file, unpack it with tar -xf, and name the unpacked files'
    : `unpack it and name the unpacked files: tar -xf ${shellWord(file)}`;

/** The remedy for a file that Excel can open but this program cannot. */
export const asCsv = 'open it in Excel and save it as "CSV UTF-8" or as an Excel workbook (.xlsx)';

/** For each unsupported kind of content: the reason and the remedy. */
const foreignKinds = {
  'old-xls': ['this is a workbook of Excel 97-2003 (.xls), which cannot be read', asCsv],
  'html-table': [
    'this is a web archive (MHTML), whatever its name says: some programs call such an export .xls',
    asCsv,
  ],
  'xml-table': ['this is XML, whatever its name says', asCsv],
  xlsb: ['this is a binary Excel workbook (.xlsb), which cannot be read', asCsv],
  'open-document': [
    'this is an OpenDocument file (.ods), which cannot be read',
    'open it and save it as "CSV UTF-8" or as .xlsx',
  ],
  'office-document': ['this is an Office document, not a table', 'export the records as CSV or .xlsx'],
  'packed-twice': [
    'this is a gzip file that contains a workbook, a zip archive or another gzip file',
    unpackedBy('gzip'),
  ],
  'broken-zip': ['this is a damaged Excel workbook or zip archive', 'export or copy the file again'],
  zip: ['this is a zip archive, not a table', 'unpack it and name the unpacked files'],
  tar: ['this is a tar archive (.tar, .tar.gz), not a table', untarred],
  zstd: ['this file is packed with Zstandard (.zst), which cannot be read', unpackedBy('zstd')],
  xz: ['this file is packed with xz (.xz), which cannot be read', unpackedBy('xz')],
  bzip2: ['this file is packed with bzip2 (.bz2), which cannot be read', unpackedBy('bzip2')],
  parquet: ['this is a Parquet file, which cannot be read', 'export the records as CSV or JSON'],
  iwork: [
    'this is a document of Apple Numbers (or Pages, Keynote), which cannot be read',
    'in Numbers, choose File, Export To, CSV or Excel',
  ],
  archive: ['this is an archive, not a table', 'unpack it and name the unpacked files'],
  pdf: ['this is a PDF, not a table', 'export the records as CSV or .xlsx instead of printing them'],
  image: ['this is an image, not a table', 'name a file of records: CSV, JSON or .xlsx'],
  database: ['this is an SQLite database, not a table', 'export the records as CSV or JSON'],
  'rich-text': [
    'this is a text document with formats (RTF), not a table',
    'export the records as CSV or .xlsx',
  ],
} as const;

type ForeignKind = keyof typeof foreignKinds;

const signatures: readonly (readonly [mark: string, what: ForeignKind, at?: number])[] = [
  ['%PDF-', 'pdf'],
  ['\u0089PNG', 'image'],
  ['\u00ff\u00d8\u00ff', 'image'],
  ['GIF8', 'image'],
  ['RIFF', 'image'],
  ['{\\rtf', 'rich-text'],
  ['7z\u00bc\u00af', 'archive'],
  ['Rar!\u001a', 'archive'],
  ['PK\u0005\u0006', 'zip'],
  ['ustar\u0000', 'tar', 257],
  ['ustar  \u0000', 'tar', 257],
  ['(\u00b5/\u00fd', 'zstd'],
  ['\u00fd7zXZ\u0000', 'xz'],
  ['BZh91AY&SY', 'bzip2'],
  ['PAR1', 'parquet'],
  ['SQLite format 3\u0000', 'database'],
  ['MIME-Version:', 'html-table'],
];

function startsWith(head: Buffer, mark: string, at = 0): boolean {
  return head.toString('latin1', at, at + mark.length) === mark;
}

async function kindOfZip(
  file: InputFile,
  foreign: (code: ForeignKind, why?: string) => SniffedContent,
): Promise<SniffedContent> {
  try {
    const disk = await file.onDisk();
    const source = fileSource(disk);
    const directory = await readZipDirectory(source);
    if (directory.has('xl/workbook.xml'))
      return { kind: 'xlsx', workbook: { disk, parts: { source, directory } } };
    if (directory.has('xl/workbook.bin')) return foreign('xlsb');
    if (directory.has('content.xml') && directory.has('mimetype')) return foreign('open-document');
    if ([...directory.keys()].some((name) => name.endsWith('.iwa'))) return foreign('iwork');
    return foreign(directory.has('[Content_Types].xml') ? 'office-document' : 'zip');
  } catch (error) {
    if (!(error instanceof BrokenWorkbook)) throw error;
    return foreign('broken-zip', `: ${error.message}`);
  }
}

/** Bytes to examine of the directory of an OLE file; its first entries show the kind. */
const directoryBytes = 4096;

/** The kind of an OLE container (MS-CFB): a protected workbook, an old workbook, or another document. */
async function kindOfOffice(disk: DiskFile, head: Buffer): Promise<ForeignKind | 'encrypted-xlsx'> {
  if (head.length < 52) return 'office-document';
  const sectorBytes = 2 ** Math.min(head.readUInt16LE(30), 12);
  const directory = await disk.bytesAt((head.readUInt32LE(48) + 1) * sectorBytes, directoryBytes);
  const holds = (name: string) => directory.includes(Buffer.from(`${name}\0`, 'utf16le'));
  if (holds('EncryptedPackage')) return 'encrypted-xlsx';
  return holds('Workbook') || holds('Book') ? 'old-xls' : 'office-document';
}

/** Detects HTML and XML in any charset, since their first characters are ASCII. */
function kindOfMarkup(head: Buffer): 'html' | 'xml-table' | 'text' {
  const start = head
    .toString('latin1')
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '')
    .replaceAll('\0', '')
    .trimStart();
  if (/^<(?:!doctype|html|head|meta|title|style|script|body|div|table|center|font)\b|^<!--/i.test(start)) {
    return 'html';
  }
  // Headers do not begin like a tag, but error pages of services do.
  if (!/^<[a-z!?]/i.test(start)) return 'text';
  // The tables of XML spreadsheets are below a workbook.
  return /<html|<table/i.test(start) && !start.includes('<Workbook') ? 'html' : 'xml-table';
}
