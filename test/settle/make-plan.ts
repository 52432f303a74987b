import { join } from 'node:path';
import { planSubject } from '../../src/settle/flow/check-plan.ts';
import { planSettlement } from '../../src/settle/flow/plan-settlement.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import {
  type PaymentPlan,
  type PlannedPayment,
  paymentRecord,
  planTotals,
  readPaymentPlan,
} from '../../src/settle/rules/plan-codec.ts';
import { openPlanFile } from '../../src/store/plans/open-plan-file.ts';
import { createPlanFile } from '../../src/store/plans/plan-file.ts';
import { temporaryFolder } from '../push/open-push.ts';

export const parties = { origin: 'https://service.example', account: 'account' };

/** The current plan of a settlement, written to a file and read back; `isPlanned` filters its payments. */
export async function makePlan(
  settlement: Settlement,
  isPlanned: (rewardId: string) => boolean = () => true,
): Promise<PaymentPlan> {
  const about = await planSubject(settlement, parties);
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
