import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Money } from '../../base/money.ts';
import type { Cap, LedgerEntry, LedgerIdentity } from '../../store/ledger/ledger.ts';
import { paymentKey } from './payment-key.ts';
import { planScope } from './policy.ts';
import { areSameTerms, type RewardTerms, termsInWords } from './reward-terms.ts';

/*
 * A plan of payments, and its one rule: each planned reward is paid exactly as planned, or not at all; no
 * other reward is paid.
 */

/** One payment as it was planned. */
export interface PlannedPayment {
  readonly rewardId: string;
  readonly amount: Money;
  readonly memberOriginId: string;
  /** The ids of the order, as far as the service named them. */
  readonly order: JsonObject;
  /** The key under which the payer is to be called. */
  readonly key: string;
  /** The number of calls begun before it was planned. */
  readonly attempt: number;
}

/** The context of a plan, which is carried out in no other. */
export interface PlanSubject {
  /** The address of the service. */
  readonly origin: string;
  readonly shop: string;
  /** The fingerprint of the credential. */
  readonly account: string;
  readonly payer: string;
  /** The ledger, and its last event at that time. */
  readonly ledger: {
    readonly id: string;
    readonly acceptance: string | null;
    readonly seq: number;
    readonly seal: string;
  };
}

/** A plan that was read from a file. */
export interface PaymentPlan {
  /** Its file, for messages. */
  readonly path: string;
  readonly id: string;
  readonly sha256: string;
  readonly createdAtMs: number;
  readonly subject: PlanSubject;
  readonly payments: ReadonlyMap<string, PlannedPayment>;
  readonly total: Money;
}

/** Whether this plan made the last call for a reward that is or may be paid. */
export function isCalledByPlan(
  { scopes }: Pick<LedgerEntry, 'scopes'>,
  { id }: Pick<PaymentPlan, 'id'>,
): boolean {
  return scopes.includes(planScope(id));
}

/** The most a plan may pay in total, over all its runs. */
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
 * How a reward differs from its planned payment, with both values; undefined where it does not. Calls that
 * this plan made itself are no difference.
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
