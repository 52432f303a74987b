import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { type JsonMoney, jsonMoney } from '../../base/money.ts';
import type { Random } from '../../base/random.ts';
import type { RewardStatus } from '../../contract/states.ts';
import type { Payer, Payment } from '../../payer/payer.ts';
import type { Ledger, LedgerEntry, PaymentState, ReportState } from '../../store/ledger/ledger.ts';
import type { PaymentPlan } from '../rules/payment-plan.ts';
import type { Policy } from '../rules/policy.ts';
import type { RewardService } from './reward-service.ts';

/** What every step of a settlement works with, whether a poll or a webhook set it going. */
export interface Settlement {
  readonly ledger: Ledger;
  readonly payer: Payer;
  readonly service: RewardService;
  readonly policy: Policy;
  /** Names this run, and its process, in events, budgets and claims. */
  readonly run: string;
  /** Whether the process of that run may still act; undefined where that cannot be known. */
  readonly isOwnerAlive: (owner: string) => Promise<boolean | undefined>;
  /** How the service is told that a reward was not paid (API 3). */
  readonly refusedStatus: Extract<RewardStatus, 'CANCELLED' | 'FAILURE'>;
  readonly clock: Clock;
  readonly random: Random;
  /** What alone is paid, where a plan is carried out. */
  readonly plan?: PaymentPlan;
  /** Aborted when no new payment is to be begun. */
  readonly stopping: AbortSignal;
}

/** What happened to the money of a reward. `open`: nothing yet, and a later run goes on. */
export type MoneyOutcome = 'paid' | 'refused' | 'held' | 'unknown' | 'open';

/** What became of one reward in one run. */
export interface RewardOutcome {
  readonly rewardId: string;
  /** Null where the reward carries no exact one. */
  readonly amount: JsonMoney | null;
  readonly memberOriginId: string | null;
  readonly outcome: MoneyOutcome;
  readonly report: ReportState;
  /** Null before a payment was begun. */
  readonly key: string | null;
  readonly ref?: string;
  readonly reason?: string;
}

/** The outcome that a state of the ledger is shown as; what is held is known to policy alone. */
const outcomeOfPayment = {
  intended: 'open',
  paying: 'open',
  paid: 'paid',
  refused: 'refused',
  unknown: 'unknown',
} as const satisfies Record<PaymentState, MoneyOutcome>;

/** The outcome of an entry as the ledger has it, or as `otherwise` overrides it. */
export function outcomeOf(
  { rewardId, payment, report, terms, seen, ref, reason }: LedgerEntry,
  otherwise: { readonly outcome?: MoneyOutcome; readonly reason?: string } = {},
): RewardOutcome {
  const amount = terms?.amount ?? seen.amount;
  const why = otherwise.reason ?? reason;
  return {
    rewardId,
    amount: jsonMoney(amount),
    memberOriginId: terms?.memberOriginId ?? seen.memberOriginId,
    outcome: otherwise.outcome ?? outcomeOfPayment[payment],
    report,
    key: terms?.key ?? null,
    ...(ref === null ? {} : { ref }),
    ...(why === null ? {} : { reason: why }),
  };
}

/** The payment an entry stands for, once it has terms. */
export function paymentOf({ rewardId, terms, attempt }: LedgerEntry): Payment {
  if (terms === null) throw new Error(`reward ${rewardId} has no terms`);
  const { key, amount, memberOriginId, document } = terms;
  return { rewardId, key, amount, memberOriginId, reward: JSON.parse(document) as JsonObject, attempt };
}
