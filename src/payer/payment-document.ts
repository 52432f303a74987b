import { formatMoney } from '../base/money.ts';
import type { Payment } from './payer.ts';

/**
 * What every payer is given: the Reward as documented at top level (API 2), its amount as a number, with `key` and
 * `memberOriginId`, as JSON on one line. The same key always gives the same bytes.
 */
export function paymentDocument({ reward, rewardId, key, amount, memberOriginId }: Payment): string {
  // At most 15 digits, so a number carries them all.
  return JSON.stringify({
    ...reward,
    id: rewardId,
    amount: Number(formatMoney(amount)),
    key,
    memberOriginId,
  });
}
