import { formatMoney } from '../../src/base/money.ts';
import type { Payer, PayerAnswer, Payment, RecoveredOutcome } from '../../src/payer/payer.ts';
import type { LogLine } from '../campaign/settlement-logs.ts';

/**
 * The payer's handling of the first call for a reward. It pays later calls, unless the reward is refused for good.
 * `ambiguous` pays and loses the answer, `unpaid` loses the call, `late` answers before the money moves, `slow` works
 * long after its caller was killed.
 */
export const payerHabits = ['paid', 'refused', 'retry', 'ambiguous', 'unpaid', 'late', 'slow'] as const;
export type PayerHabit = (typeof payerHabits)[number];

export interface LoggedPayerOptions {
  /** A program leaves evidence of its answer; a service does not. */
  readonly kind: 'exec' | 'http';
  /** True if it honours keys, and repeats its answer to a known key. */
  readonly isIdempotent: boolean;
  readonly habitOf: (rewardId: string) => PayerHabit;
  readonly write: (line: LogLine) => void;
  readonly now: () => number;
}

/** A payer with its own books. It outlives a killed caller. */
export interface LoggedPayer {
  /**
   * The payer for one process. `step` runs before a call leaves, after a completed call before its answer, and before
   * evidence is removed.
   */
  open(step: () => void): Payer;
  /** Finishes late and slow payments. */
  land(): void;
}

const dayMs = 86_400_000;
const lost: PayerAnswer = { kind: 'ambiguous', message: 'the answer was lost' };

export function loggedPayer(options: LoggedPayerOptions): LoggedPayer {
  const { kind, isIdempotent } = options;
  const books = openBooks(options);
  return {
    land: books.land,
    open: (step) => ({
      capabilities: {
        name: kind,
        idempotentForMs: isIdempotent ? dayMs : null,
        replaysResponse: isIdempotent,
        lookupDelayMs: dayMs,
      },
      timeoutMs: 30_000,
      pay: async (payment) => {
        step();
        const answer = books.work(payment);
        step();
        return answer();
      },
      recoveredOutcome: async (payment) =>
        (kind === 'exec' ? books.evidence.get(nameOf(payment)) : undefined) ?? { kind: 'none' },
      forget: async (key) => {
        step();
        for (const name of books.evidence.keys()) if (name.startsWith(`${key} `)) books.evidence.delete(name);
      },
      lookUp: undefined,
      close: async () => undefined,
    }),
  };
}

/** The payer's own work, independent of its caller. */
function openBooks({ isIdempotent, habitOf, write, now }: LoggedPayerOptions) {
  const called = new Set<string>();
  const paidKeys = new Set<string>();
  const evidence = new Map<string, RecoveredOutcome>();
  const unfinished: (() => void)[] = [];
  const log = (what: string, { key, amount, memberOriginId, rewardId }: Payment, more: object = {}) =>
    write({
      what,
      key,
      amount: formatMoney(amount),
      member: memberOriginId,
      reward: rewardId,
      at: now(),
      ...more,
    });

  const land = () => {
    for (const end of unfinished.splice(0)) end();
  };
  const move = (payment: Payment) => {
    if (isIdempotent && paidKeys.has(payment.key)) return;
    paidKeys.add(payment.key);
    log('EFFECT', payment);
  };
  const say = (payment: Payment, answer: PayerAnswer): PayerAnswer => {
    log('ANSWER', payment, { outcome: answer.kind });
    if (answer.kind === 'paid' || answer.kind === 'refused') evidence.set(nameOf(payment), answer);
    return answer;
  };
  const pay = (payment: Payment): PayerAnswer => {
    move(payment);
    return say(payment, { kind: 'paid', ref: `receipt-${payment.key}` });
  };

  /** Processes a call; the result gives the answer to a caller that waits. */
  const work = (payment: Payment): (() => PayerAnswer) => {
    const habit = habitOf(payment.rewardId);
    const isFirst = !called.has(payment.rewardId);
    called.add(payment.rewardId);
    log('CALL', payment);
    const heard = (answer: PayerAnswer) => () => answer;
    if (habit === 'refused') return heard(say(payment, { kind: 'refused', message: 'no such member' }));
    if (!isFirst) return heard(pay(payment));
    switch (habit) {
      case 'paid':
        return heard(pay(payment));
      case 'retry':
        return heard(say(payment, { kind: 'retry', message: 'come back later' }));
      case 'ambiguous':
        move(payment);
        return heard(lost);
      case 'unpaid':
        return heard(lost);
      case 'late':
        unfinished.push(() => move(payment));
        return heard(lost);
      case 'slow': {
        evidence.set(nameOf(payment), { kind: 'running', message: 'it is at work' });
        let answer = lost;
        unfinished.push(() => {
          answer = pay(payment);
        });
        return () => {
          land();
          return answer;
        };
      }
    }
  };
  return { evidence, work, land };
}

function nameOf({ key, attempt }: Payment): string {
  return `${key} ${attempt}`;
}
