import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { charsetNamed } from '../../src/input/open/charset.ts';
import { openInput } from '../../src/input/open/open.ts';
import type { InputOptions } from '../../src/input/records/options.ts';
import {
  categoryRecords,
  type Identified,
  orderItemRecords,
  productRecords,
  type RecordKind,
} from '../../src/input/records/record-kinds.ts';
import type { RejectedRecord } from '../../src/input/rejects/rejects-file.ts';
import {
  type Files,
  plainOptions,
  read,
  recordsOf,
  surroundings,
  withFiles,
  withoutReasons,
  writeRejects,
} from './reading.ts';
import { oneSheet } from './write-xlsx.ts';
import { encodings, writtenCell } from './written.ts';

const cp949 = await charsetNamed('cp949');

interface Written {
  readonly bytes: Buffer;
  /** The text without reasons. */
  readonly plain: string;
  readonly reasons: readonly RejectedRecord[];
  /** Files of the folder other than the input. */
  readonly names: readonly string[];
}

const rejectsName = 'rejects';

/** Opens `files` and runs `work` with a function that writes their rejects into their folder, and the folder. */
function withRejects<T extends Identified, R>(
  kind: RecordKind<T>,
  files: Files,
  work: (write: (name?: string) => Promise<readonly RejectedRecord[]>, folder: string) => Promise<R>,
  options: Partial<InputOptions> = {},
): Promise<R> {
  return withFiles(files, async (paths, folder) => {
    const input = await openInput(paths, surroundings());
    const settings = { ...plainOptions, ...options };
    return work((name = rejectsName) => writeRejects(input, kind, settings, join(folder, name)), folder);
  });
}

/** The rejects of `files`. Paths in them are mere file names. */
function rejectsOf<T extends Identified>(
  kind: RecordKind<T>,
  files: Files,
  options: Partial<InputOptions> = {},
): Promise<Written> {
  const work = async (write: () => Promise<readonly RejectedRecord[]>, folder: string) => {
    const records = await write();
    const present = readdirSync(folder);
    const given = typeof files === 'string' || files instanceof Uint8Array ? ['input'] : Object.keys(files);
    expect(present).toEqual(expect.arrayContaining(given));
    const names = present.filter((name) => !given.includes(name));
    if (records.length === 0) return { bytes: Buffer.alloc(0), plain: '', reasons: [], names };
    const path = join(folder, rejectsName);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const reasons = JSON.parse(JSON.stringify(records).replaceAll(`${folder}/`, ''));
    const bytes = readFileSync(path);
    return {
      bytes,
      get plain() {
        return withoutReasons(bytes.toString(), records);
      },
      reasons,
      names,
    };
  };
  return withRejects(kind, files, work, options);
}

const header = 'originId,name,isReviewDisabled';
const notBoolean =
  'isReviewDisabled: this is not a boolean value; write true or false ' +
  '(Y/N; T/F; 1/0; 예/아니오; 사용함/사용안함 and 노출함/노출안함 are understood too)';

describe('rejects', () => {
  it('are the bad rows exactly as they stand, below the header, with their reasons in a last column', async () => {
    const content = `${header}\r\n1,"a ""b""\r\nc",maybe\r\n2,good,Y\r\n 3 , x ,"no, never"\r\n4,too,many,cells\r\n1,,Y\r\n2,,N\r\n`;
    const { plain, reasons, names } = await rejectsOf(productRecords, content);
    expect(plain).toBe(
      `${header}\r\n1,"a ""b""\r\nc",maybe\r\n 3 , x ,"no, never"\r\n4,too,many,cells\r\n1,,Y\r\n2,,N\r\n`,
    );
    expect(names).toEqual([rejectsName]);
    const about = (line: number, originId: string | undefined, problem: object) => ({
      file: 'input',
      line,
      ...(originId !== undefined && { originId }),
      problems: [expect.objectContaining(problem)],
    });
    expect(reasons).toMatchObject([
      about(2, '1', { column: 'isReviewDisabled', value: 'maybe', code: 'not-a-boolean' }),
      about(5, '3', { column: 'isReviewDisabled', value: 'no, never', code: 'not-a-boolean' }),
      about(6, undefined, { code: 'ragged-row' }),
      about(7, '1', { code: 'duplicate-origin-id', reason: 'the originId is already on input:2' }),
      about(8, '2', { code: 'duplicate-origin-id', value: '2' }),
    ]);
  });

  it('are known by their ids without the formula that keeps them from Excel', async () => {
    const { bytes, reasons } = await rejectsOf(productRecords, `${header}\n="007",a,maybe\n`);
    expect(reasons).toMatchObject([{ originId: '007' }]);
    expect(bytes.toString()).toContain('="007",a,maybe');
  });

  it('keep the rows above the header, so that the same command reads them', async () => {
    const content = `"notice;\ntwo lines"\nsep\n${header.replaceAll(',', ';')}\n1;가;maybe\n2;b;Y\n`;
    const options = { headerRow: 4 };
    const { bytes, plain } = await rejectsOf(productRecords, content, options);
    expect(plain).toBe(content.replace('2;b;Y\n', ''));
    const corrected = bytes.toString().replace('maybe', 'Y');
    expect(await read(productRecords, corrected, options)).toMatchObject({
      count: 1,
      entries: [{ line: 5, record: { originId: '1', name: '가', isReviewDisabled: true } }],
    });
  });

  it('keep the rows below a header that explain it, so that the export is known again', async () => {
    const above = '상품번호,상품명,분류\ngoods_no,goods_name,category_code\n10자 이내,필수,\n';
    const long = `${above}1,,\n2,나,\n1,다,\n`;
    const { bytes, plain } = await rejectsOf(productRecords, long);
    expect(plain).toBe(`${above.replace('필수,', '필수,,')}1,다,\n`);
    expect(await read(productRecords, bytes)).toMatchObject({
      entries: [{ line: 4, record: { originId: '1', name: '다' } }],
    });
  });

  it('leave alone a file that ends in .part', async () => {
    const name = `${rejectsName}.part`;
    const { names } = await rejectsOf(
      productRecords,
      { [name]: `${header}\n1,a,maybe\n` },
      { format: 'csv' },
    );
    expect(names).toEqual([rejectsName]);
  });

  it('without any, write nothing', async () => {
    const { reasons, names } = await rejectsOf(productRecords, `${header}\n1,a,Y\n`);
    expect({ reasons, names }).toEqual({ reasons: [], names: [] });
  });
});

describe('rejects are written as the input is', () => {
  const korean = `${header}\r\n1,갂똠,maybe\r\n2,둘,Y\r\n`;
  const bad = `${header},reviewctl-reason\r\n1,갂똠,maybe,${notBoolean}\r\n`;

  it.each(Object.entries(encodings))('in its encoding: %s', async (_name, encode) => {
    const { bytes } = await rejectsOf(productRecords, encode(korean));
    expect(bytes).toEqual(Buffer.from(encode(bad)));
    const packed = await rejectsOf(productRecords, gzipSync(encode(korean)));
    expect(packed.bytes).toEqual(bytes);
  });

  it('of NDJSON, its lines', async () => {
    const lines = [
      '{"originId" : 1}',
      '{"originId":"2"}',
      '{"originId":"3", "isReviewDisabled": 12345678901234567890}',
      'no json',
      '[1]',
    ];
    const { plain } = await rejectsOf(productRecords, { 'p.ndjson': `${lines.join('\n')}\n` });
    expect(plain).toBe(`${[lines[0], lines[2], lines[3], lines[4]].join('\n')}\n`);
  });

  it('are told by an id with half of a character as by any other', async () => {
    const { reasons } = await rejectsOf(productRecords, { 'p.ndjson': '{"originId":"a\\ud83d"}\n' });
    expect(reasons).toMatchObject([{ line: 1, originId: 'a\ud83d' }]);
  });

  it('of JSON, an array of its objects, with every digit', async () => {
    const first = '{ "originId": 12345678901234567890,\n "name": "가\\"}" }';
    const content = `[\n${first}, {"originId":"2"},\n {"originId":"3","isReviewDisabled":"힣"}, 7]`;
    const { plain } = await rejectsOf(productRecords, content);
    expect(plain).toBe(`[\n${first},\n{"originId":"3","isReviewDisabled":"힣"},\n7\n]\n`);
  });

  it('of several files with one header, in one file', async () => {
    const { plain, reasons } = await rejectsOf(productRecords, {
      'a.csv': `${header}\n1,a,maybe\n`,
      'b.csv': `${header}\r\n2,b,maybe\r\n`,
    });
    expect(plain).toBe(`${header}\n1,a,maybe\n2,b,maybe\n`);
    expect(reasons).toMatchObject([
      { file: 'a.csv', line: 2 },
      { file: 'b.csv', line: 2 },
    ]);
  });
});

describe('the reasons of rejects', () => {
  const again = (content: string | Uint8Array, name = 'p.csv') =>
    rejectsOf(productRecords, { [name]: content });

  it('say all problems of a record, without quotes or delimiters, and how to correct them', async () => {
    const { bytes } = await again('originId;name;isReviewDisabled\n;"a; ""b""";maybe\n');
    expect(bytes.toString().split('\n').slice(0, 2)).toEqual([
      'originId;name;isReviewDisabled;reviewctl-reason',
      `;"a; ""b""";maybe;${notBoolean.replaceAll(';', ',')} / ` +
        'originId: this value is missing, fill it in, every record needs originId',
    ]);
  });

  it.each<[string, string]>([
    ['in the last column', `${header}\n1,"5 inch, ""x""",maybe\n2,b,Y,x\n`],
    [
      'in a field',
      '{"originId": "1", "isReviewDisabled": "maybe" }\n{"originId":"","name":"a"}\n{"name":7}\n',
    ],
    ['below a header that ends in a delimiter', `${header},\n1,a,maybe\n2,b,N\n`],
    ['beside rows that all end in a delimiter', `${header}\n1,a,maybe,\n,b,N,\n`],
    ['beside rows of a table that are no records', `${header}\n----,----,----\n1,a,maybe\n합계,3,6\n`],
    ['beside a quote in a file without quotes', `${header}\n1,5" pipe,maybe\n`],
  ])('are ignored and replaced when rejects come back: %s', async (_name, content) => {
    const name = content.startsWith('{') ? 'p.ndjson' : 'p.csv';
    const first = await again(content, name);
    expect(first.reasons.length).toBeGreaterThan(0);
    const second = await again(first.bytes, name);
    // The reason counts as a cell.
    const uncounted = ({ bytes }: Written) => bytes.toString().replaceAll(/has \d/g, '');
    expect(uncounted(second)).toBe(uncounted(first));
    const corrected = first.bytes.toString().replaceAll('maybe', 'Y');
    const { entries, notices } = await read(productRecords, { [name]: corrected });
    expect(entries[0]).toMatchObject({ record: { originId: '1', isReviewDisabled: true } });
    expect(notices).toEqual([]);
  });

  it.each<[string, string, string]>([
    [
      'a cell that was deleted with its delimiter',
      'originId,name,reviewctl-reason\n1,Mug\n2,Pot,x\n2,Pan,\n',
      '1,Mug,this row has',
    ],
    [
      'blank cells after them',
      'originId,name,reviewctl-reason\n1,Mug,old,\n1,Pot,old,\n',
      '1,Pot,originId: the',
    ],
    [
      'a value that is null',
      '{"originId":"","reviewctl-reason": null, "name":"a"}\n',
      '{"originId":"", "name":"a","reviewctl-reason":"originId',
    ],
    [
      'another object with such a field',
      '{"a":{"reviewctl-reason":"x","b":1},"originId":""}\n',
      '{"a":{"reviewctl-reason":"x","b":1},"originId":"","reviewctl-reason":"',
    ],
  ])('leave the rest of a record alone beside %s', async (_name, content, expected) => {
    const { bytes } = await again(content, content.startsWith('{') ? 'p.ndjson' : 'p.csv');
    expect(bytes.toString()).toContain(`\n${expected}`.slice(content.startsWith('{') ? 1 : 0));
  });

  it('have a mark for what the charset of the file lacks', async () => {
    const name = '주문☃.csv'.normalize('NFD');
    const { bytes } = await again(cp949.encode(`${header}\n1,가,Y\n1,나,Y\n`), name);
    expect(cp949.decode(bytes)).toContain('주문?.csv:2; keep the one that is right');
  });

  it('cannot be run by a spreadsheet', async () => {
    const { bytes } = await rejectsOf(productRecords, 'originId,name,=1+1\n1,a,maybe\n', {
      map: ['isReviewDisabled==1+1'],
    });
    expect(bytes.toString()).toContain(",maybe,'=1+1: this is not a boolean value");
  });
});

it('rejects of an HTML table are CSV that Excel opens, and can be pushed again', async () => {
  const cells = (...texts: string[]) => `<tr>${texts.map((text) => `<td>${text}</td>`).join('')}</tr>`;
  const rows = cells('originId', 'name', 'isReviewDisabled') + cells('1', '"가", 나', 'maybe');
  const { bytes, reasons } = await rejectsOf(productRecords, `<table>${rows}</table>`);
  expect(reasons).toMatchObject([{ problems: [{ line: 2 }] }]);
  const text = bytes.toString();
  expect(text.startsWith('\ufeff"originId","name","isReviewDisabled",reviewctl-reason\n')).toBe(true);
  const { records } = await read(productRecords, { 'rejects.csv': text.replace('maybe', 'no') });
  expect(records).toMatchObject([{ name: '"가", 나', isReviewDisabled: false }]);
});

describe('rejects of a workbook are written', () => {
  it('as CSV that Excel opens as it is', async () => {
    const content = oneSheet([
      ['originId', 'name', 'isReviewDisabled'],
      ['1', '가, "나"', 'maybe'],
      ['2', 'b', true],
    ]);
    const { plain } = await rejectsOf(productRecords, content);
    expect(plain).toBe(`\ufeff${header}\r\n1,"가, ""나""",maybe\r\n`);
  });

  it('with cells that Excel keeps as they are, and which are read back as they were', async () => {
    const columns = ['orderOriginId', 'originId', 'productOriginId', 'paidPrice', 'status', 'orderedAt'];
    const cells = ['00123', '20260930143600110012', '1-19', '12900', 'LOST', '2026-09-30 14:36:05'];
    const continued = ['00123', '15E02', '7', '12.50', 'LOST', null];
    const content = oneSheet([columns, cells, continued]);
    const { bytes, plain } = await rejectsOf(orderItemRecords, content);
    const kept = (text: string) => `"=""${text}"""`;
    const at = kept('2026-09-30 14:36:05');
    expect(plain.split('\r\n').slice(1)).toEqual([
      `${kept('00123')},${kept('20260930143600110012')},${kept('1-19')},12900,LOST,${at}`,
      `${kept('00123')},${kept('15E02')},7,${kept('12.50')},LOST,${at}`,
      '',
    ]);
    const corrected = bytes.toString().replaceAll('LOST', '');
    const orderedAt = '2026-09-30T14:36:05+09:00';
    const [orderOriginId, originId] = cells;
    expect(await recordsOf(orderItemRecords, corrected)).toEqual([
      { orderOriginId, originId, productOriginId: '1-19', paidPrice: '12900', orderedAt },
      { orderOriginId, originId: '15E02', productOriginId: '7', paidPrice: '12.5', orderedAt },
    ]);
  });

  it('with #VALUE! for what Excel has lost, which is refused until it is corrected', async () => {
    const date = { written: '46319', style: 1 } as const;
    const grouped = { written: '1234567', style: 4 } as const;
    const scientific = { written: '12900', style: 5 } as const;
    const columns = [
      'orderOriginId',
      'originId',
      'productOriginId',
      'orderedAt',
      'memberOriginId',
      'paidPrice',
    ];
    const { bytes, plain } = await rejectsOf(
      orderItemRecords,
      oneSheet([columns, ['O', true, date, date, grouped, 9], ['O', '2', 'P', date, date, scientific]]),
    );
    expect(plain.split('\r\n').slice(1, 3)).toEqual([
      'O,#VALUE!,#VALUE!,"=""2026-10-24""",#VALUE!,9',
      'O,2,P,"=""2026-10-24""",#VALUE!,#VALUE!',
    ]);
    const { count, problems } = await read(orderItemRecords, bytes);
    expect({ count, refused: problems.map(({ line, column, code }) => [line, column, code]) }).toEqual({
      count: 0,
      refused: [
        [2, 'memberOriginId', 'error-word'],
        [2, 'originId', 'error-word'],
        [2, 'productOriginId', 'error-word'],
        [3, 'memberOriginId', 'error-word'],
        [3, 'paidPrice', 'error-word'],
      ],
    });
  });

  it('with #VALUE! for a date that is an id, also if the column holds the date of another field', async () => {
    const rows = [
      ['orderOriginId', 'productOriginId', 'orderedAt'],
      ['O', 'P', { written: '46319', style: 1 }],
    ];
    const { plain } = await rejectsOf(orderItemRecords, oneSheet(rows), {
      map: ['originId={orderedAt}-{n}'],
    });
    expect(plain.split('\r\n')[1]).toBe('O,P,#VALUE!');
  });
});

describe('rejects for what stands elsewhere in the input', () => {
  it('are all categories of a cycle of parents and those below it, and no other', async () => {
    const columns = 'originId,name,parentOriginId';
    const { plain } = await rejectsOf(categoryRecords, {
      'c.csv': `${columns}\nlow,x,A\nA,x,B\ntop,x,\nB,x,A\nleaf,x,top\n`,
    });
    expect(plain).toBe(`${columns}\nlow,x,A\nA,x,B\nB,x,A\n`);
  });

  it('are none of the rows on which a whole order disagrees: which of them is right only a person knows', async () => {
    const content = 'orderOriginId,originId,productOriginId,memberOriginId\nO,1,P,kim\nO,2,P,lee\n';
    const options = { hasWholeOrders: true };
    const { reasons, names } = await rejectsOf(orderItemRecords, content, options);
    expect({ reasons, names }).toEqual({ reasons: [], names: [] });
  });
});

describe('rows of an order', () => {
  const columns = 'orderOriginId,originId,productOriginId,buyer.name,status';

  it('that continue the one above are written with its values', async () => {
    const content = `${columns}\nO1,a,P,김,DELIVERED\n,b,P,,LOST\nO2,c,P,이,LOST\n`;
    const { plain } = await rejectsOf(orderItemRecords, content);
    expect(plain).toBe(`${columns}\nO1,b,P,김,LOST\nO2,c,P,이,LOST\n`);
  });

  it('that continue an unreadable one are not torn from it', async () => {
    const content = `${columns}\nO1,a,P,김,LOST\nO2,b,P,이,DELIVERED,more\n,c,P,,LOST\n`;
    await expect(rejectsOf(orderItemRecords, content)).rejects.toMatchObject({
      kind: 'input',
      message: expect.stringMatching(/input:4: the order of this row cannot be read/),
    });
  });

  const counted = { map: ['originId={orderOriginId}-{n}'] };

  it('that are numbered with {n} are left out together, also those above the invalid one', async () => {
    const rows = ['O1,P,DELIVERED', 'O2,P,DELIVERED', 'O1,P,LOST', 'O1,Q,DELIVERED'];
    const content = `orderOriginId,productOriginId,status\n${rows.join('\n')}\n`;
    const { plain, reasons } = await rejectsOf(orderItemRecords, content, counted);
    const left = rows.filter((row) => row.startsWith('O1'));
    expect(plain).toBe(`orderOriginId,productOriginId,status\n${left.join('\n')}\n`);
    const code = (name: string) => ({ problems: [{ code: name }] });
    expect(reasons).toMatchObject([code('order-left-out'), code('not-a-status'), code('order-left-out')]);
  });

  it.each([
    ['which order is not known', 'O1,P,DELIVERED\n,P,DELIVERED\n', {}],
    ['that is not a row of the table', 'O1,P,DELIVERED\nO1,P,DELIVERED,more\n', {}],
    [
      'of an order in two files',
      'O1,P,LOST\n',
      { 'p.csv': 'orderOriginId,productOriginId,status\nO1,P,DELIVERED\n' },
    ],
  ])('numbered with {n} are not left out beside a row %s', async (_, rows, others) => {
    const files = { 'o.csv': `orderOriginId,productOriginId,status\n${rows}`, ...others };
    await expect(rejectsOf(orderItemRecords, files, counted)).rejects.toMatchObject({
      kind: 'input',
      message: expect.stringContaining('skipped'),
    });
  });
});

describe('leaving records out is refused', () => {
  it.each<[string, Files]>([
    ['the rest of a file cannot be read', { 'a.csv': `${header}\n1,a,maybe\n2,"b,Y\n` }],
    [
      'a page ends within its table',
      { 'a.xls': '<table><tr><td>originId<td>name<tr><td>1<td>a</tr><tr><td></tr>' },
    ],
    [
      'another header',
      { 'a.csv': `${header}\n1,a,maybe\n`, 'b.csv': 'originId,isReviewDisabled\n2,maybe\n' },
    ],
    [
      'another encoding',
      { 'a.csv': `${header}\n1,가,maybe\n`, 'b.csv': cp949.encode(`${header}\n2,가,maybe\n`) },
    ],
    ['another format', { 'a.csv': `${header}\n1,a,maybe\n`, 'b.ndjson': '{"originId":1}\n' }],
  ])('where it would not be safe: %s; and nothing is left behind', (_name, files) =>
    withRejects(productRecords, files, async (write, folder) => {
      await expect(write()).rejects.toMatchObject({ kind: 'input' });
      expect(readdirSync(folder).toSorted()).toEqual(Object.keys(files));
    }),
  );

  const files = { 'a.csv': `${header}\n1,a,maybe\n2,b,Y\n` };

  it('where it would overwrite the input, under any of its names', () =>
    withRejects(productRecords, files, async (write, folder) => {
      const path = join(folder, 'a.csv');
      await symlink(path, `${path}.link`);
      for (const target of ['a.csv', 'a.csv.link']) {
        await expect(write(target)).rejects.toMatchObject({
          kind: 'usage',
          message: expect.stringContaining('is the input'),
        });
      }
      expect(readFileSync(path, 'utf8')).toContain('maybe');
    }));

  it('where it would overwrite what was corrected by hand', () =>
    withRejects(productRecords, files, async (write, folder) => {
      const present = join(folder, rejectsName);
      // Even a beginning of the rejects may be a correction, from which rows were removed.
      for (const corrected of ['corrected', `${header}\n`]) {
        writeFileSync(present, corrected);
        await expect(write()).rejects.toMatchObject({
          kind: 'usage',
          message: expect.stringContaining(present),
          hint: expect.stringContaining('name a new file'),
        });
        expect(readFileSync(present, 'utf8')).toBe(corrected);
        expect(readdirSync(folder).toSorted()).toEqual(['a.csv', rejectsName]);
      }
    }));

  it('where it cannot be written', () =>
    withRejects(productRecords, files, async (write, folder) => {
      await expect(write('no-folder/rejects.csv')).rejects.toMatchObject({ kind: 'unreadable-path' });
      expect(existsSync(join(folder, 'no-folder'))).toBe(false);
    }));

  it('but not where an earlier run of the same command has written just them', () =>
    withRejects(productRecords, files, async (write, folder) => {
      await write();
      const { ino } = statSync(join(folder, rejectsName));
      expect(await write()).toHaveLength(1);
      expect(statSync(join(folder, rejectsName)).ino).toBe(ino);
    }));
});

describe('whatever a table holds', () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom(...Array.from('a1 가"\n\r,;')) }),
    fc.constantFrom('Y', 'N', 'maybe', '', '"', '한글'),
  );
  const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 20 });
  const quoted = (text: string) => writtenCell(text, ',', true);

  it('its rejects have exactly the problems that it has, and its good records none of them', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom('csv', 'json', 'ndjson'), async (among, format) => {
        const body = [['first', 'a', 'Y'] as const, ...among, ['last', 'b', 'N'] as const];
        const objects = body.map(([originId, name, isReviewDisabled]) => ({
          originId,
          name,
          isReviewDisabled,
        }));
        const content = {
          csv: `${header}\n${body.map((row) => row.map(quoted).join(',')).join('\n')}\n`,
          json: JSON.stringify(objects, null, 1),
          ndjson: objects.map((object) => JSON.stringify(object)).join('\n'),
        }[format];
        const name = `p.${format}`;
        const whole = await read(productRecords, { [name]: content });
        const { bytes, reasons } = await rejectsOf(productRecords, { [name]: content });
        const isDuplicate = ({ code }: { readonly code: string }) => code === 'duplicate-origin-id';
        const { count, problems } = await read(productRecords, { [name]: bytes });
        // Rejects on their own may look like a file that lost its cells.
        const again = problems.filter(({ code }) => code !== 'empty-columns' && code !== 'lone-value');
        const told = (all: typeof whole.problems) =>
          all
            .filter((problem) => !isDuplicate(problem))
            .map(({ column, value, code }) => ({ column, value, code }));
        expect(told(again)).toEqual(told(whole.problems));
        expect(count + new Set(again.map(({ line }) => line)).size).toBe(reasons.length);
        // If the first record of an id is valid, it is not among the rejects, so the next one is the first there.
        const duplicates = whole.problems.filter(isDuplicate);
        const firstLines = new Set(duplicates.map(({ reason }) => Number(reason.split(':').at(-1))));
        const goodFirsts = whole.entries.filter(({ line }) => firstLines.has(line));
        expect(again.filter(isDuplicate)).toHaveLength(duplicates.length - goodFirsts.length);
      }),
      { numRuns: 60 },
    );
  });
});

it.each(['appendFile', 'sync'] as const)(
  'rejects on a disk that is full end the command in words before anything is sent, and leave no file (%s)',
  async (method) => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const failing = vi.spyOn(await fileHandles(), method).mockRejectedValue(full);
    onTestFinished(() => failing.mockRestore());
    const files = { 'a.csv': 'originId,name,imageUrl\n,Mug,https://shop.example/1.png\n' };
    await withRejects(productRecords, files, async (write, folder) => {
      await expect(write()).rejects.toMatchObject({
        kind: 'unwritable-path',
        message: expect.stringMatching(/rejects.* cannot be written: ENOSPC: .*; nothing was sent$/),
        hint: expect.stringContaining('--rejects'),
      });
      expect(readdirSync(folder)).toEqual(['a.csv']);
    });
  },
);

/** The prototype of all file handles. */
async function fileHandles(): Promise<FileHandle> {
  const file = await open(import.meta.filename);
  await file.close();
  return Object.getPrototypeOf(file) as FileHandle;
}
