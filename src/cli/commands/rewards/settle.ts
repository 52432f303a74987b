import { type ExitCode, Failure } from '../../../base/failure.ts';
import { checkPlan } from '../../../settle/flow/check-plan.ts';
import { planSettlement } from '../../../settle/flow/plan-settlement.ts';
import { settleRewards } from '../../../settle/flow/settle-rewards.ts';
import type { Settlement } from '../../../settle/flow/settlement.ts';
import type { Lock } from '../../../store/locks/locks.ts';
import { settleLocks } from '../../../store/open-store.ts';
import { durationValue, groupFlags, settings, spanValue, switchFlag, valueFlag } from '../../flags/flags.ts';
import { payerFlags } from '../../flags/payer-flags.ts';
import { planFlags } from '../../flags/plan-flags.ts';
import { callFlags, runCapFlags, settleFlags } from '../../flags/settle-flags.ts';
import { outputFlags, progressFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import {
  readPlan,
  refuseUnplanned,
  reportUnplanned,
  writePlan,
} from '../../templates/settle/payment-plans.ts';
import { type ReportedReward, reportSettlement } from '../../templates/settle/settle-report.ts';
import { findLedger, settleLockHolders, withSettlement } from '../../templates/settle/settlement-session.ts';
import { settleNamed } from './settle-named.ts';

const flags = {
  ...groupFlags('Run', {
    dryRun: switchFlag({
      short: 'n',
      help: 'show what would be paid; pay nothing',
    }),
  }),
  ...settings('Paying', {
    lockWait: valueFlag(durationValue.optional(), {
      value: 'DURATION',
      help: 'how long to wait for another run to end (default: not at all)',
    }),
    failOnUnknownOlder: valueFlag(spanValue.optional(), {
      value: 'DURATION',
      help: 'exit with 11 only for payments that have been unknown this long (default: at once); newer ones are listed',
    }),
  }),
  ...progressFlags,
  ...planFlags,
  ...payerFlags,
  ...runCapFlags,
  ...settleFlags,
  ...callFlags,
  ...outputFlags,
};

type Flags = typeof flags;
export type SettleInvocation = Invocation<Flags>;

export const rewardsSettle = defineCommand({
  argument: {
    term: '[id...]',
    help: 'these rewards alone, by their ids at the service; - reads them from standard input (default: all QUEUED)',
  },
  flags,
  examples: [
    'reviewctl rewards settle --dry-run --payer-command /usr/local/bin/pay-points',
    'reviewctl rewards settle --plan-out today.plan',
    'reviewctl rewards settle --plan today.plan -c plan-owner=accounts',
    'reviewctl rewards settle --payer-url https://points.example/pay -c payer-idempotent=24h ' +
      '-c max-amount-per-day=500000',
    'reviewctl rewards settle 4711 4712 --payer-command /usr/local/bin/pay-points',
  ],
  isMonitored: true,
  exitCodes: [4, 5, 6, 7, 9, 11, 12],
  run: settle,
});

async function settle(invocation: Invocation<Flags>): Promise<ExitCode> {
  const { args, context, flags } = invocation;
  if (args.length > 0) return settleNamed(invocation, args);
  const { maxAmount, maxCount, expectTotal, expectCount, concurrency, planOut } = flags;
  checkPlanFlags(flags);
  const plan = flags.plan === undefined ? undefined : await readPlan(flags.plan, invocation);
  const isPaying = !flags.dryRun && planOut === undefined;
  const guard = new AbortController();
  const stopping = AbortSignal.any([context.stopping, guard.signal]);
  const report = (rewards: AsyncIterable<ReportedReward>, heading: string) =>
    reportSettlement(invocation, rewards, {
      heading,
      isHeldFailure: flags.failOnHeld,
      toleratedUnknownMs: flags.failOnUnknownOlder,
      stop: () => guard.abort(),
    });
  const expectation = { total: expectTotal ?? null, count: expectCount ?? null };
  return withSettlement(
    invocation,
    { maxPerRun: { amount: maxAmount ?? null, count: maxCount ?? null }, isOnRecord: isPaying },
    async (unplanned, { account }) => {
      const parties = { origin: (await findLedger(invocation)).origin, account };
      if (plan !== undefined) await checkPlan(plan, unplanned, parties);
      const settlement = plan === undefined ? unplanned : { ...unplanned, plan };
      if (planOut !== undefined) {
        const show = (planned: AsyncIterable<ReportedReward>) => report(planned, headingOfPlanning);
        return writePlan(invocation, settlement, { path: planOut, parties, expectation, report: show });
      }
      if (!isPaying) return report(planSettlement(settlement), await headingOfDryRun(settlement));
      return underLock(invocation, async () => {
        // What others listed while this run waited for its lock may not be QUEUED any more.
        const begun = { ...settlement, stopping, beganMs: context.clock.now() };
        const exitCode = await report(settleRewards(begun, { expectation, concurrency }), '');
        if (plan !== undefined) await reportUnplanned(invocation, begun, plan);
        return exitCode;
      });
    },
  );
}

/**
 * @throws Failure('usage') for contradictory flags; Failure('guard') where only plans may be paid and none is given.
 */
function checkPlanFlags({ plan, planOut, planOwner, dryRun }: Invocation<Flags>['flags']): void {
  if (planOut === undefined && plan === undefined && !dryRun) refuseUnplanned(planOwner, 'rewards settle');
  if (planOut === undefined || (plan === undefined && !dryRun)) return;
  throw new Failure(
    'usage',
    plan === undefined
      ? '--dry-run writes nothing, and --plan-out writes a plan'
      : '--plan carries out a plan, and --plan-out writes one',
    'use one of them; --plan-out pays nothing',
  );
}

const headingOfPlanning = 'planned, nothing was paid; ';

async function headingOfDryRun({ ledger }: Settlement): Promise<string> {
  const frozen = await ledger.frozen();
  return frozen === undefined
    ? 'dry run, nothing was paid; '
    : `dry run; the ledger is frozen (${frozen}), so nothing would be paid: `;
}

/** Keeps two runs of cron from overlapping; the second one waits for the given time. */
async function underLock(invocation: Invocation<Flags>, work: () => Promise<ExitCode>): Promise<ExitCode> {
  const lock = await takeLock(invocation);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** How often a lock that another run holds is tried. */
const lockPauseMs = 250;

async function takeLock(invocation: Invocation<Flags>): Promise<Lock> {
  const { clock, stopping } = invocation.context;
  const place = await findLedger(invocation);
  const untilMs = clock.monotonicMs() + (invocation.flags.lockWait ?? 0);
  for (;;) {
    try {
      return await settleLocks(place).acquire(place.lockName, settleLockHolders);
    } catch (error) {
      const isHeld = error instanceof Failure && error.kind === 'locked';
      if (!isHeld || clock.monotonicMs() + lockPauseMs > untilMs) throw error;
    }
    await clock.sleep(lockPauseMs, stopping);
  }
}
