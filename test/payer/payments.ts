import { parseMoney } from '../../src/base/money.ts';
import type { PayerCapabilities, Payment } from '../../src/payer/payer.ts';

export const reward = {
  id: '4711',
  amount: '1500',
  reviewCategory: 'IMAGE',
  status: 'QUEUED',
  review: { id: '81', createdAt: '2026-11-01T01:02:03Z', updatedAt: '2026-11-01T01:02:03Z' },
  order: { id: '12', originId: '20261028-0000024', memberOriginId: 'haneul7' },
  orderItem: { id: '34', originId: '20261028-0000024-01' },
  createdAt: '2026-11-01T01:02:04Z',
  note: '사과 "x"',
};

/** A payment of 1500 to a member, with these changes. */
export function paymentOf(changes: Partial<Payment> = {}): Payment {
  return {
    rewardId: '4711',
    key: 'rv1-abcdefghijklmnopqrstuvwxyz234567abcdefgh',
    amount: parseMoney('1500') ?? 0n,
    memberOriginId: 'haneul7',
    reward,
    attempt: 1,
    ...changes,
  };
}

export const noPromises: Omit<PayerCapabilities, 'name'> = {
  idempotentForMs: null,
  replaysResponse: false,
  lookupDelayMs: 86_400_000,
};
