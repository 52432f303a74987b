import { type ExitCode, Failure, strongestExitCode } from '../../../base/failure.ts';
import { kebabCase } from '../../../base/name-case.ts';
import type { Settlement } from '../../../settle/flow/settlement.ts';
import { triggerReward } from '../../../settle/flow/trigger-reward.ts';
import { readIds } from '../../templates/batch/read-ids.ts';
import { refuseUnplanned } from '../../templates/settle/payment-plans.ts';
import { type ReportedReward, reportSettlement } from '../../templates/settle/settle-report.ts';
import { withSettlement } from '../../templates/settle/settlement-session.ts';
import type { SettleInvocation } from './settle.ts';

/** Flags that are about all rewards that wait. */
const flagsOfAll = ['dryRun', 'plan', 'planOut', 'expectTotal', 'expectCount'] as const;

/**
 * Pays the rewards of these ids, each as a webhook call would, maybe beside a run that pays the others. One that cannot
 * be settled is named, and the others are.
 * @throws Failure('usage') for a flag that is about all rewards.
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
  return withSettlement(invocation, { maxPerRun, isOnRecord: true }, async (settlement) => {
    const rewards = settled(settlement, ids, { stopping: context.stopping, onRefusal });
    // A reward that is named is meant to be paid.
    const report = { heading: '', isHeldFailure: true, stop: () => undefined };
    return strongestExitCode([await reportSettlement(invocation, rewards, report), ...refused]);
  });
}

interface Events {
  readonly stopping: AbortSignal;
  /** Called with what concerns one reward alone. */
  readonly onRefusal: (failure: Failure) => void;
}

async function* settled(
  settlement: Settlement,
  ids: ReadonlySet<string>,
  { stopping, onRefusal }: Events,
): AsyncGenerator<ReportedReward> {
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
