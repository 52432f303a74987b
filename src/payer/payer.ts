import type { JsonObject } from '../base/json.ts';
import type { Money } from '../base/money.ts';

/** One payment to make; the same key always comes with the same amount, member and reward. */
export interface Payment {
  readonly rewardId: string;
  /** `rv1-…`, at most 44 characters of a-z, 2-7 and hyphens. */
  readonly key: string;
  readonly amount: Money;
  readonly memberOriginId: string;
  /** The Reward as the service showed it when the key was first used. */
  readonly reward: JsonObject;
  /** Which call for this reward it is, from 1. */
  readonly attempt: number;
}

/**
 * What an answer of the payer means.
 * `paid` and `refused` must have been asserted by the payer. `retry`: this call provably paid nothing. `misconfigured`: it paid nothing because the payer
 * does not know us, so no other call will fare better. `ambiguous`: anything else; it may have paid, or may still.
 */
export type PayerAnswer =
  | { readonly kind: 'paid'; readonly ref?: string; readonly message?: string }
  | { readonly kind: 'refused'; readonly message?: string }
  | { readonly kind: 'retry'; readonly message: string }
  | { readonly kind: 'misconfigured'; readonly message: string }
  | { readonly kind: 'ambiguous'; readonly message: string };

/** What a payer left behind of a call whose process is gone. */
export type RecoveredOutcome =
  | Extract<PayerAnswer, { readonly kind: 'paid' | 'refused' }>
  /** The payer of that call is still at work: whatever comes next must wait. */
  | { readonly kind: 'running'; readonly message: string }
  | { readonly kind: 'none' };

/** What a look at the payer's books tells of a key. */
export type LookupAnswer =
  | { readonly kind: 'paid'; readonly ref?: string; readonly message?: string }
  | { readonly kind: 'not-found' }
  /** The books could not be read, or did not say. */
  | { readonly kind: 'undecided'; readonly message: string };

/** What a payer is declared to promise. */
export interface PayerCapabilities {
  /** What the ledger calls the payer, without secrets; another name is another payer, which knows nothing of this one's keys. */
  readonly name: string;
  /** For how long after the first call a key is honoured: the same key pays at most once. Null: keys are not honoured. */
  readonly idempotentForMs: number | null;
  /** Whether the answer to a repeated key is the answer to its first call, refusals included. */
  readonly replaysResponse: boolean;
  /** For how long after the last call the payer's books may not show a payment yet. */
  readonly lookupDelayMs: number;
}

/**
 * Whoever moves the money. A call may be made again with the same key only where `capabilities` allow it. A call ends within `timeoutMs` of its
 * beginning, one way or the other; what comes later is evidence. No method throws for what a payer does or answers.
 */
export interface Payer {
  readonly capabilities: PayerCapabilities;
  /** The longest one call takes, in milliseconds. */
  readonly timeoutMs: number;
  /** Moves the money, or does not: once for each call of this, which is made only after the intent is durable. */
  pay(payment: Payment): Promise<PayerAnswer>;
  /** What remains of an earlier call; may be asked any number of times. */
  recoveredOutcome(key: string, attempt: number): Promise<RecoveredOutcome>;
  /** Lets go of what remains of every call under a key; to be called once the ledger durably holds what came of the last one. */
  forget(key: string): Promise<void>;
  /** Looks a payment up in the payer's books; undefined where no lookup is set up. */
  readonly lookUp: ((payment: Payment) => Promise<LookupAnswer>) | undefined;
  close(): Promise<void>;
}
