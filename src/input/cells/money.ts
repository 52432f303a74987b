import type { Json } from '../../base/json.ts';
import { Refusal } from '../records/refusal.ts';

/** The digits a JSON number carries without loss; the service takes paidPrice as a number (API 4.11). */
const digitsMaximum = 15;

const amountWithCurrency = /^(?:₩|￦|KRW|[$€£¥])?\s*(-?)([\d.,]+)\s*(?:원|KRW)?$/i;
const thousands = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
/** Nothing about it needs a closer look: nearly all amounts of a file. */
const plainAmount = new RegExp(`^[1-9]\\d{0,${digitsMaximum - 1}}$`);
const digitsOnly = /^\d+(?:\.\d+)?$/;
const thousandsOrDecimals = /^[1-9]\d{0,2}\.\d{3}$/;
const needlessZeros = /^0+(?=\d)|\.0*$|(?<=\.\d*[1-9])0+$/g;

/**
 * An amount as an exact decimal in text, without needless zeros, so that equal amounts are equal text: `6300.00`,
 * `1,516,452`, `12,900원` and `₩12,900` are 6300, 1516452, 12900 and 12900. A comma groups thousands and a point comes
 * before decimals; what could be meant otherwise (`1,5`, `1.516`) is refused, and so is an amount below 0: it is what is given
 * back, and no price that was paid.
 */
export function readMoney(cell: Json): string | Refusal {
  const written = typeof cell === 'number' ? String(cell) : cell;
  if (typeof written !== 'string') return notAnAmount;
  if (plainAmount.test(written)) return written;
  const [, sign = '', amount] = amountWithCurrency.exec(written.trim()) ?? [];
  if (amount === undefined) return notAnAmount;
  const isAmbiguous = typeof cell === 'string' && thousandsOrDecimals.test(amount);
  if (isAmbiguous || !(digitsOnly.test(amount) || thousands.test(amount))) return ambiguous;
  const exact = amount.replaceAll(',', '').replace(needlessZeros, '');
  if (exact.replace('.', '').length > digitsMaximum) return tooManyDigits;
  return sign === '' || exact === '0' ? exact : negativeAmount;
}

const writeItPlainly = 'write digits, with a point before decimals, such as 12900 or 12.5';
const notAnAmount = new Refusal('not-an-amount', 'this is not an amount of money', writeItPlainly);
const ambiguous = new Refusal(
  'ambiguous-amount',
  'this amount can be read in more than one way: a comma must group three digits, a point come before decimals',
  writeItPlainly,
);
export const negativeAmount = new Refusal(
  'negative-amount',
  'no price that was paid is below 0: this looks like a refund',
  'write the price that was paid, or leave it blank; what was cancelled or returned is said by the status',
);
const tooManyDigits = new Refusal(
  'amount-too-long',
  `the service takes amounts of at most ${digitsMaximum} digits without rounding them`,
  'correct the amount',
);
