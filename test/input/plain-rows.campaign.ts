import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldReader } from '../../src/input/cells/read-cell.ts';
import { RowReader } from '../../src/input/formats/csv/csv-rows.ts';
import { isPlainId } from '../../src/input/records/cell.ts';
import { plainOptions } from './reading.ts';

/** Cells of all sorts: plain ids, and what looks like one and is something else. */
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

const delimiters = [',', ';', '\t', '|', ']', '\\'];
const csvPart = fc.constantFrom(
  '"',
  '""',
  '"\n',
  '",',
  ',"',
  ...delimiters,
  '\n',
  '\r',
  '\r\n',
  'a',
  ' ',
  '한',
  '🙂',
);

test('any text is split into the rows that csv-parse reads, wherever its pieces end', () => {
  fc.assert(
    fc.property(fc.array(csvPart), fc.nat(), fc.constantFrom(...delimiters), (parts, at, delimiter) => {
      const reader = new RowReader(delimiter);
      const cut = at % (parts.length + 1);
      const [first, second] = [parts.slice(0, cut).join(''), parts.slice(cut).join('')];
      fc.pre(!(first.endsWith('\r') && second.startsWith('\n')));
      const rows = [...reader.read(first, { isLast: false }), ...reader.read(second, { isLast: true })];
      // Reading ends where text follows a closing quote.
      const broken = rows.findIndex(({ misclosedAt }) => misclosedAt !== -1);
      const count = broken === -1 ? rows.length : broken;
      const expected: string[][] = parse(first + second, {
        delimiter,
        record_delimiter: ['\r\n', '\n', '\r'],
        relax_column_count: true,
        relax_quotes: true,
        skip_records_with_error: true,
      });
      expect(rows.map(({ cells }) => cells).slice(0, count)).toEqual(expected.slice(0, count));
      if (broken === -1) expect(expected).toHaveLength(count);
    }),
    { numRuns: 20_000 },
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
