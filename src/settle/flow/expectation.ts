import { Failure } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { formatMoney, type Money, type MoneyTotal, noMoney, plus } from '../../base/money.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import { untouched } from '../../store/ledger/ledger-invariants.ts';
import { isListed } from '../rules/listed-observation.ts';
import { isCalledByPlan } from '../rules/payment-plan.ts';
import type { PaymentPlan } from '../rules/plan-codec.ts';
import { planDryRun } from './check-plan.ts';
import { foreseeClaim } from './pay-reward.ts';
import { createFirstTurns } from './settle-turns.ts';
import type { Settlement } from './settlement.ts';

/** The number and total of payments that the operator expects; null if not stated. */
export interface Expectation {
  readonly total: Money | null;
  readonly count: number | null;
}

/**
 * Compares the payments due, before caps, with the expectation. All QUEUED rewards must have been read; `entries` are
 * those that may be paid. Resolves with a function that returns true if a reward may have its turn. Call it once for
 * each reward: one that another run has listed since was not counted.
 * @throws Failure('guard') if they differ.
 */
export async function checkExpectation(
  settlement: Settlement,
  expectation: Expectation,
  entries: AsyncIterable<LedgerEntry> = listedNow(settlement),
): Promise<(rewardId: string) => boolean> {
  if (expectation.total === null && expectation.count === null) return () => true;
  const { plan } = settlement;
  const isNew = createFirstTurns();
  const due = await sumDue(settlement, entries, ({ rewardId }) => {
    isNew(rewardId);
    return true;
  });
  const show = plan === undefined ? reviewctl`rewards settle --dry-run` : planDryRun(plan);
  checkExpected(due, expectation, show);
  return (rewardId) => !isNew(rewardId);
}

/**
 * Checks the payments due. `show` is the command that lists the payments.
 * @throws Failure('guard') if the payments due differ from the expectation.
 */
export function checkExpected(due: MoneyTotal, { total, count }: Expectation, show: HintText): void {
  const isCount = count === null || count === due.count;
  const isTotal = total === null || total === due.amount;
  if (isCount && isTotal) return;
  const expected = [
    ...(count === null ? [] : [rewardsInWords(count)]),
    ...(total === null ? [] : [`${formatMoney(total)} in all`]),
  ].join(' and ');
  throw new Failure(
    'guard',
    `expected ${expected}, but ${rewardsInWords(due.count)}, ${formatMoney(due.amount)} in all, would be paid; ` +
      'nothing was paid',
    hint`see each of them with: ${show}`,
  );
}

const rewardsInWords = (count: number) => (count === 1 ? '1 reward' : `${count} rewards`);

/** Counts rewards outside the plan that could be paid now. All QUEUED rewards must have been listed. */
export function countUnplanned(settlement: Settlement, { payments }: PaymentPlan): Promise<MoneyTotal> {
  const { plan: _, ...unplanned } = settlement;
  return sumDue(
    unplanned,
    listedNow(unplanned),
    ({ rewardId, payment }) => payment === 'intended' && !payments.has(rewardId),
  );
}

/** The sum of the rewards due, before caps. */
async function sumDue(
  settlement: Settlement,
  entries: AsyncIterable<LedgerEntry>,
  isCounted: (entry: LedgerEntry) => boolean,
): Promise<MoneyTotal> {
  let total = noMoney;
  for await (const entry of entries) {
    if (isCounted(entry) && isDue(settlement, entry))
      total = plus(total, (entry.terms ?? entry.seen).amount ?? 0n);
  }
  return total;
}

/** The rewards that a run without a plan may call the payer for. */
async function* listedNow(settlement: Settlement): AsyncGenerator<LedgerEntry> {
  for await (const page of settlement.ledger.entries({ payment: ['intended', 'unknown'] }))
    yield* page.filter((entry) => isListed(entry, settlement));
}

/**
 * True if the reward is due, before caps. In a resumed plan, this includes rewards for which it has already called the
 * payer.
 */
function isDue(settlement: Settlement, entry: LedgerEntry): boolean {
  const { plan, clock } = settlement;
  const planned = plan?.payments.get(entry.rewardId);
  if (plan !== undefined && planned !== undefined) {
    if (isCalledByPlan(entry, plan)) return true;
    if (entry.payment === 'refused') return entry.attempt > planned.attempt;
  }
  const facts = { nowMs: clock.now(), frozen: undefined, budget: untouched };
  const decision = foreseeClaim(settlement, entry, facts);
  return decision.kind === 'change' || decision.reason.kind === 'capped';
}
