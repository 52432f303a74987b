import { formatMoney } from '../base/money.ts';
import type { Payment } from './payer.ts';

/**
 * The input of every payer, as JSON on one line: the Reward as documented at top level (API 2), its amount as
 * a number, with `key` and `memberOriginId`. The same key always gives the same bytes.
 */
export function paymentDocument({ reward, rewardId, key, amount, memberOriginId }: Payment): string {
  // An amount has at most 15 digits, so a number is exact.
  return JSON.stringify({
    ...reward,
    id: rewardId,
    amount: Number(formatMoney(amount)),
    key,
    memberOriginId,
  });
}
