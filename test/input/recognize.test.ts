import { describe, expect, it } from 'vitest';
import { inspectInput } from '../../src/input/inspect.ts';
import { openInput } from '../../src/input/open/open.ts';
import type { InputOptions } from '../../src/input/records/options.ts';
import { orderItemRecords } from '../../src/input/records/record-kinds.ts';
import { previewOf } from './previews.ts';
import { plainOptions, surroundings, withFiles } from './reading.ts';
import { oneSheet, workbook } from './write-xlsx.ts';

const table = 'a,b\n1,2\n3,4\n';
const cp949 = Buffer.concat([
  Buffer.from('a,b\n'),
  Buffer.from([0xc7, 0xd1, 0xb1, 0xdb]),
  Buffer.from(',2\n'),
]);

it.each<[what: string, content: string | Buffer, options: Partial<InputOptions>, confidence: string]>([
  ['all rows agree on the delimiter', table, {}, 'certain'],
  ['a flag names the delimiter', 'a\n1\n', { delimiter: ';' }, 'certain'],
  ['it is JSON', '[{"a": 1}]', {}, 'certain'],
  ['it is a workbook', oneSheet([['a'], ['1']]), {}, 'certain'],
  ['rows above the header differ', `May, all\n\n${'x,y,z\n'.repeat(4)}`, {}, 'likely'],
  ['a flag gives the line of that header', `May, all\n\n${'x,y,z\n'.repeat(4)}`, { headerRow: 3 }, 'certain'],
  ['it has a header alone', 'a,b\n', {}, 'likely'],
  ['its bytes are valid in CP949', cp949, {}, 'likely'],
  ['a flag names its encoding', cp949, { encoding: 'cp949' }, 'certain'],
  ['no row has a delimiter', 'a\n1\n', {}, 'assumed'],
  ['it is no table', '%PDF-1.7', {}, 'assumed'],
])(
  'a file is recognized with the confidence that it gives where %s',
  async (_what, content, options, confidence) => {
    expect(await previewOf(content, options)).toMatchObject({ confidence });
  },
);

function inspected(content: string | Uint8Array, options: Partial<InputOptions> = {}) {
  return withFiles(content, async (paths) => {
    const input = await openInput(paths, surroundings());
    const { files, recordCount } = await inspectInput(input, orderItemRecords, {
      ...plainOptions,
      ...options,
    });
    return { ...files[0], recordCount };
  });
}

describe('inspect shows what a push reads by', () => {
  const header = 'orderOriginId,originId,productOriginId\n';

  it('the delimiter of the table, where a table above it has another', async () => {
    const above = 'sum; of; May; 2026\n'.repeat(9);
    expect(await inspected(`${above}${header}O,I,P\nO,J,P\n`, { headerRow: 10 })).toMatchObject({
      delimiter: ',',
      headerLine: 10,
      recordCount: 2,
      confidence: 'certain',
    });
  });

  it('the sheet of a workbook', async () => {
    const rows = [
      ['orderOriginId', 'originId', 'productOriginId'],
      ['O', 'I', 'P'],
    ];
    expect(await inspected(workbook([{ name: 'May', rows }]))).toMatchObject({
      format: 'xlsx',
      sheet: 'May',
    });
  });
});
