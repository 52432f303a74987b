import { hash } from 'node:crypto';
import type { LedgerIdentity } from '../../store/ledger/ledger.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const bitsOfDigit = 5;
/** 40 digits of 5 bits: 200 bits, and 44 characters with the prefix. */
const digits = 40;

/**
 * The key of a payment, which a payer must honour at most once: `rv1-` and 40 letters and digits. A reward has the same
 * key on every machine. `keyGeneration` distinguishes a payment from earlier ones that provably did not happen.
 */
export function paymentKey(
  { origin, shop }: Pick<LedgerIdentity, 'origin' | 'shop'>,
  rewardId: string,
  keyGeneration: number,
): string {
  const text = JSON.stringify([origin, shop, rewardId, keyGeneration]);
  return `rv1-${base32(hash('sha256', text, 'buffer')).slice(0, digits)}`;
}

function base32(bytes: Uint8Array): string {
  let written = '';
  let rest = 0;
  let bits = 0;
  for (const byte of bytes) {
    rest = (rest << 8) | byte;
    bits += 8;
    while (bits >= bitsOfDigit) {
      bits -= bitsOfDigit;
      written += alphabet.charAt((rest >> bits) & 31);
    }
    rest &= (1 << bits) - 1;
  }
  return written;
}
