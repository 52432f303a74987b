import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { openInput } from '../../src/input/open/open.ts';
import { type OrderItemRecord, orderItemRecords } from '../../src/input/records/record-kinds.ts';
import { validateInput } from '../../src/input/validate.ts';
import { cellsOf, columns, damagedBy, damages, join, literalOf, meaningOf, type Written } from './damage.ts';
import { HeldRecords, plainOptions, surroundings, withoutReasons, writeRejects } from './reading.ts';

/** Texts of shops, some of which need quotes. None has only delimiters and quotes: two such cells may be one. */
const text = fc.constantFrom(
  '',
  '',
  'Kim',
  'Mug, blue',
  '5" pipe',
  'said "hi", twice',
  'a;b',
  'two\nlines',
  "it's, so",
  '한글',
  'A|B',
  'a\tb',
);
const price = fc.constantFrom('', '12900', '900', '12.5');
const code = fc.constantFrom('', 'T1', 'kim01', '041');

function rowOf(number: number) {
  return fc
    .tuple(code, text, text, code, code, price, code)
    .map(([member, buyer, recipient, template, tracking, paid, company]) => [
      `O-${number}`,
      `I-${number}`,
      `P-${number}`,
      member,
      buyer,
      recipient,
      template,
      tracking,
      paid,
      company,
    ]);
}

function written({ rowsMinimum }: { readonly rowsMinimum: number }): fc.Arbitrary<Written> {
  return fc.record({
    rows: fc
      .integer({ min: rowsMinimum, max: 6 })
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => rowOf(at + 1)))),
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    end: fc.constantFrom('\n', '\r\n'),
    quotesAll: fc.boolean(),
  });
}

/** The same tables in each run, so that only a change of the reader can cause a failure. */
const seed = 20_261_122;

const folder = mkdtempSync(path.join(tmpdir(), 'reviewctl-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Reads a file in the single pass that finds all problems. */
async function readOnce(content: string | Uint8Array) {
  const file = path.join(folder, 'o.csv');
  writeFileSync(file, content);
  const input = await openInput([file], surroundings());
  const held = new HeldRecords<OrderItemRecord>();
  const { problems } = await validateInput(input, orderItemRecords, plainOptions, held);
  await input.close();
  return { file, problems, records: held.all.map(({ record }) => record) };
}

/** Expects that a damaged file is read as meant or literally, or is refused with file, line and reason. */
async function check(
  name: string,
  table: Written,
  place: { readonly row: number; readonly column: number },
): Promise<void> {
  const { file: damaged, problems, records } = await readOnce(damagedBy(name, table, place));
  if (problems.length === 0) {
    const literal = literalOf(name, table, place);
    expect([meaningOf(table.rows), ...(literal ? [meaningOf(literal)] : [])]).toContainEqual(records);
    return;
  }
  for (const { file, reason, remedy } of problems) {
    expect({ file, hasWords: reason !== '' && remedy !== '' }).toEqual({ file: damaged, hasWords: true });
  }
  expect(problems.some(({ line }) => line !== undefined)).toBe(true);
}

describe('a damaged file is read right or refused', () => {
  it('with any damage, to any table, at any place: with those below 5,000 of them', async () => {
    const place = fc.record({ row: fc.nat(), column: fc.nat(columns.length - 1) });
    const name = fc.constantFrom(...Object.keys(damages));
    await fc.assert(
      fc.asyncProperty(written({ rowsMinimum: 1 }), name, place, async (table, damage, { row, column }) => {
        await check(damage, table, { row: row % (table.rows.length + 1), column });
      }),
      { seed, numRuns: 3_200 },
    );
  }, 300_000);

  const table: Written = {
    rows: Array.from({ length: 5 }, (_, at) => [
      `O-${at}`,
      `I-${at}`,
      `P-${at}`,
      'kim01',
      at % 2 === 0 ? 'Kim, Lee' : 'Park',
      'said "hi", twice',
      'T1',
      at === 3 ? '' : '041',
      '12.5',
      '',
    ]),
    delimiter: ',',
    end: '\n',
    quotesAll: false,
  };

  it.each(Object.keys(damages))(
    '%s, in every row and column of ten',
    async (name) => {
      for (let row = 0; row <= table.rows.length; row += 1) {
        for (let column = 0; column < columns.length; column += 1) {
          await check(name, table, { row, column });
        }
      }
    },
    300_000,
  );
});

/** The rows of a file that `--rejects` sends, and those that it skips; undefined if it refuses the whole file. */
async function splitRows(content: string) {
  const file = path.join(folder, 'o.csv');
  const rejects = path.join(folder, 'rejects.csv');
  writeFileSync(file, content);
  const input = await openInput([file], surroundings());
  try {
    const held = new HeldRecords<OrderItemRecord>();
    const left = await writeRejects(input, orderItemRecords, plainOptions, rejects, held);
    const leftOut = left.length === 0 ? '' : withoutReasons(readFileSync(rejects, 'utf8'), left);
    return { records: held.all.map(({ record }) => record), leftOut };
  } catch (error) {
    if (error instanceof Failure && error.kind === 'input') return undefined;
    throw error;
  } finally {
    await input.close();
    rmSync(rejects, { force: true });
  }
}

const withPlainLineEnds = (content: string) => content.replaceAll('\r\n', '\n');

/** All ways to split a file into consecutive rows that are skipped and the rest of the table. */
function splitsOf(table: Written, leftOut: string, sent: number) {
  const [header = [], ...lines] = cellsOf(table);
  const rest = leftOut.slice(join([header], table).length);
  return Array.from({ length: sent + 1 }, (_, above) => {
    const below = lines.length - (sent - above);
    return {
      content: join([header, ...lines.slice(0, above)], table) + rest + join(lines.slice(below), table),
      records: meaningOf([...table.rows.slice(0, above), ...table.rows.slice(below)]),
    };
  });
}

describe('with --rejects a damaged row is left out as it is written, by the line ends of its file, and the rows around it are sent as they were meant', () => {
  const ofWidth = [
    'a surplus delimiter before a cell',
    'a surplus delimiter at the end of a row',
    'missing cells at the end of a row',
  ];
  const ofQuotes = [
    'a missing delimiter',
    'a surplus delimiter in a cell, its quotes lost',
    'a surplus quote before a cell',
    'a surplus quote in a cell',
    'a surplus quote after a cell',
    'a missing first quote',
    'a missing last quote',
  ];

  /** A cell of two lines, which becomes two rows when its quotes are lost. */
  const empty = (number: number, buyer = '') => [
    `O-${number}`,
    `I-${number}`,
    `P-${number}`,
    '',
    buyer,
    '',
    '',
    '',
    '',
    '',
  ];
  const lostQuotesOverLines: Written = {
    rows: [empty(1), empty(2, 'two\nlines'), empty(3)],
    delimiter: ',',
    end: '\r\n',
    quotesAll: false,
  };

  it.each([...ofWidth, ...ofQuotes])(
    '%s',
    async (name) => {
      const place = fc.record({ row: fc.nat(), column: fc.nat(columns.length - 1) });
      await fc.assert(
        fc.asyncProperty(written({ rowsMinimum: 3 }), place, async (table, { row, column }) => {
          const content = String(damagedBy(name, table, { row: 1 + (row % table.rows.length), column }));
          const read = await splitRows(content);
          // A quote that continues into other rows ends the reading, so nothing is sent.
          if (read === undefined) expect(ofQuotes).toContain(name);
          else if (read.leftOut === '') expect(ofQuotes).toContain(name);
          else {
            const { records, leftOut } = read;
            const splits = splitsOf(table, leftOut, records.length).map((split) => ({
              ...split,
              content: withPlainLineEnds(split.content),
            }));
            expect(splits).toContainEqual({ content: withPlainLineEnds(content), records });
            if (ofWidth.includes(name)) expect(records).toHaveLength(table.rows.length - 1);
          }
        }),
        { seed, numRuns: 30, examples: [[lostQuotesOverLines, { row: 1, column: 4 }]] },
      );
    },
    300_000,
  );
});
