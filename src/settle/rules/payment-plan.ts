import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Cap, LedgerEntry, LedgerIdentity } from '../../store/ledger/ledger.ts';
import { paymentKey } from './payment-key.ts';
import type { PaymentPlan, PlannedPayment } from './plan-codec.ts';
import { planScope } from './policy.ts';
import { areSameTerms, type RewardTerms, termsInWords } from './reward-terms.ts';

/*
 * A plan of payments, and its one rule: each planned reward is paid exactly as planned or not at all, and no other
 * reward is paid.
 */

/** True if this plan made the last call for a reward that is paid or may be. */
export function isCalledByPlan(
  { scopes }: Pick<LedgerEntry, 'scopes'>,
  { id }: Pick<PaymentPlan, 'id'>,
): boolean {
  return scopes.includes(planScope(id));
}

/** The maximum total of a plan, over all its runs. */
export function capOfPlan({ id, total, payments }: PaymentPlan): Cap {
  return { scope: planScope(id), amount: total, count: payments.size };
}

/** The payment that a claim of this entry with these terms would make. */
export function plannedPayment(
  { rewardId, attempt, terms }: Pick<LedgerEntry, 'rewardId' | 'attempt' | 'terms'>,
  calledBefore: number,
): PlannedPayment {
  if (terms === null) throw new Error(`reward ${rewardId} has no terms at attempt ${attempt}`);
  const { amount, memberOriginId, key, document } = terms;
  return { rewardId, amount, memberOriginId, order: orderIds(document), key, attempt: calledBefore };
}

function orderIds(document: string): JsonObject {
  const reward = JSON.parse(document) as Json;
  const order = isJsonObject(reward) && isJsonObject(reward['order']) ? reward['order'] : {};
  const { id, originId } = order;
  return { ...(id === undefined ? {} : { id }), ...(originId === undefined ? {} : { originId }) };
}

/**
 * The difference between a reward and its planned payment, with both values; undefined if they agree. Calls made by
 * this plan itself do not count.
 */
export function driftOf(
  entry: LedgerEntry,
  planned: PlannedPayment,
  {
    plan,
    identity,
  }: { readonly plan: Pick<PaymentPlan, 'id'>; readonly identity: Pick<LedgerIdentity, 'origin' | 'shop'> },
): string | undefined {
  const { rewardId, payment, seen, keyGeneration, attempt } = entry;
  const terms = entry.terms ?? seen;
  const intended: RewardTerms = { ...planned, document: JSON.stringify({ order: planned.order }) };
  if (!areSameTerms(intended, terms)) {
    return `the plan says ${termsInWords(intended, terms)}; now it is ${termsInWords(terms, intended)}`;
  }
  const key = entry.terms?.key ?? paymentKey(identity, rewardId, keyGeneration);
  if (key !== planned.key) return 'it was found unpaid and given another key since it was planned';
  const isOfPlan = payment === 'intended' || isCalledByPlan(entry, plan);
  if (isOfPlan || (payment === 'unknown' && attempt === planned.attempt)) return undefined;
  return 'another run called the payer for it since it was planned';
}
