import { parse } from 'csv-parse/sync';
import { formatMoney, moneyOfJson } from '../../src/base/money.ts';

/** Sums the bookings of a CSV by account; omits accounts with a balance of zero. */
export function balanceOf(csv: string): Readonly<Record<string, string>> {
  const sums = new Map<string, bigint>();
  const rows: Record<string, string>[] = parse(csv, { columns: true });
  for (const { debit = '', credit = '', amount = '' } of rows) {
    sums.set(debit, (sums.get(debit) ?? 0n) + moneyOfJson(amount));
    sums.set(credit, (sums.get(credit) ?? 0n) - moneyOfJson(amount));
  }
  return Object.fromEntries(
    [...sums].filter(([, sum]) => sum !== 0n).map(([account, sum]) => [account, formatMoney(sum)]),
  );
}
