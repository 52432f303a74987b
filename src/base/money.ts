/**
 * An exact amount in ten-thousandths of the shop's own unit (won, points), never a float. Rewards are whole
 * numbers of that unit; the four decimals are for other units.
 */
export type Money = bigint;

const decimals = 4;
/** One unit of the shop (a won, a point). */
export const oneUnit: Money = 10n ** BigInt(decimals);

/** The largest amount: a sum of a thousand of them fits into a 64-bit integer. */
const maximum: Money = 10n ** 15n;

/**
 * Reads a plain decimal (`1500`, `-2.5`, `10.00`). Undefined for anything else, for more than four significant
 * decimals, and beyond a hundred thousand million units.
 */
export function parseMoney(text: string): Money | undefined {
  const amount = parseDecimal(text);
  return amount === undefined || amount > maximum || amount < -maximum ? undefined : amount;
}

function parseDecimal(text: string): Money | undefined {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d{1,18})(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = fraction.replace(/(?<!0)0+$/, '');
  if (whole === '' || digits.length > decimals) return undefined;
  const amount = BigInt(whole) * oneUnit + BigInt(digits.padEnd(decimals, '0'));
  return sign === '-' ? -amount : amount;
}

/** Writes an amount as `parseMoney` reads it, without redundant zeros: `1500`, `2.5`. */
export function formatMoney(amount: Money): string {
  const size = amount < 0n ? -amount : amount;
  const fraction = String(size % oneUnit)
    .padStart(decimals, '0')
    .replace(/(?<!0)0+$/, '');
  return `${amount < 0n ? '-' : ''}${size / oneUnit}${fraction === '' ? '' : `.${fraction}`}`;
}

/** A number of amounts, and their sum. */
export interface MoneyTotal {
  readonly count: number;
  readonly amount: Money;
}

export const noMoney: MoneyTotal = { count: 0, amount: 0n };

export function plus(total: MoneyTotal, amount: Money): MoneyTotal {
  return { count: total.count + 1, amount: total.amount + amount };
}

/**
 * An amount in JSON: a number, so that programs can add it. A sum that a JSON number may round, beyond 99,999 million
 * units, is the same decimal as text.
 */
export type JsonMoney = number | string;

export function jsonMoney(amount: Money): JsonMoney;
export function jsonMoney(amount: Money | null): JsonMoney | null;
export function jsonMoney(amount: Money | null): JsonMoney | null {
  if (amount === null) return null;
  const text = formatMoney(amount);
  const number = Number(text);
  return String(number) === text ? number : text;
}

/** Reads an amount of any size written by `jsonMoney`. */
export function moneyOfJson(written: JsonMoney): Money {
  const amount = parseDecimal(String(written));
  if (amount === undefined) throw new Error(`${written} was not written as an amount`);
  return amount;
}
