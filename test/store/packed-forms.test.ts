import { describe, expect, it, test } from 'vitest';
import { PackedEntries, packEntries } from '../../src/store/journal/packed/entry-codec.ts';
import {
  jobStateOf,
  journaledKinds,
  kindCodes,
  kindOf,
  stateCodes,
} from '../../src/store/journal/packed/enum-codes.ts';
import {
  noFates,
  PackedFates,
  packFates,
  stateMask,
  takenFates,
} from '../../src/store/journal/packed/fate-codec.ts';
import type { OptionalString } from '../../src/store/journal/packed/front-coding.ts';
import { hashId } from '../../src/store/journal/packed/id-hash.ts';
import { packPage, unpackPage } from '../../src/store/journal/packed/run-page.ts';
import { ColumnReader, ColumnWriter } from '../../src/store/journal/packed/string-columns.ts';
import type { RunRecord } from '../../src/store/runs/run-log.ts';

/* Journals hold these forms: to change one is a new format. */

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const writer = new ColumnWriter();

function written(write: (writer: ColumnWriter) => void): Uint8Array {
  write(writer);
  return writer.take();
}

describe('a number', () => {
  it.each([
    [0, '00'],
    [127, '7f'],
    [128, '8001'],
    [300, 'ac02'],
    [16_383, 'ff7f'],
    [16_384, '808001'],
    [2 ** 31 - 1, 'ffffffff07'],
  ])('%i takes 7 bits a byte: %s', (value, hex) => {
    const bytes = written((to) => to.writeNumber(value));
    expect(hexOf(bytes)).toBe(hex);
    expect(new ColumnReader(bytes).readNumber()).toBe(value);
  });
});

describe('small numbers', () => {
  it.each([
    [[], '0100'],
    [[0], '0100'],
    [[1, 1, 1], '0101'],
    [[1, 2, 1], '02010201'],
    [[2, 2, 1], '02020201'],
  ])('%j take a byte each, or one where all are the same: %s', (values, hex) => {
    const bytes = written((to) => {
      to.writeBytes(Uint8Array.from(values));
      to.writeNumber(77);
    });
    expect(hexOf(bytes)).toBe(`${hex}4d`);
    const reader = new ColumnReader(bytes);
    expect([...reader.readBytes(values.length)]).toEqual(values);
    expect(reader.readNumber()).toBe(77);
  });
});

type Column = readonly OptionalString[];

describe('a column of texts', () => {
  const read = (bytes: Uint8Array, column: Column) => {
    const texts = new ColumnReader(bytes).readColumn(column.length);
    return column.map((_, position) => texts.at(position));
  };

  it.each<[Column, string]>([
    [[], '00'],
    [[undefined, undefined], '00'],
    // Form, 15 bytes, 11 units; 3 units of 3; 1 unit of as many; none; 2 units of 4; 1 unit of 1.
    [['a-1', 'a-2', undefined, 'a-10', 'b'], '010f0000000b0000000803612d3103320006043130040162'],
    [['', ''], '0102000000000000000101'],
    [['가', '각a', ''], '020c00000003000000040100ac060201ac61000200'],
    [['ÿ', 'Ā'], '02070000000200000004 01ff00 030001'.replaceAll(' ', '')],
  ])('%j of which each begins as the one before is front-coded', (column, hex) => {
    const bytes = written((to) => to.writeCounted(column));
    expect(hexOf(bytes)).toBe(hex);
    expect(read(bytes, column)).toEqual(column);
  });

  it.each<[Column, string]>([
    [[], '0302000000000000000000'],
    [['ab', 'cd'], '030600000004000000000261626364'],
    [['ab', 'cde'], '0308000000050000000102036162636465'],
    [['ab', undefined], '0105000000020000000602616200'],
    [['é'], '0103000000010000000401e9'],
  ])('%j of ASCII alone is joined, any other front-coded', (column, hex) => {
    const bytes = written((to) => to.writeJoined(column));
    expect(hexOf(bytes)).toBe(hex);
    expect(read(bytes, column)).toEqual(column);
  });

  it.each<[Column, string]>([
    [['O1', 'O1'], '0402000000000000000002'],
    [['O1', ''], '040300000000000000010200'],
    [['O1', 'O2'], '01060000000400000006024f310332'],
    [['O1', undefined], '01050000000200000006024f3100'],
    [['O1-1', 'O1-2+'], '010a00000009000000 0a044f312d31 0605322b'.replaceAll(' ', '')],
  ])('%j beside one that begins so is its lengths alone', (column, hex) => {
    const ids = ['O1-1', 'O1-2'];
    const bytes = written((to) => {
      to.writeJoined(ids);
      to.writeBeginnings(column, ids);
    });
    expect(hexOf(bytes.subarray(9 + 2 + 8))).toBe(hex);
    const reader = new ColumnReader(bytes);
    expect(reader.readColumn(2).at(1)).toBe('O1-2');
    const texts = reader.readColumn(2);
    expect([texts.at(0), texts.at(1), texts.at(2)]).toEqual([...column, undefined]);
  });

  test('is compared without being taken out of the text', () => {
    const texts = new ColumnReader(written((to) => to.writeCounted(['ab', undefined, '', 'abc']))).readColumn(
      4,
    );
    expect([texts.isAt(0, 'ab'), texts.isAt(3, 'abc'), texts.isAt(2, '')]).toEqual([true, true, true]);
    expect([texts.isAt(0, 'a'), texts.isAt(0, 'ac'), texts.isAt(1, ''), texts.isAt(4, 'ab')]).toEqual([
      ...[false, false, false, false],
    ]);
  });

  test('may be longer than what the writer holds, and what follows is read behind it', () => {
    const long = ['x'.repeat(40_000), `${'x'.repeat(40_000)}y`, '가'.repeat(40_000)];
    const bytes = written((to) => {
      for (const column of [long, long.slice(0, 2)]) to.writeCounted(column);
      to.writeJoined(long.slice(0, 2));
    });
    const reader = new ColumnReader(bytes);
    const columns = [3, 2, 2].map((count) => reader.readColumn(count));
    expect(columns.map((texts) => texts.at(1) === long[1])).toEqual([true, true, true]);
    expect([columns[0]?.at(2), columns[1]?.at(0)]).toEqual([long[2], long[0]]);
  });
});

const item = { originId: 'O1-1', contentHash: 'h1', orderOriginId: 'O1', productOriginId: 'P1' };
const order = { originId: 'O1', contentHash: 'h', kind: 'order' } as const;

test('the entries of a request are read one by one, each of its kind', () => {
  const bytes = packEntries('order-item', [item, order]);
  expect(hexOf(bytes)).toBe(
    '020203020309000000060000000104024f312d314f3101050000000200000006024f3100' +
      '0306000000030000000102016831680105000000020000000602503100',
  );
  const entries = new PackedEntries(bytes);
  expect(entries.count).toBe(2);
  expect([0, 1].map((at) => entries.entryAt(at, 'order-item'))).toEqual([item, order]);
  expect(entries.entryAt(0, 'order')).toEqual({ ...item, kind: 'order-item' });
  expect([entries.kindAt(0), entries.kindCodeAt(1), entries.productAt(1)]).toEqual([
    'order-item',
    2,
    undefined,
  ]);
  const isAt = [entries.isAt(0, 3, 'O1-1'), entries.isAt(0, 2, 'O1-1'), entries.isAt(1, 2, 'O1-1')];
  expect(isAt).toEqual([true, false, false]);
  expect([entries.isOfOrder(0, 'O1'), entries.isOfOrder(0, 'O'), entries.isOfOrder(1, 'O1')]).toEqual([
    ...[true, false, false],
  ]);
});

test('the fates of a request are read one by one, and unpacked to be changed', () => {
  const taken = takenFates(['j1', 'j2'], 2);
  expect(hexOf(packFates(taken))).toBe('010101060000000400000006026a3103320000');
  expect(hexOf(packFates(noFates(2)))).toBe('0100000000');
  expect(() => takenFates(['j1'], 2)).toThrow('1 jobs cannot be those of 2 entries');
  const changed = noFates(2);
  changed.states.set([stateCodes.failed, stateCodes.none]);
  changed.jobIds[0] = 'j1';
  changed.objectIds[1] = 'o2';
  changed.failureReasons[0] = 'no such product';
  const fates = new PackedFates(packFates(changed), 2);
  expect([0, 1, 2].map((at) => fates.stateAt(at))).toEqual([4, 0, 0]);
  expect([fates.jobIdAt(0), fates.jobIdAt(1), fates.objectIdAt(1)]).toEqual(['j1', undefined, 'o2']);
  expect([fates.failureReasonAt(0), fates.objectIdAt(0)]).toEqual(['no such product', undefined]);
  expect(hexOf(packFates(fates.unpacked()))).toBe(hexOf(packFates(changed)));
});

test('which states occur is a bit for each', () => {
  expect([
    stateMask(Uint8Array.of()),
    stateMask(Uint8Array.of(0, 4)),
    stateMask(Uint8Array.of(1, 2, 1)),
  ]).toEqual([...[0, 17, 6]]);
});

test('kinds and states have their codes', () => {
  expect(kindCodes).toEqual({ category: 1, order: 2, 'order-item': 3, 'order-item-update': 4, product: 5 });
  expect(journaledKinds.map((kind) => kindOf(kindCodes[kind]))).toEqual(journaledKinds);
  expect(() => kindOf(6)).toThrow('no kind of records has the code 6');
  expect([1, 2, 3, 4].map(jobStateOf)).toEqual(['pending', 'unknown', 'succeeded', 'failed']);
});

it.each([
  [1, '', -524_484_821],
  [1, 'a', -421_840_090],
  [3, 'O1-1', -1_933_560_330],
  [3, '가', 1_669_645_089],
])('an id of the kind %i, %j, has the hash %i', (kind, id, hash) => {
  expect(hashId(kind, id)).toBe(hash);
});

it.each<[string, readonly RunRecord[]]>([
  ['no record', []],
  ['one', [{ file: 'a', line: 7, originId: 'x' }]],
  [
    'records of several files and outcomes',
    [
      { file: 'a', line: 2, originId: 'x' },
      { file: 'a', line: 9, originId: 'y', outcome: 'queued' },
      { file: 'b', line: 3, originId: '', outcome: 'queued' },
      { file: 'b', line: 3, originId: '가', outcome: 'rejected' },
      { file: 'a', line: 1, originId: 'z' },
    ],
  ],
])('a page of %s comes back as it was', (_, records) => {
  expect(unpackPage(packPage(records))).toEqual(records);
});
