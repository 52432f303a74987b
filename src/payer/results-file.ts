import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { csvRow, inertCell } from '../base/csv-row.ts';
import { Failure, messageOf } from '../base/failure.ts';
import type { Money } from '../base/money.ts';
import type { Payment } from './payer.ts';
import { resultsColumns, resultsRecord } from './results-record.ts';

export const resultsFormats = ['csv', 'ndjson'] as const;
export type ResultsFormat = (typeof resultsFormats)[number];

/** The number of payments in a written file, and their sum. */
export interface ResultsTotal {
  readonly count: number;
  readonly amount: Money;
}

interface ResultsFileOptions {
  readonly format: ResultsFormat;
  /** Begins CSV with a byte order mark, by which Excel recognises UTF-8. */
  readonly excel: boolean;
}

/**
 * Writes payments, page by page, to a file that only this user can read. It is complete and durable once this
 * resolves, and replaces an earlier file in one step. The same payments give the same bytes.
 * @throws Failure('unreadable-path') where it cannot be written; an earlier file is then unchanged.
 */
export async function writeResultsFile(
  path: string,
  payments: AsyncIterable<readonly Payment[]>,
  options: ResultsFileOptions,
): Promise<ResultsTotal> {
  const folder = dirname(path);
  const unfinished = join(folder, `.${basename(path)}.${process.pid}.new`);
  try {
    const total = await writeAll(unfinished, payments, options);
    await rename(unfinished, path);
    await syncFolder(folder);
    return total;
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof Failure) throw error;
    throw new Failure(
      'unreadable-path',
      `${path} cannot be written: ${messageOf(error)}`,
      'name a file in an existing folder you may write to, on a disk with room',
      { cause: error },
    );
  }
}

async function writeAll(
  path: string,
  payments: AsyncIterable<readonly Payment[]>,
  { format, excel }: ResultsFileOptions,
): Promise<ResultsTotal> {
  const file = await open(path, 'w', 0o600);
  try {
    let total: ResultsTotal = { count: 0, amount: 0n };
    const isCsv = format === 'csv';
    if (isCsv) await file.write(`${excel ? '\ufeff' : ''}${csvLine(resultsColumns)}`);
    for await (const page of payments) {
      const lines = page.map((payment) =>
        isCsv ? csvRecord(payment) : `${JSON.stringify(resultsRecord(payment))}\n`,
      );
      await file.write(lines.join(''));
      total = {
        count: total.count + page.length,
        amount: page.reduce((sum, { amount }) => sum + amount, total.amount),
      };
    }
    await file.sync();
    return total;
  } finally {
    await file.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  // On Windows, folders cannot be opened, and their entries are durable.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function csvRecord(payment: Payment): string {
  const record = resultsRecord(payment);
  return csvLine(resultsColumns.map((column) => String(record[column])));
}

/** Ends with LF, as all output of this program. */
function csvLine(cells: readonly string[]): string {
  return `${csvRow(cells.map(inertCell))}\n`;
}
