import type { Json } from '../../base/json.ts';
import { lazy } from '../../base/lazy.ts';
import { type Refusal, refuse } from '../records/cell.ts';
import type { DecimalMark } from '../records/options.ts';

/** Digits that a JSON number represents exactly. The service expects paidPrice as a number (API 4.11). */
const digitsMaximum = 15;

/** A currency sign such as `US$`, or three letters that may be a code, such as `USD`. */
const currency = String.raw`(?:[A-Z]{1,3})?\p{Sc}|[A-Z]{3}|원`;
const amountWithCurrency = new RegExp(`^(${currency})?\\s*(-?)([\\d.,]+)\\s*(${currency})?$`, 'iu');
const won = /^(?:₩|￦|원|KRW)$/i;
const thousands = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
/** The form of nearly all amounts, accepted without further checks. */
const plainAmount = new RegExp(`^[1-9]\\d{0,${digitsMaximum - 1}}$`);
const digitsWithPoint = /^\d+(?:\.\d+)?$/;
const thousandsOrDecimals = /^[1-9]\d{0,2}\.\d{3}$/;
const needlessZeros = /^0+(?=\d)|\.0*$|(?<=[1-9])0+$(?<=\.\d+)/g;

/**
 * Parses an amount into an exact decimal text without superfluous zeros, so that equal amounts are equal texts:
 * `6300.00`, `1,516,452`, `12,900원` and `₩12,900` become 6300, 1516452, 12900 and 12900. Commas group thousands and a
 * point precedes decimals, or vice versa if `decimal` is `comma`; JSON numbers always have a point. A currency sign or
 * code may precede or follow; any currency but the won is refused as the trace `currencies`, not here. Refuses
 * ambiguous amounts (`1,5`, `1.516`) and negative ones, which are refunds rather than paid prices.
 */
export function readMoney(cell: Json, decimal: DecimalMark = 'point'): string | Refusal {
  const written = typeof cell === 'number' ? String(cell) : cell;
  if (typeof written !== 'string') return notAnAmount;
  if (plainAmount.test(written)) return written;
  const [, before, sign = '', given, after] = amountWithCurrency.exec(written.trim()) ?? [];
  if (given === undefined || !isCurrency(before) || !isCurrency(after)) return notAnAmount;
  const hasComma = decimal === 'comma' && typeof cell === 'string';
  const amount = hasComma ? given.replace(/[.,]/g, (mark) => (mark === ',' ? '.' : ',')) : given;
  const isAmbiguous = typeof cell === 'string' && thousandsOrDecimals.test(amount);
  if (isAmbiguous || !(digitsWithPoint.test(amount) || thousands.test(amount)))
    return hasComma ? ambiguousAmountWithComma : ambiguousAmount;
  const exact = amount.replaceAll(',', '').replace(needlessZeros, '');
  if (exact.replace('.', '').length > digitsMaximum) return tooManyDigits;
  return sign === '' || exact === '0' ? exact : negativeAmount;
}

/** True if an amount is in a currency other than the won. */
export function isForeignAmount(written: string): boolean {
  if (plainAmount.test(written)) return false;
  const [, before, , , after] = amountWithCurrency.exec(written.trim()) ?? [];
  return [before, after].some((name) => name !== undefined && isCurrency(name) && !won.test(name));
}

const currencyCodes = lazy(() => new Set(Intl.supportedValuesOf('currency')));

function isCurrency(name: string | undefined): boolean {
  if (name === undefined || !/^[A-Z]+$/i.test(name)) return true;
  return currencyCodes().has(name.toUpperCase());
}

const notAnAmount = refuse('not-an-amount', 'this is not an amount of money', 'write digits, such as 12900');
const ambiguousAmount = refuse(
  'ambiguous-amount',
  'this amount is ambiguous: commas must group three digits, and a point must precede decimals',
  'write digits, with a point before decimals, such as 12900 or 12.5; if commas precede decimals throughout the ' +
    'file, add -c decimal=comma',
);
const ambiguousAmountWithComma = refuse(
  'ambiguous-amount',
  'this amount is ambiguous: points must group three digits, and a comma must precede decimals',
  'write digits, with a comma before decimals, such as 12900 or 12,5; if a point precedes them, omit decimal=comma',
);
export const negativeAmount = refuse(
  'negative-amount',
  'a paid price cannot be negative: this looks like a refund',
  'write the price that was paid, or leave it blank; the status says what was cancelled or returned',
);
const tooManyDigits = refuse(
  'amount-too-long',
  `the service cannot store amounts of more than ${digitsMaximum} digits without rounding them`,
  'correct the amount',
);

const notAnInteger = refuse('not-an-integer', 'this is not a whole number', 'write digits only, such as 12');

export function readInteger(cell: Json): number | Refusal {
  const isDigits = typeof cell === 'string' && /^[+-]?\d+(?:\.0+)?$/.test(cell.trim());
  const value = isDigits ? Number(cell) : cell;
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : notAnInteger;
}
