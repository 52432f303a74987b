import type { JsonObject } from '../base/json.ts';
import { formatMoney, type Money } from '../base/money.ts';
import { redactSecrets } from '../base/redact.ts';

/** One payment to make. A key always has the same amount, member and reward. */
export interface Payment {
  readonly rewardId: string;
  /** `rv1-…`, at most 44 characters of a-z, 2-7 and hyphens. */
  readonly key: string;
  readonly amount: Money;
  readonly memberOriginId: string;
  /** The Reward as the service showed it when the key was first used. */
  readonly reward: JsonObject;
  /** The number of this call for the reward, from 1. */
  readonly attempt: number;
}

/**
 * The meaning of a payer's answer. `paid` and `refused`: stated by the payer. `retry`: this call provably paid nothing.
 * `misconfigured`: it paid nothing because the payer rejected our credentials or endpoint, so all other calls would
 * fail too. `ambiguous`: anything else; it may have paid, or may still.
 */
export type PayerAnswer =
  | { readonly kind: 'paid'; readonly ref?: string; readonly message?: string }
  | { readonly kind: 'refused'; readonly message?: string }
  | { readonly kind: 'retry' | 'misconfigured' | 'ambiguous'; readonly message: string };

/** The payer's own statement, with its receipt. */
type Paid = Extract<PayerAnswer, { readonly kind: 'paid' }>;

/** The outcome of a call whose process is gone, from the records of the call. */
export type RecoveredOutcome =
  | Extract<PayerAnswer, { readonly kind: 'paid' | 'refused' }>
  /** It answered for another payment. */
  | { readonly kind: 'ambiguous'; readonly message: string }
  /** The payer's program is still running: the next step has to wait. */
  | { readonly kind: 'running'; readonly message: string }
  /** Its program has ended, and left no outcome. */
  | { readonly kind: 'ended' }
  /** This machine has no record of the call. */
  | { readonly kind: 'none' };

/** True if a payer, by its name in the ledger, is a program. Only programs leave call records. */
export function isProgram(name: string | null): boolean {
  return name?.startsWith('exec ') === true;
}

/** The result of a lookup in the payer's books. */
export type LookupAnswer =
  | Paid
  | { readonly kind: 'not-found' }
  /** The books could not be read, or gave no clear answer. */
  | { readonly kind: 'undecided'; readonly message: string };

/** The promises that the operator has declared for a payer. */
export interface PayerCapabilities {
  /**
   * The payer's name in the ledger, without secrets. Another name means another payer, which does not know this one's
   * keys.
   */
  readonly name: string;
  /**
   * The time for which a key is honoured after its first call: the same key pays at most once. Null if keys are not
   * honoured.
   */
  readonly idempotentForMs: number | null;
  /** True if a repeated key gets the response to its first call, including refusals. */
  readonly replaysResponse: boolean;
  /** The time after the last call during which the payer's books may still lack a payment. */
  readonly lookupDelayMs: number;
}

/**
 * Moves the money. A call may be repeated with the same key only if `capabilities` allow it. A call ends within
 * `timeoutMs` of its start; a later outcome is recovered from its records. No method throws for anything that a payer
 * does or answers.
 */
export interface Payer {
  readonly capabilities: PayerCapabilities;
  /** The maximum time of one call, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Calls the payer once. Call this only after the intent is durable. `mayLeave` is called in the last instant before
   * the payment leaves this process. If it returns false, nothing leaves, and the answer is `retry`.
   */
  pay(payment: Payment, mayLeave?: () => boolean): Promise<PayerAnswer>;
  /** The outcome of the call `payment.attempt`, from its records. May be read any number of times. */
  recoveredOutcome(payment: Payment): Promise<RecoveredOutcome>;
  /** Removes the records of all calls with a key. Call this once the last outcome is durable in the ledger. */
  forget(key: string): Promise<void>;
  /** Looks up a payment in the payer's books; undefined if no lookup is set up. */
  readonly lookUp: ((payment: Payment) => Promise<LookupAnswer>) | undefined;
  close(): Promise<void>;
}

/**
 * The input of every payer, as JSON on one line: the Reward with its documented fields at top level (API 2), its amount
 * as a number, and `key` and `memberOriginId`. The same key always gives the same bytes.
 */
export function paymentDocument({ reward, rewardId, key, amount, memberOriginId }: Payment): string {
  // An amount has at most 15 digits, so the number is exact.
  return JSON.stringify({
    ...reward,
    id: rewardId,
    amount: Number(formatMoney(amount)),
    key,
    memberOriginId,
  });
}

/** Redacts secrets in the message of an answer. Keeps the full receipt, because accounting relies on it. */
export function redacted<A extends { readonly message?: string }>(answer: A, secrets: Iterable<string>): A {
  return answer.message === undefined
    ? answer
    : { ...answer, message: redactSecrets(answer.message, secrets) };
}
