import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { checkInput } from '../../src/input/check.ts';
import { openInput } from '../../src/input/open.ts';
import type { Problem } from '../../src/input/place.ts';
import { type OrderItemRecord, orderItemRecords } from '../../src/input/record-kinds.ts';
import { columns, type Damaging, damages, meaningOf, type Written } from './damage.ts';
import { plainOptions, surroundings } from './reading.ts';

/** Texts of shops, those that need quotes among them. None is made of delimiters and quotes alone: two such cells can be one. */
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

const written: fc.Arbitrary<Written> = fc.record({
  rows: fc
    .integer({ min: 1, max: 6 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => rowOf(at + 1)))),
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  end: fc.constantFrom('\n', '\r\n'),
  quotesAll: fc.boolean(),
});

const folder = mkdtempSync(join(tmpdir(), 'reviewctl-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The first pass over a file, in which everything is found; the second one gives the same records. */
async function readOnce(content: string | Uint8Array) {
  const path = join(folder, 'o.csv');
  writeFileSync(path, content);
  const input = await openInput([path], surroundings());
  const problems: Problem[] = [];
  const records: OrderItemRecord[] = [];
  for await (const checked of checkInput(input, orderItemRecords, plainOptions, { isSound: false })) {
    problems.push(...checked.problems);
    records.push(...checked.entries.map(({ record }) => record));
  }
  await input.close();
  return { path, problems, records };
}

/** A damaged file is read as it was meant, or by the letter of what it says; else it is refused with file, line and reason. */
async function check(
  damage: Damaging,
  table: Written,
  place: { readonly row: number; readonly column: number },
): Promise<void> {
  const { text: content, literal } = damage(table, place);
  const { path, problems, records } = await readOnce(content);
  if (problems.length === 0) {
    expect([meaningOf(table.rows), ...(literal ? [meaningOf(literal)] : [])]).toContainEqual(records);
    return;
  }
  for (const { file, reason, remedy } of problems) {
    expect({ file, hasWords: reason !== '' && remedy !== '' }).toEqual({ file: path, hasWords: true });
  }
  expect(problems.some(({ line }) => line !== undefined)).toBe(true);
}

describe('a damaged file is read right or refused', () => {
  it('with any damage, to any table, at any place: with those below 5,000 of them', async () => {
    const place = fc.record({ row: fc.nat(), column: fc.nat(columns.length - 1) });
    const name = fc.constantFrom(...Object.keys(damages));
    await fc.assert(
      fc.asyncProperty(written, name, place, async (table, damage, { row, column }) => {
        await check(damages[damage] as Damaging, table, { row: row % (table.rows.length + 1), column });
      }),
      { numRuns: 3_200 },
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
          await check(damages[name] as Damaging, table, { row, column });
        }
      }
    },
    300_000,
  );
});
