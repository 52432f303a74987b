import { join } from 'node:path';
import { planSubject } from '../../src/settle/flow/check-plan.ts';
import { planSettlement } from '../../src/settle/flow/plan-settlement.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import type { PaymentPlan, PlannedPayment } from '../../src/settle/rules/payment-plan.ts';
import {
  paymentRecord,
  planSubjectRecord,
  planTotals,
  readPaymentPlan,
} from '../../src/settle/rules/plan-codec.ts';
import { openPlanFile } from '../../src/store/plans/open-plan-file.ts';
import { createPlanFile } from '../../src/store/plans/plan-file.ts';
import { temporaryFolder } from '../push/open-push.ts';
import { openSettlement } from './open-settlement.ts';

export const parties = { origin: 'https://service.example', account: 'account' };

/** Rewards of 500 each, all for members, in the order of their ids. */
export async function openPlanWorld({ reviews = 4 } = {}) {
  const world = await openSettlement({ reviews });
  world.sandbox.transact(({ state: { rewards, orders } }) => {
    for (const reward of rewards.values()) rewards.put({ ...reward, amount: 500, status: 'QUEUED' });
    for (const order of orders.values()) {
      orders.put({ ...order, memberOriginId: order.memberOriginId ?? 'M1' });
    }
  });
  const rewardIds = [...world.sandbox.state.rewards.values()].map(({ id }) => id).toSorted();
  /** Changes what the service shows of a reward. */
  const put = (
    rewardId: string,
    changes: { readonly amount?: number; readonly status?: 'QUEUED' | 'SUCCESS' },
  ) =>
    world.sandbox.transact(({ state: { rewards } }) => {
      const reward = rewards.get(rewardId);
      if (reward !== undefined) rewards.put({ ...reward, ...changes });
    });
  return { ...world, rewardIds, put };
}

/** What a settlement would pay now, as a plan that was written to a file and read back; `isPlanned` leaves some of it out. */
export async function makePlan(
  settlement: Settlement,
  isPlanned: (rewardId: string) => boolean = () => true,
): Promise<PaymentPlan> {
  const about = planSubjectRecord(await planSubject(settlement, parties));
  const payments: PlannedPayment[] = [];
  for await (const { payment } of planSettlement(settlement)) {
    if (payment !== undefined && isPlanned(payment.rewardId)) payments.push(payment);
  }
  const path = join(temporaryFolder(), 'today.plan');
  const heading = { kind: 'rewards', createdAtMs: settlement.clock.now(), about };
  await createPlanFile(path, heading, async (add) => {
    for (const payment of payments) add(JSON.stringify(paymentRecord(payment)));
    return planTotals(payments);
  });
  const file = await openPlanFile(path, { kind: 'rewards' });
  try {
    return await readPaymentPlan(file);
  } finally {
    await file.close();
  }
}
