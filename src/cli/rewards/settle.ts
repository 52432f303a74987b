import * as z from 'zod';
import { type ExitCode, Failure } from '../../base/failure.ts';
import { progressModes } from '../../output/progress.ts';
import { planSettlement } from '../../settle/plan-settlement.ts';
import { settleRewards } from '../../settle/settle-rewards.ts';
import type { Settlement } from '../../settle/settlement.ts';
import { type RunLock, takeRunLock } from '../../store/run-lock.ts';
import { defineCommand, type Invocation } from '../command.ts';
import { durationValue, groupFlags, spanValue, switchFlag, valueFlag, wordValue } from '../flags/flags.ts';
import { payerFlags } from '../flags/payer-flags.ts';
import { runCapFlags, settleFlags } from '../flags/settle-flags.ts';
import { outputFlags } from '../flags/shared-flags.ts';
import { readPingUrl, sendPing } from '../settle-frame/ping.ts';
import { type ReportedReward, reportSettlement } from '../settle-frame/settle-report.ts';
import { findLedger, settleLockHolders, withSettlement } from '../settle-frame/settlement-session.ts';

const flags = {
  ...groupFlags('Run', {
    dryRun: switchFlag({
      short: 'n',
      help: 'tell what would be paid, held or left, and why; pay and write nothing',
    }),
    lockWait: valueFlag(durationValue.optional(), {
      value: 'DURATION',
      help: 'how long to wait for another run to end (default: not at all)',
    }),
    failOnUnknownOlder: valueFlag(spanValue.optional(), {
      value: 'DURATION',
      help: 'end with 11 only where a payment has been unknown for so long (default: at once); younger ones are listed',
    }),
    ping: valueFlag(z.string().min(1).optional(), {
      value: 'URL',
      help: 'called with GET when the run ends with 0, for a monitor that alarms when it stays away',
    }),
    progress: valueFlag(wordValue(progressModes).default('auto'), {
      value: 'MODE',
      help: `how progress is shown on stderr: ${progressModes.join(', ')}`,
    }),
  }),
  ...payerFlags,
  ...runCapFlags,
  ...settleFlags,
  ...outputFlags,
};

type Flags = typeof flags;

export const rewardsSettle = defineCommand({
  flags,
  examples: [
    'reviewctl rewards settle --dry-run --payer exec --payer-command /usr/local/bin/pay-points',
    'reviewctl rewards settle --payer http --payer-url https://points.example/pay --payer-idempotent 24h --max-amount-per-day 500000',
  ],
  exitCodes: [4, 5, 6, 7, 9, 11, 12],
  run: async (invocation) => {
    const { flags } = invocation;
    const ping = readPingUrl(flags.ping, invocation);
    const exitCode = await settle(invocation);
    // A monitor waits for payments, which a dry run makes none of.
    if (ping !== undefined && exitCode === 0 && !flags.dryRun) await sendPing(ping, invocation);
    return exitCode;
  },
});

function settle(invocation: Invocation<Flags>): Promise<ExitCode> {
  const { context, flags } = invocation;
  const { dryRun, maxAmount, maxCount, expectTotal, expectCount, concurrency } = flags;
  const guard = new AbortController();
  const stopping = AbortSignal.any([context.stopping, guard.signal]);
  const report = (settled: AsyncIterable<ReportedReward>, heading: string) =>
    reportSettlement(invocation, settled, {
      heading,
      isHeldFailure: flags.failOnHeld,
      toleratedUnknownMs: flags.failOnUnknownOlder,
      stop: () => guard.abort(),
    });
  const expectation = { total: expectTotal ?? null, count: expectCount ?? null };
  return withSettlement(
    invocation,
    { maxPerRun: { amount: maxAmount ?? null, count: maxCount ?? null }, isOnRecord: !dryRun },
    async (settlement) =>
      dryRun
        ? report(planSettlement(settlement), await headingOfDryRun(settlement))
        : underLock(invocation, () =>
            report(settleRewards({ ...settlement, stopping }, { expectation, concurrency }), ''),
          ),
  );
}

async function headingOfDryRun({ ledger }: Settlement): Promise<string> {
  const frozen = await ledger.frozen();
  return frozen === undefined
    ? 'dry run, nothing was paid; it would be '
    : `dry run; the ledger is frozen (${frozen}), so nothing would be paid: `;
}

/** Keeps two runs of cron from overlapping; the one that comes second waits for as long as it is told to. */
async function underLock(invocation: Invocation<Flags>, work: () => Promise<ExitCode>): Promise<ExitCode> {
  const lock = await takeLock(invocation);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** How often a lock that another run holds is tried. */
const lockPauseMs = 250;

async function takeLock(invocation: Invocation<Flags>): Promise<RunLock> {
  const { clock, stopping } = invocation.context;
  const { lockPath } = findLedger(invocation);
  const untilMs = clock.now() + (invocation.flags.lockWait ?? 0);
  for (;;) {
    try {
      return await takeRunLock(lockPath, settleLockHolders);
    } catch (error) {
      const isHeld = error instanceof Failure && error.kind === 'locked';
      if (!isHeld || clock.now() + lockPauseMs > untilMs) throw error;
    }
    await clock.sleep(lockPauseMs, stopping);
  }
}
