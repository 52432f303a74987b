import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { charsetNamed } from '../../src/input/open/charset.ts';
import { productRecords } from '../../src/input/records/record-kinds.ts';
import { exportNames, exportPath } from './exports.ts';
import { read, recordsOf } from './reading.ts';

const cp949 = await charsetNamed('cp949');

/** As Python writes them: ひらがなのカップ, しろいおさら; 白色馬克杯, 黑色襯衫大號. */
const foreign = {
  Shift_JIS:
    '6f726967696e49642c6e616d650a41312c82d082e782aa82c882cc834a836283760a41322c82b582eb82a282a882b382e70a',
  Big5: '6f726967696e49642c6e616d650a41312ca5d5a6e2b0a8a74aaa4d0a41322cb6c2a6e2c5a8ad6da46ab8b90a41332cb0d3ab7e0a',
};

describe('text of another charset that passes for CP949', () => {
  it.each(Object.entries(foreign))('%s is refused by its line', async (name, hex) => {
    const { records, problems } = await read(productRecords, Buffer.from(hex, 'hex'));
    expect(records).toEqual([]);
    expect(problems).toMatchObject([
      { line: 2, code: 'foreign-text', reason: expect.stringContaining(name) },
    ]);
  });

  it('is read where it is said to be CP949 all the same', async () => {
    const file = Buffer.from(foreign.Shift_JIS, 'hex');
    expect(await recordsOf(productRecords, file, { encoding: 'cp949', allow: ['mojibake'] })).toHaveLength(2);
  });
});

describe('Korean text is never taken for another', () => {
  it.each([
    ['with syllables that are hardly used', '똠방각하 펲시콜라,뷁,햏햏'],
    ['of a single word', '쀍'],
    ['with hanja', '大韓民國,人蔘'],
    ['with kana of KS X 1001', 'ひらがな,カップ'],
  ])('%s', async (_, names) => {
    const rows = names.split(',').map((name, row) => `P-${row},${name}\n`);
    const records = await recordsOf(productRecords, cp949.encode(`originId,name\n${rows.join('')}`));
    expect(records.map(({ name }) => name)).toEqual(names.split(','));
  });

  it.each(exportNames.filter((name) => exportPath(name).endsWith('.csv')))('%s', async (name) => {
    const text = readFileSync(exportPath(name), 'utf8').replaceAll(/[^\0-\x7f가-힣]/gu, '');
    const { problems } = await read(productRecords, { 'x.csv': cp949.encode(text) }, { preset: 'none' });
    expect(problems.map(({ code }) => code)).not.toContain('foreign-text');
  });
});
