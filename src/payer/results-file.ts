import { hash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { renameDurably } from '../base/atomic-file.ts';
import { csvRow, inertCell } from '../base/csv-row.ts';
import { Failure, messageOf } from '../base/failure.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import { formatMoney, type MoneyTotal, noMoney, plus } from '../base/money.ts';
import type { Payment } from './payer.ts';

/** The columns that identify a payment. A returned row must match it in each of them. */
export const identifyingColumns = [
  'key',
  'rewardId',
  'memberOriginId',
  'amount',
  'orderOriginId',
  'orderItemOriginId',
  'reviewId',
] as const;

/**
 * The columns that a person, or a shop's upload tool, needs for payment; the last three are to be filled in. `check` is
 * next to the identifying columns. If a block of columns is sorted or moved alone, it thus includes either the key or
 * the check, never both.
 */
export const resultsColumns = [
  ...identifyingColumns,
  'reviewCategory',
  'createdAt',
  'check',
  'outcome',
  'ref',
  'message',
] as const;

export type ResultsRecord = Readonly<Record<(typeof resultsColumns)[number], string | number>>;

/** The row of a payment with an open outcome. The same payment always gives the same row. */
export function resultsRecord({ key, rewardId, memberOriginId, amount, reward }: Payment): ResultsRecord {
  const identity = {
    key,
    rewardId,
    memberOriginId,
    amount: Number(formatMoney(amount)),
    orderOriginId: textIn(reward['order'], 'originId'),
    orderItemOriginId: textIn(reward['orderItem'], 'originId'),
    reviewId: textIn(reward['review'], 'id'),
  };
  return {
    ...identity,
    reviewCategory: scalarText(reward['reviewCategory']),
    createdAt: scalarText(reward['createdAt']),
    check: checkOf(identity),
    outcome: '',
    ref: '',
    message: '',
  };
}

const checkDigits = 10;

/** A checksum as `c-` and ten hex digits, which no spreadsheet reads as a number or a date. */
function checkOf(identity: Readonly<Record<(typeof identifyingColumns)[number], string | number>>): string {
  const text = JSON.stringify(identifyingColumns.map((column) => identity[column]));
  return `c-${hash('sha256', text).slice(0, checkDigits)}`;
}

function textIn(value: Json | undefined, name: string): string {
  return isJsonObject(value) ? scalarText(value[name]) : '';
}

/** A string or a number as text; empty for any other value. */
export function scalarText(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/**
 * Writes payments, page by page, to a CSV file that only this user can read. It is complete and durable once this
 * resolves, and appears in one step, after `checkAbsent`. The same payments give the same bytes. If `excel` is true, it
 * begins with a byte order mark, so that Excel recognizes UTF-8.
 * @throws Failure('unreadable-path') if it cannot be written; the failure of `checkAbsent`, and then nothing appears.
 */
export async function writeResultsFile(
  path: string,
  payments: AsyncIterable<readonly Payment[]>,
  { excel, checkAbsent }: { readonly excel: boolean; readonly checkAbsent: () => void },
): Promise<MoneyTotal> {
  const unfinished = join(dirname(path), `.${basename(path)}.${process.pid}.new`);
  try {
    const total = await writeAll(unfinished, payments, excel);
    checkAbsent();
    renameDurably(unfinished, path);
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
  excel: boolean,
): Promise<MoneyTotal> {
  const file = await open(path, 'w', 0o600);
  try {
    let total = noMoney;
    await file.write(`${excel ? '\ufeff' : ''}${csvLine(resultsColumns)}`);
    for await (const page of payments) {
      await file.write(page.map(csvRecord).join(''));
      total = page.reduce((sum, { amount }) => plus(sum, amount), total);
    }
    await file.sync();
    return total;
  } finally {
    await file.close();
  }
}

function csvRecord(payment: Payment): string {
  const record = resultsRecord(payment);
  return csvLine(resultsColumns.map((column) => String(record[column])));
}

/** Ends with LF, like all output of this program. */
function csvLine(cells: readonly string[]): string {
  return `${csvRow(cells.map(inertCell))}\n`;
}
