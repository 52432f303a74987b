import { crc32, deflateRawSync } from 'node:zlib';

/**
 * The formats of the styles by number: general, a date, numbers: `0`, `0.00`, `#,##0`, `0.00E+00`, amounts: `$10.00`,
 * `₩10`, thousands: `0,`, `[>1000]0.0,"k";0`, and numbers of a year: `"2026-"00000`.
 */
const formats = [0, 22, 1, 2, 3, 11, 164, 5, 165, 166, 167];

/** A cell of a sheet: text, a number, a boolean, or a number as written in the file with a style of `formats`. */
export type SheetCell =
  | string
  | number
  | boolean
  | null
  | { readonly written: string; readonly style?: number };

export interface Sheet {
  readonly name: string;
  /** Numbers of the rows that a filter hides. */
  readonly hiddenRows?: readonly number[];
  /** Counted from 1. */
  readonly hiddenColumns?: readonly number[];
  /** Ranges of merged cells: `B2:B4`. */
  readonly merges?: readonly string[];
  readonly rows: readonly (readonly SheetCell[])[];
}

/** A workbook of one sheet. */
export const oneSheet = (rows: Sheet['rows']) => workbook([{ name: 'A', rows }]);

/** A workbook as spreadsheets write it: with shared strings and styles, without blank rows and cells. */
export function workbook(
  sheets: readonly Sheet[],
  { is1904 = false, ...options }: ZipOptions & { readonly is1904?: boolean } = {},
): Buffer {
  const strings: string[] = [];
  const parts = Object.fromEntries(
    sheets.map((sheet, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(sheet, strings)]),
  );
  const ids = sheets.map((_, index) => index + 1);
  const entries = {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook xmlns:r="r"><workbookPr date1904="${Number(is1904)}"/><sheets>${ids.map((id) => `<sheet name="${escaped(sheets[id - 1]?.name ?? '')}" sheetId="${id}" r:id="rId${id}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${ids.map((id) => `<Relationship Id="rId${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet${id}.xml"/>`).join('')}<Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="t" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;$&quot;#,##0.00"/><numFmt numFmtId="165" formatCode="0,"/><numFmt numFmtId="166" formatCode="[&gt;1000]0.0,&quot;k&quot;;0"/><numFmt numFmtId="167" formatCode="&quot;2026-&quot;00000"/></numFmts><cellXfs>${formats.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    ...parts,
    'xl/sharedStrings.xml': `<sst>${strings.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
  };
  return zip(entries, options);
}

function sheetXml(
  { rows, hiddenRows = [], hiddenColumns = [], merges = [] }: Sheet,
  strings: string[],
): string {
  const written = rows.map((cells, index) => {
    const row = index + 1;
    const cellsXml = cells.map((cell, column) =>
      cellXml(cell, `${String.fromCharCode(65 + column)}${row}`, strings),
    );
    return cellsXml.join('') === ''
      ? ''
      : `<row r="${row}"${hiddenRows.includes(row) ? ' hidden="1"' : ''}>${cellsXml.join('')}</row>`;
  });
  const cols = hiddenColumns.map((column) => `<col min="${column}" max="${column}" hidden="1"/>`);
  const merged = merges.map((range) => `<mergeCell ref="${range}"/>`);
  return `<worksheet>${element('cols', cols)}<sheetData>${written.join('')}</sheetData>${element('mergeCells', merged)}</worksheet>`;
}

function element(name: string, content: readonly string[]): string {
  return content.length === 0 ? '' : `<${name}>${content.join('')}</${name}>`;
}

function cellXml(cell: SheetCell, at: string, strings: string[]): string {
  if (cell === null || cell === '') return '';
  if (typeof cell === 'string') return `<c r="${at}" t="s"><v>${strings.push(cell) - 1}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${at}" t="b"><v>${Number(cell)}</v></c>`;
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  return `<c r="${at}" s="${cell.style ?? 0}"><v>${cell.written}</v></c>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '_x000D_');
}

export interface ZipOptions {
  /** True to write sizes in extra fields, as Apache POI does. */
  readonly isZip64?: boolean;
  /** True to store entries instead of deflating them. */
  readonly isStored?: boolean;
}

/** A zip archive (APPNOTE 4.3). */
export function zip(
  entries: Readonly<Record<string, string>>,
  { isZip64 = false, isStored = false }: ZipOptions = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const content = Buffer.from(text);
    const packed = isStored ? content : deflateRawSync(content);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(0x0800, 2);
    about.writeUInt16LE(isStored ? 0 : 8, 4);
    about.writeUInt32LE(crc32(content), 10);
    about.writeUInt32LE(isZip64 ? 0xffff_ffff : packed.length, 14);
    about.writeUInt32LE(isZip64 ? 0xffff_ffff : content.length, 18);
    about.writeUInt16LE(Buffer.byteLength(name), 22);
    const extra = isZip64 ? sizesOf(content.length, packed.length) : Buffer.alloc(0);
    about.writeUInt16LE(extra.length, 24);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), about, Buffer.from(name), extra, packed]);
    locals.push(local);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), about, place, Buffer.from(name), extra);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(locals.length, 4);
  end.writeUInt16LE(locals.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, listed, Buffer.from('PK\u0005\u0006'), end]);
}

function sizesOf(unpacked: number, packed: number): Buffer {
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(16, 2);
  extra.writeBigUInt64LE(BigInt(unpacked), 4);
  extra.writeBigUInt64LE(BigInt(packed), 12);
  return extra;
}
