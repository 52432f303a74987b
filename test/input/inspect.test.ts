import { describe, expect, it } from 'vitest';
import { type Inspection, inspectInput } from '../../src/input/inspect.ts';
import { openInput } from '../../src/input/open/open.ts';
import type { InputOptions } from '../../src/input/records/options.ts';
import {
  type Identified,
  orderItemRecords,
  orderItemUpdateRecords,
  productRecords,
  type RecordKind,
} from '../../src/input/records/record-kinds.ts';
import { type Files, plainOptions, surroundings, withFiles } from './reading.ts';
import { oneSheet, workbook } from './write-xlsx.ts';

/** Inspects files and removes their folder from the result. */
function inspect<T extends Identified>(
  kind: RecordKind<T>,
  files: Files,
  options: Partial<InputOptions> = {},
): Promise<Inspection<T>> {
  return withFiles(files, async (paths) => {
    const input = await openInput(paths, surroundings());
    const folder = (paths[0] ?? '').replace(/[^/]+$/, '');
    const inspection = await inspectInput(input, kind, { ...plainOptions, ...options });
    return JSON.parse(JSON.stringify(inspection).replaceAll(folder, '')) as Inspection<T>;
  });
}

const items = 'orderOriginId,originId,productOriginId';

describe('inspect tells where every value comes from', () => {
  it('by flag, own name, preset or synonym, and what is left over', async () => {
    const file = `주문번호,품목별 주문번호,productOriginId,수하인명,메모\nO,I,P,이,x\n`;
    const options = { map: ['buyer.name=메모'], set: ['status=RETURN'] };
    const { files } = await inspect(orderItemRecords, { 'o.csv': file }, options);
    expect(files).toMatchObject([
      {
        file: 'o.csv',
        format: 'csv',
        encoding: 'utf-8',
        delimiter: ',',
        headerLine: 1,
        preset: { name: 'cafe24', signature: ['주문번호', '품목별 주문번호'] },
        fields: [
          { field: 'orderOriginId', from: '주문번호', origin: 'preset' },
          { field: 'originId', from: '품목별 주문번호', origin: 'preset' },
          { field: 'productOriginId', from: 'productOriginId', origin: 'own name' },
          { field: 'status', from: '--set', origin: '--set' },
          { field: 'buyer.name', from: '메모', origin: '--map' },
          { field: 'recipient.name', from: '수하인명', origin: 'synonym' },
        ],
        unusedColumns: [],
      },
    ]);
  });

  it('of JSON, too', async () => {
    const { files, first } = await inspect(productRecords, { 'p.json': '[{"originId":"1","x":2}]' });
    expect(files).toMatchObject([{ format: 'json', unusedColumns: ['x'] }]);
    expect(first).toEqual([{ file: 'p.json', line: 1, record: { originId: '1' } }]);
  });
});

describe('inspect tells what a header means', () => {
  it.each([
    ['quotes', `주문번호,상품번호,결제일\nO,"P",2026-09-30\n`, ['originId={주문번호}-{n}'], 0],
    ['too many cells', `주문번호,상품번호,결제일\nO,P,2026-09-30,x\n`, ['originId={주문번호}-{n}'], 1],
  ])('where its first row has %s', async (_what, file, needed, problemCount) => {
    const inspection = await inspect(orderItemRecords, { 'o.csv': file });
    expect(inspection.proposals.map(({ value }) => value)).toEqual(needed);
    expect(inspection.files[0]?.fields.map(({ field }) => field)).toEqual([
      'orderOriginId',
      'originId',
      'productOriginId',
      'orderedAt',
    ]);
    expect(inspection.problemCount).toBe(problemCount);
  });

  it('and that nothing stands below it, though another sheet of the workbook may hold the records', async () => {
    const content = workbook([
      { name: '안내', rows: [['이 파일은']] },
      { name: '주문', rows: [items.split(','), ['O', 'I', 'P']] },
    ]);
    const first = await inspect(orderItemRecords, { 'o.xlsx': content });
    expect(first).toMatchObject({ recordCount: 0, wouldPush: false });
    expect(first.problems).toMatchObject([
      { file: 'o.xlsx', code: 'no-table', remedy: expect.stringContaining('--sheet') },
    ]);
    const other = await inspect(orderItemRecords, { 'o.xlsx': content }, { sheet: '2' });
    expect(other).toMatchObject({ notices: [{ code: 'sheet' }], recordCount: 1 });
    const guide = oneSheet([['이 파일은'], ['1.']]);
    const { problems } = await inspect(orderItemRecords, { 'o.xlsx': guide });
    expect(problems).toMatchObject([{ code: 'missing-columns', remedy: expect.stringContaining('--sheet') }]);
  });

  it('and that records of existing items say nothing but which they are', async () => {
    const file = 'id,orderOriginId,status\n1,O,\n';
    expect(await inspect(orderItemUpdateRecords, { 'o.csv': file })).toMatchObject({
      notices: [{ code: 'nothing-to-change' }],
      recordCount: 1,
    });
    const other = await inspect(orderItemUpdateRecords, { 'o.csv': 'id,status\n1,\n2,CANCEL\n' });
    expect(other.notices).toEqual([]);
  });
});

describe('what an input needs is proposed, and everything else is told as it would be with it', () => {
  it('the row of the header below other lines, with the command that reads it', async () => {
    const content = 'Products\n2026-09-30,x\n\noriginId,name\n1,a\n';
    expect(await inspect(productRecords, { 'p.csv': content })).toMatchObject({
      proposals: [{ flag: '--header-row', value: '4' }],
      recordCount: 1,
      commands: ['reviewctl products push p.csv --header-row 4'],
    });
  });

  it('the row of a header that lacks a column itself, and what it lacks', async () => {
    const content = '주문 목록\n2026-09-30\n\n주문번호,상품코드,주문자\nO,P1,이\nO,P2,이\n';
    expect(await inspect(orderItemRecords, { 'o.csv': content })).toMatchObject({
      recordCount: 2,
      commands: ["reviewctl orders push o.csv --header-row 4 --map 'originId={주문번호}-{n}'"],
    });
  });

  it('the address of images', async () => {
    const inspection = await inspect(productRecords, { 'p.csv': 'originId,imageUrl\n1,a/b.jpg\n' });
    expect(inspection).toMatchObject({
      wouldPush: false,
      problemCount: 0,
      recordCount: 1,
      commands: ['reviewctl products push p.csv -c image-base-url=https://YOUR-SHOP.example/images/'],
      settings: { 'products.image-base-url': 'https://YOUR-SHOP.example/images/' },
    });
  });

  it('to omit masked member ids, and no statuses in progress', async () => {
    const file = `${items},status,memberOriginId\nO,1,P,배송중,ki****\nO,2,P,배송완료,\n`;
    expect(await inspect(orderItemRecords, { 'o.csv': file })).toMatchObject({
      problemCount: 0,
      recordCount: 2,
      commands: ['reviewctl orders push o.csv --set memberOriginId='],
    });
  });

  it('a choice with one command for each way, the first of them being what is shown', async () => {
    const inspection = await inspect(productRecords, { 'p.csv': '상품번호,상품코드\n17,P0\n' });
    expect(inspection).toMatchObject({
      wouldPush: false,
      first: [{ record: { originId: 'P0' } }],
      commands: [
        "reviewctl products push p.csv --map 'originId=상품코드'",
        "reviewctl products push p.csv --map 'originId=상품번호'",
      ],
      proposals: [{ flag: '--map', value: 'originId=상품코드', alternatives: ['originId=상품번호'] }],
    });
  });

  it('once for all files', async () => {
    const file = (order: string) => `orderOriginId,productOriginId\n${order},P\n`;
    expect(await inspect(orderItemRecords, { 'a.csv': file('A'), 'b.csv': file('B') })).toMatchObject({
      commands: ["reviewctl orders push a.csv b.csv --map 'originId={orderOriginId}-{n}'"],
      recordCount: 2,
    });
  });
});

describe('what no flag mends is a problem', () => {
  it('a required column that is not there', async () => {
    const inspection = await inspect(productRecords, { 'p.csv': 'name\na\n' });
    expect(inspection).toMatchObject({
      wouldPush: false,
      recordCount: 0,
      problemCount: 1,
      problems: [
        {
          file: 'p.csv',
          firstLines: [1],
          count: 1,
          reason: 'no column for originId, which products need',
        },
      ],
    });
  });

  it('a column that only a later record of JSON could have brought', async () => {
    const inspection = await inspect(productRecords, { 'p.ndjson': '{"name":"a"}\n{"name":"b"}\n' });
    expect(inspection).toMatchObject({
      wouldPush: false,
      problems: [
        { code: 'missing', count: 2 },
        { code: 'missing-columns', count: 1 },
      ],
    });
  });

  it('a known export of something else, whose push is proposed instead', async () => {
    const file = '주문번호,품목별 주문번호,상품코드\nO,I,P\n';
    expect(await inspect(productRecords, { 'o.csv': file })).toMatchObject({
      wouldPush: false,
      recordCount: 0,
      problems: [{ code: 'other-export', count: 1 }],
      commands: ['reviewctl orders push o.csv'],
    });
  });

  it('alike ones are one, with their number and their first lines', async () => {
    const rows = Array.from({ length: 2000 }, (_, row) => `${row},free\n`).join('');
    const { problems, problemCount } = await inspect(orderItemRecords, {
      'o.csv': `originId,paidPrice,orderOriginId,productOriginId\n${rows.replaceAll('\n', ',O,P\n')}`,
    });
    expect(problemCount).toBe(2000);
    expect(problems).toMatchObject([
      { column: 'paidPrice', code: 'not-an-amount', count: 2000, firstLines: [2, 3, 4], value: 'free' },
    ]);
  });
});

describe('the command is complete', () => {
  it('with every flag that was given, quoted for a shell', async () => {
    const { commands, wouldPush } = await inspect(
      productRecords,
      { "it's here.csv": '\nid;Name\n1;x\n' },
      {
        delimiter: ';',
        headerRow: 2,
        map: ['originId=id', "name={Name}'s"],
        timeZone: '+00:00',
        preset: 'none',
        nullWord: 'NULL',
        carriers: ['한진=05'],
        imageBaseUrl: 'https://shop.example/i/',
      },
    );
    expect(wouldPush).toBe(true);
    expect(commands).toEqual([
      "reviewctl products push 'it'\\''s here.csv' --delimiter ';' --header-row 2 --preset none --map originId=id --map 'name={Name}'\\''s' -c 'carriers=한진=05' -c time-zone=+00:00 -c null-word=NULL -c image-base-url=https://shop.example/i/",
    ]);
  });

  it('and a file without records would push nothing, which is no problem', async () => {
    expect(await inspect(productRecords, { 'p.csv': 'originId\n' })).toMatchObject({
      wouldPush: true,
      recordCount: 0,
      files: [{ fields: [] }],
    });
  });
});

it.each([
  ['Nr,Thing,x\n1,1-1,a\n', '--map orderOriginId=HEADER --map originId=HEADER --map productOriginId=HEADER'],
  ['orderOriginID,item,productOriginId,status\n1,1-1,a,?\n', "--map 'originId={orderOriginID}-{n}'"],
])(
  'the command to push with once the problems are corrected has every flag it needs: %j',
  async (file, flags) => {
    const { commands } = await inspect(orderItemRecords, { 'o.csv': file });
    expect(commands).toEqual([`reviewctl orders push o.csv ${flags}`]);
  },
);
