import { jsonMoney } from '../../base/money.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import { isListed } from '../rules/listed-observation.ts';
import { isCalledByPlan } from '../rules/payment-plan.ts';
import type { PaymentPlan, PlannedPayment } from '../rules/plan-codec.ts';
import { checkUnused } from './check-plan.ts';
import type { SettledReward } from './settle-reward.ts';
import type { SettleTurns } from './settle-turns.ts';
import type { Settlement } from './settlement.ts';

/**
 * Creates one run of a plan: it selects the rewards that get a turn and records whether any are left for a later run.
 * Requires that all QUEUED rewards have been listed.
 */
export function createPlanRun(settlement: Settlement, plan: PaymentPlan, mayContinue: () => boolean) {
  const { ledger, run, clock } = settlement;
  const { payments } = plan;
  /** Rewards that need no later run. */
  const done = new Set<string>();
  const isThere = (entry: LedgerEntry) => entry.payment !== 'intended' || isListed(entry, settlement);
  /** The planned rewards that are listed or begun, in the order of the plan. */
  async function* entries(): AsyncGenerator<LedgerEntry> {
    for (const rewardId of payments.keys()) {
      const entry = await ledger.find(rewardId);
      if (entry !== undefined && isThere(entry)) yield entry;
    }
  }
  return {
    entries,
    /** Planned rewards that the service no longer lists as QUEUED. */
    absent: async function* () {
      for (const payment of payments.values()) {
        const entry = await ledger.find(payment.rewardId);
        if (entry !== undefined && isThere(entry)) continue;
        done.add(payment.rewardId);
        yield absentReward(payment);
      }
    },
    /** The turns of the planned rewards, and of others that are only reported or in doubt. */
    turns: (all: SettleTurns): SettleTurns => ({
      ...all,
      decided: async function* () {
        for await (const entry of all.decided()) if (!payments.has(entry.rewardId)) yield entry;
      },
      open: async function* () {
        for await (const entry of entries()) {
          if (!mayContinue()) return;
          if (entry.payment !== 'unknown') yield entry;
        }
      },
      leftovers: () => all.busy(),
    }),
    /** The result of a reward compared with the plan; `entry` is the reward before its turn. */
    judge: (settled: SettledReward, entry: LedgerEntry): SettledReward => {
      if (!payments.has(entry.rewardId)) return settled;
      const judged = judge(settled, isCalledByPlan(entry, plan));
      const isDone = judged.trouble === undefined && (judged.cause ?? 'drifted') === 'drifted';
      if (isDone) done.add(entry.rewardId);
      else done.delete(entry.rewardId);
      return judged;
    },
    /**
     * Records the plan before its first payment.
     * @throws Failure('guard') if another run has completed it meanwhile.
     */
    begin: async () => {
      const start = { plan: plan.id, sha256: plan.sha256, run, beganAtMs: clock.now() };
      checkUnused(plan, await ledger.plans.begin(start));
    },
    /** Records the plan as carried out if nothing of it remains. */
    end: async () => {
      if (done.size === payments.size) await ledger.plans.end(plan.id, clock.now());
    },
  };
}

/** A planned reward that the service no longer shows. */
export function absentReward({ rewardId, amount, memberOriginId }: PlannedPayment): SettledReward {
  return {
    outcome: {
      rewardId,
      amount: jsonMoney(amount),
      memberOriginId,
      outcome: 'held',
      report: 'pending',
      key: null,
      reason: 'the service no longer lists it as QUEUED',
    },
    cause: 'drifted',
  };
}

/** The result of a planned reward: drifted if policy holds it, it is no longer QUEUED, or another run paid it. */
function judge(settled: SettledReward, isOfPlan: boolean): SettledReward {
  const { outcome, cause, isEarlier = false } = settled;
  if (isEarlier && outcome.outcome === 'paid' && !isOfPlan) {
    const reason = 'another run paid it since it was planned';
    return { ...settled, cause: 'drifted', outcome: { ...outcome, reason } };
  }
  if (cause !== 'held' && cause !== 'above-cap' && cause !== 'not-queued') return settled;
  const held = outcome.outcome === 'waiting' ? ({ outcome: 'held' } as const) : {};
  return { ...settled, cause: 'drifted', outcome: { ...outcome, ...held } };
}
