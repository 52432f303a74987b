/**
 * An exact amount in ten-thousandths of the shop's own unit (won, points), never a float. Rewards are whole numbers of that
 * unit; four decimals leave room for units that are not.
 */
export type Money = bigint;

const decimals = 4;
const unit = 10n ** BigInt(decimals);

/** The largest amount, so that the sum of any thousand of them still fits the 64-bit integers of a database. */
const maximum: Money = 10n ** 15n;

/**
 * Reads a plain decimal (`1500`, `-2.5`, `10.00`). Undefined for anything else, for more than four decimals that are not zero, and beyond
 * a hundred thousand million units.
 */
export function parseMoney(text: string): Money | undefined {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d{1,18})(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = fraction.replace(/0+$/, '');
  if (whole === '' || digits.length > decimals) return undefined;
  const amount = BigInt(whole) * unit + BigInt(digits.padEnd(decimals, '0'));
  if (amount > maximum) return undefined;
  return sign === '-' ? -amount : amount;
}

/** Writes an amount as `parseMoney` reads it, without needless zeros: `1500`, `2.5`. */
export function formatMoney(amount: Money): string {
  const size = amount < 0n ? -amount : amount;
  const fraction = String(size % unit)
    .padStart(decimals, '0')
    .replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${size / unit}${fraction === '' ? '' : `.${fraction}`}`;
}
