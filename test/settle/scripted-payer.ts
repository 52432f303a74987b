import type { LookupAnswer, Payer, PayerAnswer, PayerCapabilities, Payment } from '../../src/payer/payer.ts';

/** The payer's handling of one call: whether it moves money, and the answer. */
export interface CallScript {
  readonly isEffective: boolean;
  readonly answer: PayerAnswer;
}

export interface ScriptedPayer extends Payer {
  readonly calls: readonly Payment[];
  /** Number of payments by reward. */
  readonly effects: ReadonlyMap<string, number>;
  /** The highest number of concurrent calls. */
  readonly widest: number;
}

export const pays: CallScript = { isEffective: true, answer: { kind: 'paid' } };
export const losesAnswer: CallScript = {
  isEffective: true,
  answer: { kind: 'ambiguous', message: 'the answer was lost' },
};
export const refuses: CallScript = {
  isEffective: false,
  answer: { kind: 'refused', message: 'no such member' },
};
export const isGone: CallScript = {
  isEffective: false,
  answer: { kind: 'retry', message: 'connection refused' },
};

/**
 * A payer in process that follows `script`. If it honours keys, it moves money once per key, and answers a repeated key
 * with a receipt.
 */
export function scriptedPayer({
  script = () => pays,
  capabilities = {},
  lookUp,
}: {
  readonly script?: (payment: Payment, call: number) => CallScript | Promise<CallScript>;
  readonly capabilities?: Partial<PayerCapabilities>;
  readonly lookUp?: (payment: Payment) => LookupAnswer;
}): ScriptedPayer {
  const calls: Payment[] = [];
  const effects = new Map<string, number>();
  const paidKeys = new Set<string>();
  const promises = {
    name: 'scripted',
    idempotentForMs: null,
    replaysResponse: false,
    lookupDelayMs: 0,
    ...capabilities,
  };
  let underWay = 0;
  const payer = {
    calls,
    effects,
    widest: 0,
    capabilities: promises,
    timeoutMs: 1_000,
    pay: async (payment: Payment): Promise<PayerAnswer> => {
      calls.push(payment);
      underWay += 1;
      payer.widest = Math.max(payer.widest, underWay);
      const { isEffective, answer } = await script(payment, calls.length);
      underWay -= 1;
      const isRepeated = promises.idempotentForMs !== null && paidKeys.has(payment.key);
      if (isRepeated) return { kind: 'paid', ref: `receipt-${payment.key}` };
      if (isEffective) {
        paidKeys.add(payment.key);
        effects.set(payment.rewardId, (effects.get(payment.rewardId) ?? 0) + 1);
      }
      return answer.kind === 'paid' ? { ref: `receipt-${payment.key}`, ...answer } : answer;
    },
    recoveredOutcome: async () => ({ kind: 'none' }) as const,
    forget: async () => undefined,
    lookUp: lookUp === undefined ? undefined : async (payment: Payment) => lookUp(payment),
    close: async () => undefined,
  };
  return payer;
}
