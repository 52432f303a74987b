import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldReader } from '../../src/input/cells/read-cell.ts';
import { isPlainId } from '../../src/input/records/cell.ts';
import {
  orderItemRecords,
  orderItemUpdateRecords,
  productRecords,
} from '../../src/input/records/record-kinds.ts';
import { type Files, plainOptions, read } from './reading.ts';

/** Cells of all kinds: plain ids, and texts that only look like one. */
const cell = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[A-Z]{0,2}\d{1,8}(-\d)?$/) },
  fc.constantFrom(
    ...[
      '',
      ' ',
      'NULL',
      'none',
      'nan-1',
      'Oct-24',
      '24-Oct',
      'mar 12',
      '1E-5',
      '1e5',
      '12.0',
      '1,234',
      '-',
      '합계',
      'Total',
    ],
    ...[
      '=1+1',
      "'007",
      '٣',
      'é1',
      'O-1',
      'DELIVERED',
      '2026-11-20',
      '#REF!',
      '\u200b1',
      'originId',
      '0',
      '=="7"',
      '2026-01-02 00:00:00',
    ],
  ),
  fc.string({ maxLength: 6 }).map((text) => text.replaceAll(/[",\r\n]/g, '')),
);

const kinds = [
  [orderItemRecords, ['orderOriginId', 'originId', 'productOriginId']],
  [orderItemRecords, ['originId', 'orderOriginId', 'productOriginId', 'status', 'buyer.name']],
  [orderItemUpdateRecords, ['id', 'originId', 'status', 'paidPrice', 'order.id']],
  [productRecords, ['originId', 'name', 'categories', 'isReviewDisabled']],
] as const;

const withoutQuotes = (text: string) => text.replaceAll('"', '');

/** The result of reading, without the folder of the files. */
async function readPlainly(kind: (typeof kinds)[number][0], files: Files): Promise<string> {
  const { count, problems, entries, fields } = await read(kind as typeof productRecords, files);
  return JSON.stringify({ count, problems, entries, fields }).replaceAll(/[^ "]*reviewctl-test-\w+/g, '');
}

const quotedHeader = ([first = '', ...others]: readonly string[]) => [`"${first}"`, ...others];

// A quoted header makes csv-parse read the rows.
test('rows without quotes are read as with a quoted header', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...kinds),
      fc.array(fc.array(cell, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 20 }),
      async ([kind, header], rows) => {
        const cells = rows.map((row) => row.slice(0, header.length).map(withoutQuotes));
        const readUnder = (top: readonly string[]) =>
          readPlainly(kind, [top, ...cells].map((line) => line.join(',')).join('\n'));
        expect(await readUnder(header)).toEqual(await readUnder(quotedHeader(header)));
      },
    ),
    { numRuns: 120 },
  );
});

test('a plain id is read as it is', () => {
  const readId = fieldReader({ type: 'id' }, plainOptions);
  fc.assert(
    fc.property(cell, (text) => {
      if (isPlainId(text)) expect(readId(text)).toBe(text);
    }),
    { numRuns: 5000 },
  );
});
