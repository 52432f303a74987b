import { plannedPayment } from '../../src/settle/rules/payment-plan.ts';
import type { PaymentPlan } from '../../src/settle/rules/plan-codec.ts';
import { paid } from './entries.ts';

const subject = {
  origin: '',
  shop: '',
  account: '',
  payer: '',
  ledger: { id: '', acceptance: null, seq: 0, seal: '' },
};

/** A plan for the first payment of each of these rewards. */
export function planOf(rewardIds: readonly string[]): PaymentPlan {
  const payments = new Map(rewardIds.map((rewardId) => [rewardId, { ...plannedPayment(paid, 0), rewardId }]));
  return { path: 'p', id: 'plan', sha256: 's', createdAtMs: 0, subject, payments, total: 100_000_000n };
}
