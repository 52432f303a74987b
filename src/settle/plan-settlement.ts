import { Failure } from '../base/failure.ts';
import { formatMoney, type Money } from '../base/money.ts';
import type { RewardStatus } from '../contract/states.ts';
import type { Budget, Facts, LedgerEntry } from '../store/ledger.ts';
import { untouched } from '../store/ledger-law.ts';
import { handedOverReason, isBatch } from './entry-record.ts';
import type { UnpaidCause } from './pay-reward.ts';
import { capsOn, verdictOn } from './policy.ts';
import { type SettledReward, waitOf } from './settle-reward.ts';
import { outcomeOf, type RewardOutcome, type Settlement } from './settlement.ts';
import { type ClaimKept, claim, see, seeAgain } from './transitions.ts';

/** What the person expects to be paid; null where they expect nothing in particular. */
export interface Expectation {
  readonly total: Money | null;
  readonly count: number | null;
}

/**
 * Compares what would be paid now, before caps, with what was expected. Everything QUEUED has been seen by this run.
 * @throws Failure('guard') where they differ.
 */
export async function checkExpectation(settlement: Settlement, { total, count }: Expectation): Promise<void> {
  if (total === null && count === null) return;
  const { ledger, payer, policy, run, clock } = settlement;
  let amount = 0n;
  let rewards = 0;
  for await (const page of ledger.entries({ seenByRun: run })) {
    for (const entry of page) {
      const verdict = verdictOn(entry, { policy, traits: payer.traits, nowMs: clock.now() });
      // What has grown old since it was listed is looked at again when its turn comes.
      if (verdict.kind !== 'pay' && verdict.kind !== 'stale') continue;
      amount += entry.terms?.amount ?? entry.seen.amount ?? 0n;
      rewards += 1;
    }
  }
  const isCount = count === null || count === rewards;
  const isTotal = total === null || total === amount;
  if (isCount && isTotal) return;
  const expected = [
    ...(count === null ? [] : [`${count} rewards`]),
    ...(total === null ? [] : [`${formatMoney(total)} in all`]),
  ].join(' and ');
  throw new Failure(
    'guard',
    `expected ${expected}, but ${rewards} rewards, ${formatMoney(amount)} in all, are to be paid; nothing was paid`,
    'see each of them with: reviewctl rewards settle --dry-run',
  );
}

/** What would become of one reward; `isToBePaid` where the payer would be called for it. */
export interface PlannedReward extends Pick<SettledReward, 'batch' | 'inDoubtSinceMs'> {
  /** Where it takes a person whatever the flags say. */
  readonly cause?: Extract<UnpaidCause, 'contradictory'>;
  readonly outcome: RewardOutcome;
  readonly isToBePaid: boolean;
  /** Whether its money was decided before, so that only the service remains to be told. */
  readonly isEarlier: boolean;
}

/**
 * What a settlement would do with every QUEUED reward, and why, in the order in which it would: what is decided first, what is in doubt last, each
 * by id as the ledger reads them, so that caps reach as far. Writes nothing, neither in the ledger nor anywhere else; what others pay
 * meanwhile is not foreseen.
 */
export async function* planSettlement(settlement: Settlement): AsyncGenerator<PlannedReward> {
  const { ledger, clock } = settlement;
  const frozen = await ledger.frozen();
  const planned = new PlannedBudgets();
  for (const entry of inTurn(await seenEntries(settlement))) {
    const nowMs = clock.now();
    // What has grown old since it was listed is looked at again when its turn comes.
    const fresh = { ...entry, seen: { ...entry.seen, atMs: nowMs } };
    yield await planReward(settlement, { entry: fresh, nowMs, frozen, budget: planned.budget }, planned);
  }
}

/** Every QUEUED reward once, as the ledger would know it after the list was read. */
async function seenEntries({ ledger, service, clock }: Settlement): Promise<readonly LedgerEntry[]> {
  const entries = new Map<string, LedgerEntry>();
  for await (const page of service.queued()) {
    for (const { rewardId, seen } of page) {
      const known = entries.get(rewardId);
      const entry = known ?? (await ledger.find(rewardId));
      const step = known === undefined ? see : seeAgain;
      const facts = { entry, nowMs: clock.now(), frozen: undefined, budget: untouched };
      const sighted = step(rewardId, seen)(facts);
      const now = sighted.kind === 'change' ? sighted.entry : entry;
      if (now !== undefined) entries.set(rewardId, now);
    }
  }
  return [...entries.values()];
}

/** In the order of `createSettleTurns`. */
function inTurn(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const byId = entries.toSorted((one, other) =>
    Buffer.compare(Buffer.from(one.rewardId), Buffer.from(other.rewardId)),
  );
  const isDecided = ({ pay }: LedgerEntry) => pay === 'paid' || pay === 'refused';
  const inDoubt = byId.filter(({ pay }) => pay === 'unknown');
  return [
    ...byId.filter(isDecided),
    ...byId.filter((entry) => !isDecided(entry) && entry.pay !== 'unknown'),
    ...inDoubt.toSorted((one, other) => (one.lastCallAtMs ?? 0) - (other.lastCallAtMs ?? 0)),
  ];
}

async function planReward(
  { ledger, payer, policy, run, refusedStatus }: Settlement,
  facts: Facts & { readonly entry: LedgerEntry },
  planned: PlannedBudgets,
): Promise<PlannedReward> {
  const { entry, nowMs } = facts;
  const memberOriginId = entry.terms?.memberOriginId ?? entry.seen.memberOriginId ?? '';
  const caps = capsOn(policy, { run, memberOriginId, nowMs });
  for (const { scope } of caps) {
    if (!planned.knows(scope)) planned.add(await ledger.budgets(scope), scope);
  }
  const { traits, timeoutMs } = payer;
  const { identity } = ledger;
  const decision = claim({ identity, run, owner: run, leaseMs: timeoutMs, policy, traits, caps })(facts);
  if (decision.kind === 'change') {
    if (decision.posting?.kind === 'reserve') {
      planned.reserve(
        decision.posting.caps.map(({ scope }) => scope),
        decision.entry.terms?.amount ?? 0n,
      );
    }
    const again = entry.pay === 'unknown' ? ' once more under the same key, which its payer honours' : '';
    const outcome = outcomeOf({ ...decision.entry, pay: 'intended' }, { reason: `would be paid${again}` });
    return { outcome, isToBePaid: true, isEarlier: false };
  }
  const isEarlier = decision.because.kind === 'decided';
  const outcome = leftOutcome(entry, decision.because, refusedStatus);
  const isContradictory = decision.because.kind === 'held' && decision.because.reason === 'contradictory';
  const cause = isContradictory ? ({ cause: 'contradictory' } as const) : {};
  return { outcome, isToBePaid: false, isEarlier, ...waitOf(entry), ...cause };
}

/** Why a reward would not be paid. */
function leftOutcome(entry: LedgerEntry, because: ClaimKept, refusedStatus: RewardStatus): RewardOutcome {
  switch (because.kind) {
    case 'decided':
      return outcomeOf(entry, {
        reason: `is ${entry.pay}; the service would be told ${entry.pay === 'paid' ? 'SUCCESS' : refusedStatus}`,
      });
    case 'held':
    case 'capped':
      return outcomeOf(entry, {
        outcome: entry.pay === 'unknown' ? 'unknown' : 'held',
        reason: because.message,
      });
    case 'under-way':
      return outcomeOf(entry, {
        reason: isBatch(entry)
          ? handedOverReason(entry)
          : 'a call to the payer was begun; the next run finds out what came of it',
      });
    case 'stale':
      throw new Error(`reward ${entry.rewardId} was seen this moment`);
    default:
      return outcomeOf(entry, { reason: because.message });
  }
}

/** Budgets as they would be, were everything paid that is planned to be. */
class PlannedBudgets {
  readonly #budgets = new Map<string, Budget>();

  readonly budget = (scope: string): Budget => this.#budgets.get(scope) ?? untouched(scope);

  knows(scope: string): boolean {
    return this.#budgets.has(scope);
  }

  add(found: readonly Budget[], scope: string): void {
    this.#budgets.set(scope, found.find((budget) => budget.scope === scope) ?? this.budget(scope));
  }

  reserve(scopes: readonly string[], amount: Money): void {
    for (const scope of scopes) {
      const budget = this.budget(scope);
      this.#budgets.set(scope, {
        ...budget,
        reservedAmount: budget.reservedAmount + amount,
        reservedCount: budget.reservedCount + 1,
      });
    }
  }
}
