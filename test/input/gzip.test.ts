import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { productRecords } from '../../src/input/records/record-kinds.ts';
import { read, recordsOf } from './reading.ts';

const rows = Array.from({ length: 30_000 }, (_, n) => `id-${n},"이름 ${n}\nzwei"\n`).join('');
const content = `originId,name\n${rows}`;

describe('gzip', () => {
  it('is told by content, whatever the name, and lines are those of what is packed', async () => {
    const { entries } = await read(productRecords, gzipSync(content));
    expect(entries).toHaveLength(30_000);
    expect(entries.at(-1)).toEqual({
      file: 'input',
      line: 60_000,
      record: { originId: 'id-29999', name: '이름 29999\nzwei' },
    });
  });

  it('of several parts is read as one', async () => {
    const parts = Buffer.concat([gzipSync('originId\na\n'), gzipSync('b\n')]);
    expect(await recordsOf(productRecords, parts)).toEqual([{ originId: 'a' }, { originId: 'b' }]);
  });

  it('that is cut short gives the records before, and the line where it ends', async () => {
    const packed = gzipSync(content);
    const { problems, count } = await read(productRecords, packed.subarray(0, packed.length / 2));
    expect(problems).toMatchObject([{ code: 'broken-gzip' }]);
    expect(count).toBeGreaterThan(0);
    // Each record has two lines, and the cut may be in either.
    expect(Math.floor((problems[0]?.line ?? 0) / 2)).toBe(1 + count);
  });

  it('that is damaged is refused', async () => {
    const packed = gzipSync(content);
    packed.fill(0xff, 40, 60);
    const { problems } = await read(productRecords, packed);
    expect(problems).toMatchObject([{ code: 'broken-gzip' }]);
  });
});
