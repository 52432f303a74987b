import type { Failure } from '../../base/failure.ts';
import type { RewardStatus } from '../../contract/states.ts';
import type { Budget, LedgerEntry } from '../../store/ledger/ledger.ts';
import { reserved, untouched } from '../../store/ledger/ledger-invariants.ts';
import { isCalledByPlan, plannedPayment } from '../rules/payment-plan.ts';
import type { PlannedPayment } from '../rules/plan-codec.ts';
import { haveTermsChanged, isDecided } from '../rules/policy.ts';
import { type ClaimRejection, observe, observeAgain } from '../rules/transitions.ts';
import { checkExpectation, type Expectation } from './expectation.ts';
import { claimOptions, type ForeseenFacts, foreseeClaim, unclaimed } from './pay-reward.ts';
import { absentReward } from './plan-run.ts';
import { type SettledReward, settledAs } from './settle-reward.ts';
import { byCalls } from './settle-turns.ts';
import { rewardOutcome, type Settlement } from './settlement.ts';
import { lookUpUnlisted, vanishedReward } from './vanished-rewards.ts';

/** The expected result of one reward. It has a cause only if a person has to act, regardless of flags. */
export interface PlannedReward extends SettledReward {
  /** The payment that would be made. */
  readonly payment?: PlannedPayment;
}

interface PlanningOptions {
  /** The expectation of a run; by default none. */
  readonly expectation?: Expectation;
  /** Called once every reward has been listed. */
  readonly onDecided?: () => void;
}

/**
 * Lists what a settlement would do with each QUEUED reward, and why. The order is that of a run, so that caps end at
 * the same reward: decided rewards first, those in doubt last, each by id. Writes nothing. Does not foresee payments
 * that others make meanwhile.
 * @throws after the last reward: Failure('guard') if the payments due are not as expected; Failure('inconsistent-list')
 *   if the service did not show all QUEUED rewards.
 */
export async function* planSettlement(
  settlement: Settlement,
  { expectation = { total: null, count: null }, onDecided = () => undefined }: PlanningOptions = {},
): AsyncGenerator<PlannedReward> {
  const { ledger, clock, plan } = settlement;
  const { frozen } = await ledger.meta();
  /** The budgets after all payments planned so far. */
  const budgets = new Map<string, Budget>();
  const budget = (scope: string) => budgets.get(scope) ?? untouched(scope);
  const { seen, shortage } = await observedEntries(settlement);
  for await (const { entry, shown } of lookUpUnlisted(settlement, (rewardId) => seen.has(rewardId))) {
    if (shown?.status === 'QUEUED') seen.set(entry.rewardId, { ...entry, seen: shown });
    else if ((await ledger.find(entry.rewardId))?.payment === 'intended') yield vanishedReward(entry, shown);
  }
  for (const payment of plan?.payments.values() ?? []) {
    if (!seen.has(payment.rewardId)) yield await unlistedReward(settlement, payment);
  }
  for (const entry of inTurn([...seen.values()])) {
    if (plan !== undefined && !plan.payments.has(entry.rewardId)) continue;
    const facts = { nowMs: clock.now(), frozen: frozen ?? undefined, budget };
    yield await planReward(settlement, entry, facts, budgets);
  }
  onDecided();
  await checkExpectation(settlement, expectation, entriesDue(settlement, seen));
  if (shortage !== undefined) throw shortage;
}

/** The entries that a run would compare with its expectation. */
async function* entriesDue(
  { ledger, plan }: Settlement,
  seen: ReadonlyMap<string, LedgerEntry>,
): AsyncGenerator<LedgerEntry> {
  for (const rewardId of plan?.payments.keys() ?? seen.keys()) {
    const begun = seen.get(rewardId) ?? (await ledger.find(rewardId));
    if (begun !== undefined && (seen.has(rewardId) || begun.payment !== 'intended')) yield begun;
  }
}

/**
 * Each QUEUED reward once, with the entry that the ledger would have after reading the list, and the failure of a list
 * that lacks rewards.
 */
async function observedEntries({ ledger, service, clock }: Settlement) {
  const entries = new Map<string, LedgerEntry>();
  let shortage: Failure | undefined;
  const onShort = (failure: Failure) => {
    shortage = failure;
  };
  for await (const page of service.queued(onShort)) {
    for (const { rewardId, seen } of page) {
      const known = entries.get(rewardId);
      const entry = known ?? (await ledger.find(rewardId));
      const step = known === undefined ? observe : observeAgain;
      const facts = { entry, nowMs: clock.now(), frozen: undefined, budget: untouched };
      const sighted = step(rewardId, seen)({ ...facts, lastEventAtMs: () => undefined });
      const now = sighted.kind === 'change' ? sighted.entry : entry;
      if (now !== undefined) entries.set(rewardId, now);
    }
  }
  return { seen: entries, shortage };
}

/** Sorts entries in the order of `createSettleTurns`. */
function inTurn(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const byId = entries.toSorted((one, other) =>
    Buffer.compare(Buffer.from(one.rewardId), Buffer.from(other.rewardId)),
  );
  const inDoubt = byId.filter(({ payment }) => payment === 'unknown');
  return [
    ...byId.filter(isDecided),
    ...byId.filter((entry) => !isDecided(entry) && entry.payment !== 'unknown'),
    ...inDoubt.toSorted(byCalls),
  ];
}

async function planReward(
  settlement: Settlement,
  entry: LedgerEntry,
  facts: ForeseenFacts,
  budgets: Map<string, Budget>,
): Promise<PlannedReward> {
  const { ledger, refusedStatus } = settlement;
  for (const { scope } of claimOptions(settlement, entry, facts.nowMs).caps) {
    if (budgets.has(scope)) continue;
    const found = await ledger.budgets(scope);
    budgets.set(scope, found.find((budget) => budget.scope === scope) ?? untouched(scope));
  }
  const decision = foreseeClaim(settlement, entry, facts);
  if (decision.kind === 'change') {
    for (const cap of decision.reserve ?? [])
      budgets.set(cap.scope, reserved(facts.budget(cap.scope), decision.entry.terms?.amount ?? 0n, cap));
    const again = entry.payment === 'unknown' ? ' once more under the same key, which its payer honours' : '';
    const outcome = rewardOutcome(
      { ...decision.entry, payment: 'intended' },
      { reason: `would be paid${again}` },
    );
    const payment = plannedPayment(decision.entry, entry.attempt);
    return { outcome, payment };
  }
  const { remedy, ...left } = leftAs(entry, decision.reason, refusedStatus);
  // The remedy resolves the terms that the ledger knows, and nothing is recorded here.
  const known = remedy && (await ledger.find(entry.rewardId));
  const cause = causeOf(settlement, entry, decision.reason);
  return { ...left, cause, remedy: known && haveTermsChanged(known) ? remedy : undefined };
}

/** The cause that requires a person. With a plan, a person has reviewed every payment. */
function causeOf({ plan }: Settlement, entry: LedgerEntry, reason: ClaimRejection): PlannedReward['cause'] {
  if (reason.kind === 'held' && reason.reason === 'contradictory') return reason.reason;
  if (plan === undefined) {
    const isVanished = reason.kind === 'not-queued' && entry.payment === 'intended';
    return isVanished ? 'vanished' : undefined;
  }
  const isPaidOtherwise = entry.payment === 'paid' && !isCalledByPlan(entry, plan);
  return isPaidOtherwise || ['drifted', 'held', 'not-queued'].includes(reason.kind) ? 'drifted' : undefined;
}

/** A planned reward that the service no longer lists as QUEUED. */
async function unlistedReward({ ledger, plan }: Settlement, payment: PlannedPayment): Promise<PlannedReward> {
  const entry = await ledger.find(payment.rewardId);
  const isPaid = plan !== undefined && entry?.payment === 'paid' && isCalledByPlan(entry, plan);
  if (entry === undefined || !isPaid) return absentReward(payment);
  return { outcome: rewardOutcome(entry, { reason: 'was paid by this plan' }), isEarlier: true };
}

/** The result of a reward that a run would not pay. */
function leftAs(entry: LedgerEntry, rejection: ClaimRejection, refusedStatus: RewardStatus): SettledReward {
  const end = unclaimed(entry, rejection);
  if (end.kind === 'decided') {
    const { payment } = entry;
    const reason = `is ${payment}; would be reported as ${payment === 'paid' ? 'SUCCESS' : refusedStatus}`;
    return { outcome: rewardOutcome(entry, { reason }), isEarlier: true };
  }
  const underWay = 'a call to the payer was begun; the next run reads its outcome';
  return settledAs(end.cause === 'under-way' ? { ...end, reason: underWay } : end);
}
