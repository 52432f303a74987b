import { hash } from 'node:crypto';
import { isJsonObject, type Json } from '../base/json.ts';
import { formatMoney } from '../base/money.ts';
import type { Payment } from './payer.ts';

/** The columns that identify a payment: a row that comes back must match it in each of them. */
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
 * The columns that a person, or a shop's upload tool, needs to pay; the last three are to be filled in.
 * `check` is beside the identifying columns, so that a block of columns which is sorted or moved by itself
 * takes either the key or the check along, never both.
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

/** The row of a payment whose outcome is open. The same payment always gives the same row. */
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

/** `c-` and ten hex digits: no spreadsheet reads that as a number or a date. */
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
