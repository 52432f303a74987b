import { resolve } from 'node:path';
import { type ExitCode, Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { counted, groupedMoney } from '../../../output/terminal/totals.ts';
import { type PlanParties, planSubject } from '../../../settle/flow/check-plan.ts';
import { checkExpected, countUnplanned, type Expectation } from '../../../settle/flow/expectation.ts';
import { type PlannedReward, planSettlement } from '../../../settle/flow/plan-settlement.ts';
import { frozenLedger } from '../../../settle/flow/settle-rewards.ts';
import type { Settlement } from '../../../settle/flow/settlement.ts';
import {
  type PaymentPlan,
  type PlannedPayment,
  paymentPlanKind,
  paymentRecord,
  planTotals,
  readPaymentPlan,
} from '../../../settle/rules/plan-codec.ts';
import { openPlanFile } from '../../../store/plans/open-plan-file.ts';
import { findPlanOwner } from '../../../store/plans/plan-access.ts';
import { checkPlanPath, createPlanFile } from '../../../store/plans/plan-file.ts';
import type { planFlags, settleFlags } from '../../flags/settle-flags.ts';
import type { Invocation } from '../../runtime/command.ts';

type PlanFlags = typeof planFlags & Pick<typeof settleFlags, 'planOwner'>;

/**
 * Reads the plan of `--plan`, complete and unchanged.
 * @throws Failure as `openPlanFile` and `readPaymentPlan`.
 */
export async function readPlan(
  path: string,
  { context, flags, notices }: Invocation<PlanFlags>,
): Promise<PaymentPlan> {
  const owner = flags.planOwner === undefined ? undefined : findPlanOwner(flags.planOwner);
  if (owner !== undefined && owner.uid === process.getuid?.()) {
    notices.warning(
      `plan-owner is ${owner.user}, the user running this: one person would plan and pay`,
      'have another user make the plans',
    );
  }
  const file = await openPlanFile(resolve(context.cwd, path), { kind: paymentPlanKind, owner });
  try {
    return await readPaymentPlan(file);
  } finally {
    await file.close();
  }
}

/** @throws Failure('guard') if only plans of one user may be paid, and this command would pay without one. */
export function refuseUnplanned(planOwner: string | undefined, command: string): void {
  if (planOwner === undefined) return;
  throw new Failure(
    'guard',
    `${command} would pay without a plan, but only plans of plan-owner ${planOwner} may be paid; nothing was paid`,
    hint`pay one of their plans: ${reviewctl`rewards settle --plan FILE`}`,
  );
}

/** Reports the rewards that wait besides a settled plan: it pays nothing else, and still ends with 0. */
export async function reportUnplanned(
  { notices }: Invocation<PlanFlags>,
  settlement: Settlement,
  plan: PaymentPlan,
): Promise<void> {
  const { count, amount } = await countUnplanned(settlement, plan);
  if (count === 0) return;
  notices.info(
    hint`${counted(count, 'other reward')} (${groupedMoney(amount)}) ${count === 1 ? 'is' : 'are'} waiting and not
      in this plan; to plan them: ${reviewctl`rewards settle --plan-out FILE`}`,
  );
}

interface PlanWriting {
  readonly path: string;
  readonly parties: PlanParties;
  readonly expectation: Expectation;
  /** Shows each decision, and resolves to the exit code for the rewards that are left. */
  readonly report: (planned: AsyncIterable<PlannedReward>) => Promise<ExitCode>;
}

/**
 * Decides on everything QUEUED as a settlement would, pays nothing, and writes the payments to a new file.
 * @throws Failure('guard') if the ledger is frozen or the plan differs from the expectation; as `createPlanFile`. Then
 * there is no plan.
 */
export async function writePlan(
  { context, notices }: Invocation<PlanFlags>,
  settlement: Settlement,
  { path, parties, expectation, report }: PlanWriting,
): Promise<ExitCode> {
  const file = resolve(context.cwd, path);
  checkPlanPath(file);
  const { frozen } = await settlement.ledger.meta();
  if (frozen !== null) throw frozenLedger(frozen);
  // Taken before the first decision: every later event is newer than the plan.
  const about = await planSubject(settlement, parties);
  const payments: PlannedPayment[] = [];
  let isWhole = false;
  async function* collected(): AsyncGenerator<PlannedReward> {
    // A plan is written even if the list lacks rewards: it pays those that are shown.
    const onDecided = () => {
      isWhole = !context.stopping.aborted;
    };
    for await (const planned of planSettlement(settlement, { onDecided })) {
      if (planned.payment !== undefined) payments.push(planned.payment);
      yield planned;
    }
  }
  const exitCode = await report(collected());
  if (!isWhole) {
    notices.warning(
      `no plan was written to ${path}: some rewards could not be decided`,
      'run the same command again',
    );
    return exitCode;
  }
  const amount = payments.reduce((sum, payment) => sum + payment.amount, 0n);
  checkExpected({ count: payments.length, amount }, expectation, reviewctl`rewards settle --dry-run`);
  const heading = { kind: paymentPlanKind, createdAtMs: context.clock.now(), about };
  await createPlanFile(file, heading, async (add) => {
    for (const payment of payments) add(JSON.stringify(paymentRecord(payment)));
    return planTotals(payments);
  });
  notices.info(
    `plan ${path}: ${counted(payments.length, 'payment')} (${groupedMoney(amount)}); it holds ids of members and ` +
      'orders, and no credential',
  );
  notices.info(hint`to see it: ${reviewctl`plan show ${path}`}`);
  notices.info(hint`to pay it, once: ${reviewctl`rewards settle --plan ${path}`}`);
  return exitCode;
}
