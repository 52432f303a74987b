import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { flatten } from '../../base/lists.ts';
import { type JsonMoney, jsonMoney } from '../../base/money.ts';
import type { Random } from '../../base/random.ts';
import type { RewardStatus } from '../../contract/states.ts';
import type { Payer, Payment } from '../../payer/payer.ts';
import type {
  EventKind,
  Ledger,
  LedgerEntry,
  LedgerEvent,
  PaymentState,
  ReportState,
} from '../../store/ledger/ledger.ts';
import type { PaymentPlan } from '../rules/plan-codec.ts';
import type { Policy } from '../rules/policy.ts';
import type { RewardService } from './reward-service.ts';

/** The context of every step of a settlement, for polls and webhooks alike. */
export interface Settlement {
  readonly ledger: Ledger;
  readonly payer: Payer;
  readonly service: RewardService;
  readonly policy: Policy;
  /** Names this run and its process in events, budgets and claims. */
  readonly run: string;
  /** The start of this run, after it had waited for others. */
  readonly beganMs: number;
  /** Resolves with true if the process of that run may still act; undefined if that cannot be determined. */
  readonly isOwnerAlive: (owner: string) => Promise<boolean | undefined>;
  /**
   * True if other machines use the ledger too: their payers cannot be observed from here. Absent for a ledger that only
   * this machine uses.
   */
  readonly isShared?: boolean;
  /** The time after a claim within which its call may leave, in milliseconds. Later, the reward is claimed again. */
  readonly claimLeaseMs: number;
  /** The status that reports an unpaid reward to the service (API 3). */
  readonly refusedStatus: Extract<RewardStatus, 'CANCELLED' | 'FAILURE'>;
  readonly clock: Clock;
  readonly random: Random;
  /** The plan of this run; only its payments are made. */
  readonly plan?: PaymentPlan;
  /** Aborted when no new payment may begin. */
  readonly stopping: AbortSignal;
}

/** The state of a payment. `waiting`: nothing has happened yet, and a later run continues. */
export type MoneyOutcome = 'paid' | 'refused' | 'held' | 'unknown' | 'waiting';

/** The outcome of one reward in one run. */
export interface RewardOutcome {
  readonly rewardId: string;
  /** Null if the reward has no exact amount. */
  readonly amount: JsonMoney | null;
  readonly memberOriginId: string | null;
  readonly outcome: MoneyOutcome;
  readonly report: ReportState;
  /** Null before a payment was begun. */
  readonly key: string | null;
  readonly ref?: string;
  readonly reason?: string;
}

/** The outcome shown for each state of the ledger. Only policy knows which rewards are held. */
const outcomeOfPayment = {
  intended: 'waiting',
  paying: 'waiting',
  paid: 'paid',
  refused: 'refused',
  unknown: 'unknown',
} as const satisfies Record<PaymentState, MoneyOutcome>;

/** The outcome of an entry: its state in the ledger, unless overridden by `otherwise`. */
export function rewardOutcome(
  { rewardId, payment, report, terms, seen, ref, reason }: LedgerEntry,
  otherwise: { readonly outcome?: MoneyOutcome; readonly reason?: string } = {},
): RewardOutcome {
  const { amount, memberOriginId } = terms ?? seen;
  const why = otherwise.reason ?? reason;
  return {
    rewardId,
    amount: jsonMoney(amount),
    memberOriginId,
    outcome: otherwise.outcome ?? outcomeOfPayment[payment],
    report,
    key: terms?.key ?? null,
    ...(ref === null ? {} : { ref }),
    ...(why === null ? {} : { reason: why }),
  };
}

/** The last event of these kinds for a reward. */
export async function lastEventOf(
  ledger: Pick<Ledger, 'events'>,
  rewardId: string,
  kinds: readonly EventKind[],
): Promise<LedgerEvent | undefined> {
  let last: LedgerEvent | undefined;
  for await (const event of flatten(ledger.events(rewardId))) if (kinds.includes(event.kind)) last = event;
  return last;
}

/** True if a person accepted the difference between service and ledger, and the service has not changed since. */
export async function isAcceptedAsShown(
  ledger: Pick<Ledger, 'events'>,
  { rewardId, report }: Pick<LedgerEntry, 'rewardId' | 'report'>,
): Promise<boolean> {
  if (report !== 'confirmed') return false;
  const last = await lastEventOf(ledger, rewardId, ['reported', 'seen']);
  return last?.detail['accepted'] !== undefined;
}

/** The payment of an entry that has terms. */
export function paymentOf({ rewardId, terms, attempt }: LedgerEntry): Payment {
  if (terms === null) throw new Error(`reward ${rewardId} has no terms`);
  const { key, amount, memberOriginId, document } = terms;
  return { rewardId, key, amount, memberOriginId, reward: JSON.parse(document) as JsonObject, attempt };
}
