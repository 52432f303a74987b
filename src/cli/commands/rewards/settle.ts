import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import { kebabCase } from '../../../base/name-case.ts';
import { checkPlan } from '../../../settle/flow/check-plan.ts';
import { type PlannedReward, planSettlement } from '../../../settle/flow/plan-settlement.ts';
import { type SettledReward, triggerReward } from '../../../settle/flow/settle-reward.ts';
import { settleRewards } from '../../../settle/flow/settle-rewards.ts';
import type { Settlement } from '../../../settle/flow/settlement.ts';
import { settleLocks } from '../../../store/open-store.ts';
import { durationValue, groupFlags, settings, spanValue, switchFlag, valueFlag } from '../../flags/flags.ts';
import { payerFlags } from '../../flags/payer-flags.ts';
import { callFlags, planFlags, runCapFlags, settleFlags } from '../../flags/settle-flags.ts';
import { outputFlags, progressFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { waitForLock } from '../../runtime/wait-for-lock.ts';
import { readIds } from '../../templates/batch/read-ids.ts';
import {
  readPlan,
  refuseUnplanned,
  reportUnplanned,
  writePlan,
} from '../../templates/settle/payment-plans.ts';
import { reportSettlement } from '../../templates/settle/settle-report.ts';
import { openSettlement, settleLockHolders } from '../../templates/settle/settlement-session.ts';

const flags = {
  ...groupFlags('Run', {
    dryRun: switchFlag('show what would be paid; pay nothing', 'n'),
  }),
  ...settings('Paying', {
    lockWait: valueFlag(
      durationValue,
      'DURATION',
      'how long to wait for another run to end (default: not at all)',
    ),
    failOnUnknownOlder: valueFlag(
      spanValue,
      'DURATION',
      'exit with 11 only for payments that have been unknown this long (default: at once); newer ones are listed',
    ),
  }),
  ...progressFlags,
  ...planFlags,
  ...payerFlags,
  ...runCapFlags,
  ...settleFlags,
  ...callFlags,
  ...outputFlags,
};

type SettleInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  argument: {
    term: '[id...]',
    help: 'only these rewards, by their ids at the service; - reads them from standard input (default: all QUEUED)',
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

async function settle(invocation: SettleInvocation): Promise<ExitCode> {
  const { args, context, flags } = invocation;
  if (args.length > 0) return settleNamed(invocation, args);
  const { maxAmount, maxCount, expectTotal, expectCount, concurrency, planOut } = flags;
  checkPlanFlags(flags);
  const plan = flags.plan === undefined ? undefined : await readPlan(flags.plan, invocation);
  const isPaying = !flags.dryRun && planOut === undefined;
  const guard = new AbortController();
  const report = (rewards: AsyncIterable<PlannedReward>, heading: string) =>
    reportSettlement(invocation, rewards, {
      heading,
      isHeldFailure: flags.failOnHeld,
      toleratedUnknownMs: flags.failOnUnknownOlder,
      stop: () => guard.abort(),
    });
  const expectation = { total: expectTotal ?? null, count: expectCount ?? null };
  const {
    settlement: unplanned,
    session,
    place,
  } = await openSettlement(invocation, {
    maxPerRun: { amount: maxAmount ?? null, count: maxCount ?? null },
    isOnRecord: isPaying,
  });
  const parties = { origin: place.origin, account: session.account };
  if (plan !== undefined) await checkPlan(plan, unplanned, parties);
  const settlement = plan === undefined ? unplanned : { ...unplanned, plan };
  if (planOut !== undefined) {
    const show = (planned: AsyncIterable<PlannedReward>) => report(planned, headingOfPlanning);
    return writePlan(invocation, settlement, { path: planOut, parties, expectation, report: show });
  }
  if (!isPaying)
    return report(planSettlement(settlement, { expectation }), await headingOfDryRun(settlement));
  const { clock, stopping } = context;
  // Keeps two runs of cron from overlapping.
  const lock = await waitForLock(() => settleLocks(place).acquire(place.lockName, settleLockHolders), {
    clock,
    waitMs: flags.lockWait ?? 0,
    pauseMs: lockPauseMs,
    stopping,
  });
  invocation.defer(() => lock.release());
  // Rewards that others listed while this run waited for its lock may not be QUEUED any more.
  const begun = {
    ...settlement,
    stopping: AbortSignal.any([stopping, guard.signal]),
    beganMs: clock.now(),
  };
  let isWhole = false;
  async function* settled(): AsyncGenerator<SettledReward> {
    yield* settleRewards(begun, { expectation, concurrency });
    isWhole = !stopping.aborted;
  }
  const exitCode = await report(settled(), '');
  if (plan !== undefined) await reportUnplanned(invocation, begun, plan);
  // Rewards that need a person (6) are reported separately, except for held ones.
  if (isWhole && (exitCode === 0 || (exitCode === 6 && !flags.failOnHeld)))
    await begun.ledger.noteSuccess(begun.run, clock.now());
  return exitCode;
}

/** @throws Failure('usage') for contradictory flags; Failure('guard') if only plans may be paid and none is given. */
function checkPlanFlags({ plan, planOut, planOwner, dryRun }: SettleInvocation['flags']): void {
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
  const { frozen } = await ledger.meta();
  return frozen === null
    ? 'dry run, nothing was paid; '
    : `dry run; the ledger is frozen (${frozen}), so nothing would be paid: `;
}

/** Pause between attempts to take a lock that another run holds, in milliseconds. */
const lockPauseMs = 250;

/** Flags that apply to all waiting rewards. */
const flagsOfAll = ['dryRun', 'plan', 'planOut', 'expectTotal', 'expectCount'] as const;

/**
 * Pays the rewards of these ids, each as a webhook call would, even beside a run that pays the others. One that cannot
 * be settled is reported, and the others are settled.
 * @throws Failure('usage') for a flag that applies to all rewards.
 */
export async function settleNamed(invocation: SettleInvocation, args: readonly string[]): Promise<ExitCode> {
  const { context, flags, notices } = invocation;
  const ofAll = flagsOfAll.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (ofAll !== undefined) {
    throw new Failure(
      'usage',
      `--${kebabCase(ofAll)} is for all rewards that wait, not for named ones`,
      'leave out the flag, or the ids',
    );
  }
  refuseUnplanned(flags.planOwner, 'rewards settle');
  const ids = new Set(await readIds(args, 'id', invocation));
  const maxPerRun = { amount: flags.maxAmount ?? null, count: flags.maxCount ?? null };
  const refused: ExitCode[] = [];
  const onRefusal = (failure: Failure) => {
    notices.error(failure);
    refused.push(failure.exitCode);
  };
  const { settlement } = await openSettlement(invocation, { maxPerRun, isOnRecord: true });
  const rewards = settled(settlement, ids, { stopping: context.stopping, onRefusal });
  // An explicitly requested reward must not be held silently.
  const report = { heading: '', isHeldFailure: true, stop: () => undefined };
  return strongestExitCode([await reportSettlement(invocation, rewards, report), ...refused]);
}

interface Events {
  readonly stopping: AbortSignal;
  /** Called with failures that concern a single reward. */
  readonly onRefusal: (failure: Failure) => void;
}

async function* settled(
  settlement: Settlement,
  ids: ReadonlySet<string>,
  { stopping, onRefusal }: Events,
): AsyncGenerator<SettledReward> {
  for (const id of ids) {
    if (stopping.aborted) return;
    try {
      yield await triggerReward(settlement, id);
    } catch (error) {
      if (!(error instanceof Failure && ['refused', 'not-found'].includes(error.kind))) throw error;
      onRefusal(error);
    }
  }
}
