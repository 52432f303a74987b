import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/input/formats/open-table.ts';
import { recognize } from '../../src/input/mapping/recognize.ts';
import { openInput } from '../../src/input/open/open.ts';
import type { InputOptions } from '../../src/input/records/options.ts';
import type { Fault } from '../../src/input/records/problem.ts';
import { orderItemRecords, productRecords } from '../../src/input/records/record-kinds.ts';
import type { InputRow } from '../../src/input/records/row-batch.ts';
import { plainOptions, read, surroundings } from './reading.ts';

const folder = new URL('../../fixtures/workbooks/', import.meta.url);
const content = (name: string) => readFileSync(new URL(`${name}.xlsx`, folder));

/** The rows of a workbook of the corpus as a table, and its problems. */
async function tableOf(name: string, options: Partial<InputOptions> = {}) {
  const path = new URL(`${name}.xlsx`, folder).pathname;
  const input = await openInput([path], surroundings());
  const rows: InputRow[] = [];
  const problems: Fault[] = [];
  const [file] = input.files;
  if (file === undefined) throw new Error('one file was opened');
  const settings = { ...plainOptions, ...options };
  for await (const batch of readTable(await recognize(file, settings), settings)) {
    rows.push(...batch.rows);
    if (batch.end) problems.push(batch.end);
  }
  return { rows, problems };
}

const items = (name: string, options: Partial<InputOptions> = {}) =>
  read(orderItemRecords, content(name), options);

describe('a workbook that another program wrote', () => {
  it.each(['formats', 'formats-1904'])('shows each cell of %s as its first column says', async (name) => {
    const { rows, problems } = await tableOf(name);
    expect(problems).toEqual([]);
    expect(rows.length).toBeGreaterThan(55);
    const wrong = rows.filter(({ cells: [shown = '', cell = ''] }) => shown !== cell);
    expect(wrong.map(({ cells }) => cells)).toEqual([]);
  });

  it('gives the same dates and amounts from either day 0', async () => {
    const [one, other] = await Promise.all(['formats', 'formats-1904'].map((name) => tableOf(name)));
    const saidBy = ({ rows }: { readonly rows: readonly InputRow[] }) =>
      rows.map(({ cells: [, cell], typed }) => {
        const said = typed?.get(1);
        return said !== undefined && 'plain' in said ? said.plain : (said ?? cell);
      });
    expect(one && saidBy(one)).toEqual(other && saidBy(other));
  });

  it('names sheet and cell of an error and of a formula without a result in a column that is used', async () => {
    const { problems } = await read(productRecords, content('errors-and-formulas'));
    expect(problems).toMatchObject([
      {
        line: 2,
        column: 'name',
        code: 'excel-error',
        reason: '오류!B2 shows the error #N/A in place of a value',
      },
      {
        line: 3,
        column: 'name',
        code: 'not-calculated',
        reason: expect.stringContaining('오류!B3 contains a formula'),
      },
      { line: 4, column: 'originId', code: 'not-calculated', reason: expect.stringContaining('오류!A4') },
    ]);
  });
});

describe('of a workbook with several sheets', () => {
  it('the first visible one is read, and named with the others and their rows', async () => {
    const { ids, notices } = await items('hidden-sheets');
    expect(ids).toEqual(['I1', 'I2', 'I3']);
    expect(notices.find(({ code }) => code === 'sheet')).toMatchObject({
      isInfo: true,
      message: expect.stringMatching(
        /: read from sheet 주문 \(4 rows\); not read: 안내 \(hidden, 1 row\), 옛 주문 \(hidden, 6 rows\), 메모 \(2 rows\), 빈 시트 \(0 rows\)$/,
      ),
    });
  });

  it.each(['옛 주문', '3'])('a hidden one is read where it is asked for as %s', async (sheet) => {
    const { ids } = await items('hidden-sheets', { sheet });
    expect(ids).toEqual(['I4', 'I5', 'I6', 'I7', 'I8']);
  });

  it('none is read before one is chosen, where they have the same columns', async () => {
    const { entries, problems } = await items('sheets-alike');
    expect(entries).toEqual([]);
    expect(problems).toMatchObject([
      {
        code: 'several-sheets',
        reason: expect.stringContaining("1월 (4 rows), 2월 (6 rows), 3월 '끝' (3 rows)"),
      },
    ]);
    const chosen = await items('sheets-alike', { sheet: '2월' });
    expect(chosen.entries).toHaveLength(5);
  });
});

describe('a workbook of the corpus', () => {
  it.each(['protected-agile', 'protected-standard'])('is opened by its password: %s', async (name) => {
    const { ids, problems } = await items(name, { password: '비밀 pass 1' });
    expect(problems).toEqual([]);
    expect(ids).toEqual(['I1', 'I2']);
    const locked = await items(name);
    expect(locked.problems).toMatchObject([
      { code: 'encrypted-xlsx', remedy: expect.stringContaining('workbook-password-file') },
    ]);
    const wrong = await items(name, { password: '비밀 pass 2' });
    expect(wrong.problems).toMatchObject([{ code: 'wrong-password' }]);
  });

  it('with one cell in its last corner is refused within a second of processor time', async () => {
    const start = process.cpuUsage();
    const { problems } = await items('far-cell');
    expect(problems).toMatchObject([{ line: 1_048_576, code: 'no-table' }]);
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(1_000_000);
  });

  it('with stray cells far away gives its records alone', async () => {
    const { records, problems } = await items('stray-cells');
    expect(problems).toEqual([]);
    expect(records).toEqual([
      { orderOriginId: 'O1', originId: 'I1', productOriginId: 'P1' },
      { orderOriginId: 'O2', originId: 'I2', productOriginId: 'P2' },
    ]);
  });
});
