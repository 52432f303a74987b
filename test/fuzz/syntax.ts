/** A part of a text that can be removed, repeated, or moved to another part's position. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** A part can replace any other of its kind. Only a `value` can be any text. */
  readonly kind: 'value' | 'name' | 'member' | 'row' | 'element' | 'attribute' | 'short' | 'long' | 'record';
  /** The separator between this part and the next one of its kind. */
  readonly separator: string;
}

/** The structure of a reader's inputs. */
export interface Syntax {
  /** The parts of a text, even of a damaged one. */
  spansOf(text: string): readonly Span[];
  /** Pairs of texts that can enclose a part. */
  readonly wrappers: readonly (readonly [string, string])[];
  /** Values that readers may handle wrongly. */
  readonly oddities: readonly string[];
  /** Encodes a text as a value. */
  written(text: string): string;
  /** Decodes a value; undefined if it is not one. */
  read(value: string): string | undefined;
  /** Adds a member to this part; undefined if it has no members. */
  withMember?(
    text: string,
    span: Span,
    member: { readonly name: string; readonly value: string },
  ): string | undefined;
}

/** Decimal numbers at the limits of readers. */
const oddNumbers = ['0', '-1', '1.50', '1e400', '9007199254740993', '-0', '1E-7', '0.1', '4294967296'];

const json: Syntax = {
  spansOf: jsonSpans,
  wrappers: [
    ['"', '"'],
    ['[', ']'],
    ['{"a":', '}'],
    ['{"id":', '}'],
  ],
  oddities: [
    ...oddNumbers,
    'null',
    'true',
    'false',
    '""',
    '[]',
    '{}',
    '"12345678901234567890.5"',
    '"\\ud800"',
    '"\\u0000"',
    '"__proto__"',
  ],
  written: (text) => JSON.stringify(text),
  read: (value) => {
    const text = value.startsWith('"') ? parsed(value) : undefined;
    return typeof text === 'string' ? text : undefined;
  },
  withMember: (text, { start, end }, { name, value }) => {
    if (text[start] !== '{') return undefined;
    const comma = text.slice(start + 1, end - 1).trim() === '' ? '' : ',';
    return `${text.slice(0, start + 1)}${JSON.stringify(name)}:${value}${comma}${text.slice(start + 1)}`;
  },
};

const csv: Syntax = {
  spansOf: csvSpans,
  wrappers: [
    ['"', '"'],
    ['="', '"'],
    [' ', ' '],
    ['"a,\n', '"'],
  ],
  oddities: [
    ...oddNumbers,
    '',
    '""',
    '"',
    '"a ""b"""',
    '"1,000"',
    '="007"',
    '2026-02-30',
    '#N/A',
    '\xea\xb0\x80',
  ],
  read: (cell) => (/^".*"$/s.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell),
  written: (text) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text),
};

const xml: Syntax = {
  spansOf: xmlSpans,
  wrappers: [
    ['<is><t>', '</t></is>'],
    ['<r>', '</r>'],
    ['<![CDATA[', ']]>'],
    ['<!--', '-->'],
  ],
  oddities: [
    ...oddNumbers,
    '',
    '&lt;',
    '&#x0;',
    '&#1114112;',
    '_x000D_',
    '<t/>',
    '<v>',
    '</v>',
    'A1',
    'XFD1048576',
  ],
  read: (text) => text,
  written: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
};

const zip: Syntax = {
  spansOf: zipSpans,
  wrappers: [],
  oddities: [],
  written: (text) => text,
  read: (text) => text,
};

export const syntaxes = { json, csv, xml, zip };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g;

/** Values, members of objects, and their names. */
function jsonSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  /** Starts of open objects and arrays, and the members that have them as values. */
  const open: { readonly start: number; readonly member: number | undefined }[] = [];
  /** The last text or number, which is a name if a colon follows. */
  let last: Span | undefined;
  let member: number | undefined;
  const add = (start: number, end: number, memberStart: number | undefined) => {
    last = { start, end, kind: 'value', separator: ',' };
    spans.push(last);
    if (memberStart !== undefined) spans.push({ ...last, start: memberStart, kind: 'member' });
  };
  for (const { 0: token, index: start } of text.matchAll(jsonToken)) {
    const end = start + token.length;
    if (token === ':') {
      member = last?.start;
      const at = last === undefined ? -1 : spans.lastIndexOf(last);
      if (last !== undefined && at >= 0) spans[at] = { ...last, kind: 'name' };
    } else if (token === '{' || token === '[') {
      open.push({ start, member });
      member = undefined;
    } else if (token === '}' || token === ']') {
      const whole = open.pop();
      if (whole !== undefined) add(whole.start, end, whole.member);
      member = undefined;
    } else if (token === ',') {
      member = undefined;
    } else {
      add(start, end, member);
      member = undefined;
    }
  }
  return spans;
}

/** Rows and fields. */
function csvSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let row = 0;
  let field = 0;
  let isQuoted = false;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text[at] ?? '\n';
    if (character === '"') isQuoted = !isQuoted;
    const isRowEnd = at === text.length || (!isQuoted && /[\r\n]/.test(character));
    if (!isRowEnd && (isQuoted || !/[,;\t|]/.test(character))) continue;
    spans.push({ start: field, end: at, kind: 'value', separator: isRowEnd ? ',' : character });
    field = at + 1;
    if (!isRowEnd) continue;
    if (at > row) spans.push({ start: row, end: at, kind: 'row', separator: character });
    row = at + 1;
  }
  return spans;
}

const xmlToken = /<\/?([^\s<>/]*)[^<>]*>|[^<]+/g;
const xmlAttribute = /\s[\w:.-]+\s*=\s*"([^"]*)"/g;

/** Elements, attributes with their values, and texts. */
function xmlSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  const open: { readonly name: string | undefined; readonly start: number }[] = [];
  for (const { 0: token, 1: name, index: start } of text.matchAll(xmlToken)) {
    const end = start + token.length;
    if (!token.startsWith('<')) {
      spans.push({ start, end, kind: 'value', separator: '' });
    } else if (token.startsWith('</')) {
      const began = open.findLastIndex((element) => element.name === name);
      const [element] = began < 0 ? [] : open.splice(began);
      if (element !== undefined) spans.push({ start: element.start, end, kind: 'element', separator: '' });
    } else {
      if (token.endsWith('/>')) spans.push({ start, end, kind: 'element', separator: '' });
      else open.push({ name, start });
      for (const { 0: attribute, 1: value = '', index } of token.matchAll(xmlAttribute)) {
        const attributeEnd = start + index + attribute.length;
        spans.push({ start: start + index, end: attributeEnd, kind: 'attribute', separator: '' });
        spans.push({
          start: attributeEnd - 1 - value.length,
          end: attributeEnd - 1,
          kind: 'value',
          separator: '',
        });
      }
    }
  }
  return spans;
}

/** The number fields of each zip record by its signature: offset and length in bytes (APPNOTE 4.3). */
const zipNumbers: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  'PK\u0003\u0004': [
    [6, 2],
    [8, 2],
    [14, 4],
    [18, 4],
    [22, 4],
    [26, 2],
    [28, 2],
  ],
  'PK\u0001\u0002': [
    [8, 2],
    [10, 2],
    [16, 4],
    [20, 4],
    [24, 4],
    [28, 2],
    [30, 2],
    [32, 2],
    [42, 4],
  ],
  'PK\u0005\u0006': [
    [4, 2],
    [8, 2],
    [10, 2],
    [12, 4],
    [16, 4],
    [20, 2],
  ],
}; // prettier-ignore

/** Zip records, and their number fields. */
function zipSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { 0: mark, index } of text.matchAll(/PK\u0003\u0004|PK\u0001\u0002|PK\u0005\u0006/g)) {
    const next = text.indexOf('PK', index + 2);
    spans.push({ start: index, end: next < 0 ? text.length : next, kind: 'record', separator: '' });
    for (const [at, length] of zipNumbers[mark] ?? []) {
      const start = index + at;
      const kind = length === 2 ? 'short' : 'long';
      if (start + length <= text.length) spans.push({ start, end: start + length, kind, separator: '' });
    }
  }
  return spans;
}
