import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { formatMoney, type Money } from '../../base/money.ts';
import type { Observation } from '../../store/ledger/ledger.ts';

/** The terms of a payment, as the ledger stores them or the service shows them. */
export interface RewardTerms {
  readonly amount: Money | null;
  readonly memberOriginId: string | null;
  /** The JSON text of the Reward, which includes its order. */
  readonly document: string;
}

/**
 * True if both are the same amount to the same member for the same order. An order named by only one of them does not
 * count as a difference.
 */
export function areSameTerms(one: RewardTerms, other: RewardTerms): boolean {
  return (
    one.amount === other.amount &&
    one.memberOriginId === other.memberOriginId &&
    differentOrders(one, other) === undefined
  );
}

/** True if the order names a member, readable or not. */
export function namesMember(terms: Pick<RewardTerms, 'document'>): boolean {
  const name = orderOf(terms)['memberOriginId'] ?? '';
  return typeof name !== 'string' || name.trim() !== '';
}

/** `500 to M1`, and `500 to M1 for order O1` if its order differs from that of `other`. */
export function termsInWords(terms: RewardTerms, other: RewardTerms): string {
  const { amount, memberOriginId } = terms;
  const order = differentOrders(terms, other);
  const words = `${amount === null ? 'no exact amount' : formatMoney(amount)} to ${memberOriginId ?? 'no member'}`;
  return order === undefined ? words : `${words} for order ${order}`;
}

const orderNames = ['originId', 'id'] as const;

/** The order of `one`, if that of `other` differs. */
function differentOrders(one: RewardTerms, other: RewardTerms): string | undefined {
  if (one.document === other.document) return undefined;
  const [ours, theirs] = [orderOf(one), orderOf(other)];
  const name = orderNames.find(
    (known) => isNamed(ours[known]) && isNamed(theirs[known]) && ours[known] !== theirs[known],
  );
  const written = name === undefined ? undefined : ours[name];
  return typeof written === 'string' ? written : JSON.stringify(written);
}

function isNamed(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

function orderOf({ document }: Pick<RewardTerms, 'document'>): JsonObject {
  const reward = JSON.parse(document) as Json;
  const order = isJsonObject(reward) ? reward['order'] : undefined;
  return isJsonObject(order) ? order : {};
}

/*
 * If a list shows one reward several times with different terms, the owed amount is unknown. Such an observation has no
 * amount and no member, and its document is the JSON list of all documents shown.
 */

/** Joins two observations from one list: the later one, unless their terms differ. */
export function joinedObservation(earlier: Observation, later: Observation): Observation {
  if (isContradictory(earlier)) return { ...earlier, atMs: later.atMs, run: later.run };
  if (areSameTerms(earlier, later)) return later;
  const document = `[${earlier.document},${later.document}]`;
  return { ...later, amount: null, memberOriginId: null, document };
}

export function isContradictory({ document }: Pick<Observation, 'document'>): boolean {
  return document.startsWith('[');
}

/** The reason why a contradictory reward is neither paid nor reported. */
export const contradiction = 'the service lists it more than once, with different terms';
