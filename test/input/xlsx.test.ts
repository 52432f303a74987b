import { describe, expect, it } from 'vitest';
import { orderItemRecords, productRecords } from '../../src/input/records/record-kinds.ts';
import { read } from './reading.ts';
import { oneSheet, type SheetCell, workbook, zip } from './write-xlsx.ts';

const items = ['orderOriginId', 'originId', 'productOriginId'];

type Rows = readonly (readonly SheetCell[])[];
const productsOf = (...rows: Rows) => read(productRecords, oneSheet(rows));
const ordersOf = (...rows: Rows) => read(orderItemRecords, oneSheet(rows));

describe('a workbook', () => {
  it('gives records that know the row of the sheet they stand on', async () => {
    const { entries } = await productsOf(
      [],
      ['originId', 'name'],
      ['1', '가\n나'],
      [],
      [' ', ''],
      ['2', '다'],
    );
    expect(entries).toEqual([
      { file: 'input', line: 3, record: { originId: '1', name: '가\n나' } },
      { file: 'input', line: 6, record: { originId: '2', name: '다' } },
    ]);
  });

  it('is known by content, whatever its name', async () => {
    const content = oneSheet([['originId'], ['1']]);
    for (const name of ['p.csv', 'p.xls']) {
      expect(await read(productRecords, { [name]: content })).toMatchObject({ count: 1, problemCount: 0 });
    }
  });

  it('is read with its sizes where Java programs write them', async () => {
    const content = workbook([{ name: 'A', rows: [['originId'], ['1']] }], { isZip64: true });
    expect(await read(productRecords, content)).toMatchObject({ count: 1, problemCount: 0 });
  });

  it('has its header where --header-row says', async () => {
    const content = oneSheet([
      ['엑셀 다운로드 안내', 'x', 'y'],
      ['originId', 'name'],
      ['1', 'a'],
    ]);
    const { records } = await read(productRecords, content, { headerRow: 2 });
    expect(records).toEqual([{ originId: '1', name: 'a' }]);
    const beyond = await read(productRecords, content, { headerRow: 40 });
    expect(beyond.problems).toMatchObject([{ code: 'no-header' }]);
  });

  it('cells right of the header belong to no column', async () => {
    const { records } = await productsOf(['originId', null], ['1', null, 'a note']);
    expect(records).toEqual([{ originId: '1' }]);
  });
});

describe('sheets', () => {
  const content = workbook([
    { name: '안내', rows: [['originId', 'name'], ['notice']] },
    { name: '주문', rows: [['originId'], ['order']] },
    { name: '1', rows: [['originId'], ['one']] },
  ]);

  it.each([
    [undefined, 'notice'],
    ['주문', 'order'],
    ['2', 'order'],
    ['1', 'one'],
  ])('--sheet %s is %s', async (sheet, originId) => {
    const { ids } = await read(productRecords, content, sheet === undefined ? {} : { sheet });
    expect(ids).toEqual([originId]);
  });

  it('a title above the header is told as what it may be', async () => {
    const rows = [['상품 목록'], ['id', 'name'], ['1', 'a']];
    const { problems } = await read(productRecords, oneSheet(rows));
    expect(problems).toMatchObject([
      {
        code: 'missing-columns',
        remedy: expect.stringMatching(/if that is a title, .* --header-row; if the records/),
      },
    ]);
  });

  it.each(['주믄', '4', '0'])('--sheet %s is not there, and the sheets are named', async (sheet) => {
    await expect(read(productRecords, content, { sheet })).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(`has no sheet '${sheet}'`),
      hint: 'name one of its sheets with --sheet: 안내, 주문, 1',
    });
  });
});

describe('cells are text as they are shown', () => {
  it.each<[string, SheetCell, string]>([
    ['text with its zeros', '00123', '00123'],
    ['a whole number', 2026093000024, '2026093000024'],
    ['a whole number of 15 digits', { written: '123456789012345' }, '123456789012345'],
    ['a whole number in powers of ten', { written: '1.2E+3' }, '1200'],
    ['a whole number with all of its digits', { written: '123', style: 9 }, '123'],
    ['a whole number behind other digits', { written: '123', style: 10 }, '2026-00123'],
  ])('%s', async (_name, cell, originId) => {
    const { ids, problems } = await productsOf(['originId'], [cell]);
    expect(problems).toEqual([]);
    expect(ids).toEqual([originId]);
  });

  it('a number with the trace of a float', async () => {
    const { records } = await productsOf(['originId', 'name'], ['1', { written: '12.299999999999999' }]);
    expect(records).toMatchObject([{ name: '12.3' }]);
  });

  it.each<[string, SheetCell, string]>([
    ['a date', { written: '46319', style: 1 }, 'id-made-a-date'],
    ['a boolean', true, 'id-not-text'],
    ['a number with decimals', { written: '10.5' }, 'id-not-text'],
    ['a number shown in thousands', { written: '1234567', style: 8 }, 'id-not-text'],
    ['a number shown in thousands from 1000 on', { written: '1234567', style: 9 }, 'id-not-text'],
    ['a number shown with its power of ten', { written: '500', style: 5 }, 'id-mangled'],
  ])('%s is no id, also for the rows that continue its order', async (_name, cell, code) => {
    const { problems, ids } = await ordersOf(
      [...items, 'buyer.phone', 'buyer.name'],
      [cell, 'a', 'P', null, '김'],
      [null, 'b', 'P', null, null],
      ['O', 'c', 'P', cell, '이'],
      ['2026-10-24', 'TRUE', '10.5', null, '박'],
    );
    expect(problems).toMatchObject([
      { line: 2, column: 'orderOriginId', code, remedy: expect.stringContaining('as Text') },
      { line: 3, column: 'orderOriginId', code },
      { line: 4, column: 'buyer.phone', code },
    ]);
    expect(ids).toEqual(['TRUE']);
  });

  it.each(['1234567890123456', '234245440000000000', '2.3424544E+17'])(
    'a number of more than 15 digits (%s) has lost digits and is no id',
    async (written) => {
      const { problems } = await productsOf(['originId'], [{ written }]);
      expect(problems).toMatchObject([{ line: 2, column: 'originId', code: 'id-mangled' }]);
    },
  );

  it('dates are the clock on the wall, money and booleans what they say', async () => {
    const { records, problems } = await ordersOf(
      [...items, 'orderedAt', 'paidPrice', 'shipment.deliveredAt'],
      ['O', 'a', 'P', { written: '46295.608333333337', style: 1 }, 12900, { written: '46296', style: 1 }],
      ['O', 'b', 'P', { written: '46295.608333333337' }, { written: '6300.5' }, '2026.10.01'],
    );
    expect(problems).toEqual([]);
    const orderedAt = '2026-09-30T14:36:00+09:00';
    const shipment = { deliveredAt: '2026-10-01T00:00:00+09:00' };
    expect(records).toMatchObject([
      { orderedAt, paidPrice: '12900', shipment },
      { orderedAt, paidPrice: '6300.5', shipment },
    ]);
    const flags = await productsOf(['originId', 'isReviewDisabled'], ['1', true], ['2', false], ['3', 1]);
    expect(flags.records.map(({ isReviewDisabled }) => isReviewDisabled)).toEqual([true, false, true]);
  });
});

const merged = (merges: readonly string[], ...rows: Rows) => workbook([{ name: 'A', rows, merges }]);
const readMerged = (...given: Parameters<typeof merged>) => read(productRecords, merged(...given));

describe('merged cells in one column', () => {
  it('give their value to every row they cover', async () => {
    const { records, problems } = await readMerged(
      ['C2:C4', 'B3:B4', 'A6:A6'],
      ['originId', 'name', 'groupName'],
      ['1', 'Mug', 'Cups'],
      ['2', 'Cup', null],
      ['3', 'hidden below the merge', null],
      ['4', 'Jar', null],
      ['5', 'Jug', null],
    );
    expect(problems).toEqual([]);
    expect(records.map(({ originId, name, groupName }) => [originId, name, groupName])).toEqual([
      ['1', 'Mug', 'Cups'],
      ['2', 'Cup', 'Cups'],
      ['3', 'Cup', 'Cups'],
      ['4', 'Jar', undefined],
      ['5', 'Jug', undefined],
    ]);
  });

  it('give dates and amounts as the cell that holds them does', async () => {
    const content = merged(
      ['A2:A3', 'D2:D3', 'E2:E3'],
      [...items, 'orderedAt', 'paidPrice'],
      ['O', 'a', 'P', { written: '46295.608333333337', style: 1 }, { written: '6300.5' }],
      [null, 'b', 'P', null, null],
    );
    const { records, problems } = await read(orderItemRecords, content);
    expect(problems).toEqual([]);
    const kept = { orderedAt: '2026-09-30T14:36:00+09:00', paidPrice: '6300.5' };
    expect(records).toMatchObject([kept, kept]);
  });

  it('name it in a header of two rows; titles above several columns do not', async () => {
    const content = merged(
      ['A1:A2', 'B1:C1'],
      ['originId', 'product', null],
      [null, 'name', 'groupName'],
      ['1', 'Mug', 'Cups'],
    );
    const { records } = await read(productRecords, content, { headerRow: 2 });
    expect(records).toEqual([{ originId: '1', name: 'Mug', groupName: 'Cups' }]);
  });
});

describe('merged cells', () => {
  it('that hide all values of a row leave a row that is refused, not a blank one', async () => {
    const { count, problems } = await readMerged(['A2:A3'], ['originId', 'name'], [], ['hidden'], ['1', 'a']);
    expect({ count, problems }).toMatchObject({ count: 1, problems: [{ line: 3, code: 'rule-row' }] });
  });

  it('in several columns are refused by their range if a field is read from them', async () => {
    const rows = [
      ['originId', 'name', 'note', 'more', 'groupName'],
      ['1', 'Mug', null, 'x', 'Cups'],
      ['2', null, null, null, 'Cups'],
    ];
    const over = await readMerged(['B2:C3'], ...rows);
    expect(over.problems).toMatchObject([
      { line: 2, column: 'name', code: 'merged-cells', reason: expect.stringContaining('B2:C3') },
      { line: 3, column: 'name', code: 'merged-cells' },
    ]);
    const beside = await readMerged(['C2:D3'], ...rows);
    expect(beside.problems).toEqual([]);
  });

  it('are named where they give no id, or one id to several rows', async () => {
    const rows = [
      ['originId', 'name'],
      ['1', 'red'],
      [null, 'blue'],
      [null, 'green'],
      [null, 'black'],
    ];
    const { problems } = await readMerged(['A2:A3', 'A4:A5'], ...rows);
    expect(problems).toMatchObject([
      { line: 3, code: 'duplicate-origin-id', reason: expect.stringContaining('the merged cells A2:A3') },
      { line: 4, code: 'missing' },
      { line: 5, code: 'missing', reason: expect.stringContaining('the merged cells A4:A5 are blank') },
    ]);
  });

  it.each([
    ['that overlap', ['A2:A3', 'A3:A4'], /A2:A3 and A3:A4 overlap/],
    ['whose range is reversed', ['A3:A2'], /'A3:A2' is invalid/],
    ['of the whole sheet, again and again', Array.from({ length: 2_000 }, () => 'A2:XFD2'), /overlap/],
  ])('%s are refused', async (_name, merges, reason) => {
    const { problems } = await readMerged(merges, ['originId'], ['1'], ['2']);
    expect(problems).toMatchObject([{ code: 'broken-xlsx', reason: expect.stringMatching(reason) }]);
  });
});

it('a hidden column that is read is named, and so is a value right of the header', async () => {
  const rows = [
    ['originId', 'name', 'note'],
    ['1', 'Mug', 'x'],
    ['2', 'Cup', null, ' ', 'y'],
  ];
  const content = workbook([{ name: 'A', rows, hiddenColumns: [2, 3] }]);
  const { notices } = await read(productRecords, content);
  expect(notices).toContainEqual({
    code: 'hidden-columns',
    message: expect.stringMatching(/input: columns that are hidden .*: name$/),
    hint: expect.stringContaining('--set name='),
  });
  expect(notices).toContainEqual({
    code: 'beyond-header',
    message: expect.stringMatching(/input: values right of the header are not read; the first is in E3$/),
    hint: expect.any(String),
  });
  const ids = await read(productRecords, workbook([{ name: 'A', rows, hiddenColumns: [1] }]));
  expect(ids.notices.find(({ code }) => code === 'hidden-columns')?.hint).not.toContain('--set');
  const plain = await read(productRecords, oneSheet(rows.slice(0, 2)));
  expect(plain.notices.map(({ code }) => code)).toEqual(['sheet', 'unknown-columns']);
});

it('rows that a filter hides are read, and said to be', async () => {
  const rows = [['originId', 'name'], ...['1', '2', '3'].map((id) => [id, 'Mug'])];
  const content = workbook([{ name: 'all', rows, hiddenRows: [2, 4] }]);
  const { records, notices } = await read(productRecords, content);
  expect(records).toHaveLength(3);
  expect(notices.find(({ code }) => code === 'sheet')).toMatchObject({
    message: expect.stringMatching(/read from sheet all \(4 rows, 2 of them hidden\)$/),
    hint: expect.stringContaining('hidden rows are read like the others'),
  });
});

it('a day without a date format is counted from the day 0 of its workbook; amounts and dates in digits are what they are', async () => {
  const rows = [
    [...items, 'orderedAt', 'paidPrice'],
    ['O', 'a', 'P', 44833, 44833],
    ['O', 'b', 'P', { written: '44833.608333333337' }, 5],
    ['O', 'c', 'P', { written: '44833', style: 1 }, 0],
    ['O', 'd', 'P', 20260930, 20260930],
    ['O', 'e', 'P', '46295', 1],
  ] as const;
  const content = workbook([{ name: 'orders', rows }], { is1904: true });
  const { records, problems } = await read(orderItemRecords, content);
  expect(problems).toEqual([]);
  expect(records.map(({ orderedAt, paidPrice }) => [orderedAt, paidPrice])).toEqual([
    ['2026-09-30T00:00:00+09:00', '44833'],
    ['2026-09-30T14:36:00+09:00', '5'],
    ['2026-09-30T00:00:00+09:00', '0'],
    ['2026-09-30T00:00:00+09:00', '20260930'],
    ['2026-09-30T00:00:00+09:00', '1'],
  ]);
});

it.each([2, 3, 4, 5])(
  'a date with a format of numbers is the time it contains, not the day it is rounded to: style %i',
  async (style) => {
    const rows = [
      [...items, 'orderedAt'],
      ['O', 'a', 'P', { written: '46268.60839120370', style }],
      ['O', 'b', 'P', { written: '20260903', style }],
    ] as const;
    const { records, problems } = await read(orderItemRecords, oneSheet(rows));
    expect(problems).toEqual([]);
    expect(records.map(({ orderedAt }) => orderedAt)).toEqual([
      '2026-09-03T14:36:05+09:00',
      '2026-09-03T00:00:00+09:00',
    ]);
  },
);

it('a workbook of a shop that writes 19,90 has numbers whose value counts, and texts with a comma', async () => {
  const header = [...items, 'paidPrice'];
  const rows = [header, ['O', 'I1', 'P', 19.9], ['O', 'I2', 'P', '1.234,50'], ['O', 'I3', 'P', 1516]];
  const { records, problems } = await read(orderItemRecords, oneSheet(rows), { decimal: 'comma' });
  expect(problems).toEqual([]);
  expect(records.map(({ paidPrice }) => paidPrice)).toEqual(['19.9', '1234.5', '1516']);
});

it('a workbook that cannot be read because it is damaged is refused', async () => {
  const content = zip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets>',
  });
  const { problems } = await read(productRecords, content);
  expect(problems).toMatchObject([{ code: 'broken-xlsx', remedy: expect.stringContaining('save it again') }]);
});
