import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shardOf } from '../../src/base/shard.ts';
import { openInput } from '../../src/input/open/open.ts';
import type { InputOptions } from '../../src/input/records/options.ts';
import {
  type Identified,
  orderItemRecords,
  orderItemUpdateRecords,
  productRecords,
  type RecordKind,
} from '../../src/input/records/record-kinds.ts';
import { Rejects } from '../../src/input/rejects/rejects.ts';
import { validateInput } from '../../src/input/validate.ts';
import { HeldRecords, plainOptions, read, surroundings, withFiles } from './reading.ts';

/** The lines that a shard sends and those that it rejects, as text, and the number of lines of other shards. */
async function partOf<T extends Identified>(
  kind: RecordKind<T>,
  content: string,
  options: Partial<InputOptions>,
) {
  return withFiles({ 'input.csv': content }, async (paths) => {
    const input = await openInput(paths, surroundings());
    const rejects = new Rejects(tmpdir());
    try {
      const held = new HeldRecords<T>();
      const settings = { ...plainOptions, ...options };
      const { elsewhereCount } = await validateInput(input, kind, settings, held, rejects);
      const sent = held.all.map(({ line, record }) => `${line} ${JSON.stringify(record)}`);
      const left: string[] = [];
      for await (const batch of rejects.records())
        for (const { line, raw, problems } of batch) left.push(`${line} ${raw} ${JSON.stringify(problems)}`);
      return { sent, left, elsewhereCount };
    } finally {
      rejects.close();
      await input.close();
    }
  });
}

const withoutFile = (texts: readonly string[]) =>
  texts.map((text) => text.replaceAll(/"file":"[^"]*",|\/[^ "]*input\.csv/g, '')).toSorted();

/** Expects that all shards of an input together send and reject the same as one push, each record once. */
async function expectPartition<T extends Identified>(
  kind: RecordKind<T>,
  content: string,
  count: number,
  options: Partial<InputOptions> = {},
) {
  const whole = await partOf(kind, content, options);
  const total = whole.sent.length + whole.left.length;
  const parts = [];
  for (let index = 1; index <= count; index += 1) {
    const part = await partOf(kind, content, { ...options, shard: { index, count } });
    expect(part.sent.length + part.left.length + part.elsewhereCount).toBe(total);
    parts.push(part);
  }
  expect(withoutFile(parts.flatMap(({ sent }) => sent))).toEqual(withoutFile(whole.sent));
  expect(withoutFile(parts.flatMap(({ left }) => left))).toEqual(withoutFile(whole.left));
}

const id = fc.constantFrom('A-1', 'A-2', 'B-17', 'C', '상품-7', 'x y', '0007');
/** Cells that are not ids. */
const noId = fc.constantFrom('', '1.23E+15', '#N/A');
const count = fc.integer({ min: 1, max: 9 });

test('the shard of a key is the CRC-32 of its UTF-8 modulo the number of shards, for ever', () => {
  const keys = ['', 'ORDER-1', '20260930-0000024', '주문-1'];
  expect(keys.map((key) => [shardOf(key, 8), shardOf(key, 1000)])).toEqual([
    [1, 1],
    [8, 624],
    [1, 825],
    [5, 5],
  ]);
});

test.each([2, 3, 8, 60])('%i shards get about the same number of orders', (shards) => {
  const ordersOfShard = new Map<number, number>();
  const orders = 1000 * shards;
  for (let order = 0; order < orders; order += 1) {
    const shard = shardOf(`20260930-${String(order).padStart(7, '0')}`, shards);
    ordersOfShard.set(shard, (ordersOfShard.get(shard) ?? 0) + 1);
  }
  expect(ordersOfShard.size).toBe(shards);
  for (const held of ordersOfShard.values()) expect(Math.abs(held - 1000)).toBeLessThan(150);
});

/** Tries random lists of these rows with random numbers of shards. */
function expectPartitions<T extends Identified, Row>(
  kind: RecordKind<T>,
  row: fc.Arbitrary<Row>,
  header: string,
  lineOf: (row: Row, at: number) => string,
  options: Partial<InputOptions> = {},
) {
  const tried = fc.asyncProperty(fc.array(row, { maxLength: 12 }), count, (rows, shards) =>
    expectPartition(kind, [header, ...rows.map(lineOf), ''].join('\n'), shards, options),
  );
  return fc.assert(tried, { numRuns: 25 });
}

describe('each record is in exactly one shard', () => {
  const orderHeader = 'orderOriginId,originId,productOriginId';
  const order = fc.record({ order: fc.oneof({ weight: 8, arbitrary: id }, noId), item: id, price: noId });

  test('of order items, valid or not, wherever the rows of their orders are', () =>
    expectPartitions(
      orderItemRecords,
      order,
      `${orderHeader},paidPrice`,
      ({ order: of, item, price }, at) => `${of},${item}-${at},P${at % 3},${price}`,
    ));

  test('of repeated order items, and of rows that continue the order above', () =>
    expectPartitions(
      orderItemRecords,
      fc.tuple(id, id, fc.boolean()),
      `${orderHeader},orderedAt`,
      // Ids contain their order, because an id in two orders would be found only without shards.
      ([of, item, continues], at) =>
        continues && at > 0 ? `,${item}-${at},P1,` : `${of},${of}/${item},P1,2026-09-30`,
    ));

  test('of order items whose numbers are counted within their orders', () =>
    expectPartitions(orderItemRecords, id, 'orderOriginId,productOriginId', (of) => `${of},P1`, {
      map: ['originId={orderOriginId}-{n}'],
    }));

  test('of products, repeated or not', () =>
    expectPartitions(productRecords, fc.oneof(id, noId), 'originId,name', (of, at) => `${of},Cup ${at}`));

  const perhaps = fc.oneof(id, fc.constant(''));

  test('of changes to order items, by originId or id', () =>
    expectPartitions(
      orderItemUpdateRecords,
      fc.tuple(perhaps, perhaps),
      'originId,id,status',
      ([originId, own]) => `${originId},${own},SHIPPED`,
    ));
});

describe('each row of a file is in exactly one shard', () => {
  test('of rows that are no records, and of rows that cannot be read', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => `O-${at % 7},I-${at},P${at}`);
    const content = [
      'orderOriginId,originId,productOriginId',
      ...rows.slice(0, 10),
      'orderOriginId,originId,productOriginId',
      ...rows.slice(10, 20),
      'O-1,I-x,P,too,many,cells',
      ...rows.slice(20),
      'total,,30',
      '',
    ].join('\n');
    for (const shards of [1, 2, 3, 8]) await expectPartition(orderItemRecords, content, shards);
  });

  test('of JSON', async () => {
    const orders = Array.from({ length: 9 }, (_, at) => ({
      orderOriginId: `O-${at}`,
      originId: `I-${at}`,
      productOriginId: 'P',
    }));
    await expectPartition(orderItemRecords, JSON.stringify(orders), 4);
  });
});

test('a broken structure is found in every shard, a bad value in its own', async () => {
  const rows = ['A-1,I1,P1,1000', 'A-2,I2,P2,much', 'B-17,I3,P3,1000'];
  const content = ['orderOriginId,originId,productOriginId,paidPrice', ...rows].join('\n');
  const problemsOf = async (text: string, index: number) => {
    const { problems } = await read(orderItemRecords, text, { shard: { index, count: 3 } });
    return problems.map(({ line, code }) => `${line} ${code}`);
  };
  const own = shardOf('A-2', 3);
  for (let index = 1; index <= 3; index += 1) {
    expect(await problemsOf(content, index)).toHaveLength(index === own ? 1 : 0);
    expect(await problemsOf(`${content}\n,I4,P4,1000`, index)).toContain('5 missing');
    expect(await problemsOf(content.replace('paidPrice', 'paidPrice,paidPrice'), index)).not.toEqual([]);
  }
});
