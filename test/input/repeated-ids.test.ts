import { expect, test, vi } from 'vitest';
import { orderItemRecords, orderItemUpdateRecords } from '../../src/input/records/record-kinds.ts';
import { read } from './reading.ts';
import { oneSheet } from './write-xlsx.ts';

/** Reduces hashes to 4096 different ones, so that they collide. */
vi.mock('../../src/base/text-hash.ts', async (original) => {
  const hashes = await original<typeof import('../../src/base/text-hash.ts')>();
  const textHashHalves = (text: string, into: Uint32Array) => {
    hashes.textHashHalves(text, into);
    into[0] = (into[0] ?? 0) & 0xf0000000;
    into[1] = (into[1] ?? 0) & 0xff;
  };
  return { ...hashes, textHashHalves };
});

const header = ['orderOriginId', 'originId', 'productOriginId'];
const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => `I-${from + at}`);
const row = (id: string) => [`O${id}`, id, 'P1'];
const csv = (lines: readonly string[]) => [header.join(','), ...lines].join('\n');

test('ids of one hash are told apart, and each that is there twice is found, in files of any form', async () => {
  const plain = [...ids(0, 6000), 'I-5999', ...ids(6000, 3000), 'I-3'];
  const quoted = ['I-70000', 'I-5', ...ids(20_000, 500), 'I-70000', 'I-20007'];
  const json = ['I-8000', ...ids(30_000, 500), 'I-20499'];
  const sheet = ['I-30001', ...ids(40_000, 200), 'I-40199'];
  const files = {
    'a.csv': csv([...plain.map((id) => row(id).join(',')), 'O1,I-60000,']),
    'b.csv': csv([...quoted.map((id) => `"O${id}",${id},P1`), 'O1,I-60000,P1']),
    'c.ndjson': json
      .map((id) => JSON.stringify({ orderOriginId: `O${id}`, originId: id, productOriginId: 'P1' }))
      .join('\n'),
    'd.xlsx': oneSheet([header, ...sheet.map(row)]),
  };
  const { count, problems } = await read(orderItemRecords, files);
  const found = problems
    .filter(({ code }) => code === 'duplicate-origin-id')
    .map(({ file, line, reason }) => `${file}:${line} ${reason.replace(/.* (?:.*\/)?(?=[a-d]\.)/, '')}`);
  expect(found).toEqual([
    'a.csv:6002 a.csv:6001',
    'a.csv:9003 a.csv:5',
    'b.csv:3 a.csv:7',
    'b.csv:504 b.csv:2',
    'b.csv:505 b.csv:11',
    // The row there is invalid, but its id counts nevertheless.
    'b.csv:506 a.csv:9004',
    'c.ndjson:1 a.csv:8003',
    'c.ndjson:502 b.csv:503',
    'd.xlsx:2 c.ndjson:3',
    'd.xlsx:203 d.xlsx:202',
  ]);
  expect(problems).toHaveLength(found.length + 1);
  expect(count).toBe(9000 + 501 + 500 + 200);
});

test('no originId is taken for the id of another record, whatever it begins with', async () => {
  const known = [{ id: '5' }, ...['5', ':5', 'id:5', ':i5', ':o5', '::i5'].map((originId) => ({ originId }))];
  const lines = known.map((ids) => JSON.stringify({ ...ids, productOriginId: 'P1', status: 'DELIVERED' }));
  const { count, problems } = await read(orderItemUpdateRecords, { 'u.ndjson': lines.join('\n') });
  expect({ count, problems }).toEqual({ count: 7, problems: [] });
});
