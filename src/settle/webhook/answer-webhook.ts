import { limitWork } from '../../base/lists.ts';
import { formatMoney } from '../../base/money.ts';
import type { LedgerEntry, Terms } from '../../store/ledger/ledger.ts';
import { type PaymentResult, pauseBeforeRepeat, payReward, type UnpaidCause } from '../flow/pay-reward.ts';
import { createPayerPause } from '../flow/payer-pause.ts';
import { recoverReward } from '../flow/recover-rewards.ts';
import type { Settlement } from '../flow/settlement.ts';
import { seeReward } from '../flow/sync-queued.ts';
import { areSameTerms, type RewardTerms, termsInWords } from '../rules/reward-terms.ts';
import { recordReport } from '../rules/transitions.ts';
import { claimedAmount, createVerify, type WebhookReward } from './verify-webhook.ts';

/** What the service is answered (API 6): 2xx means the reward is paid, anything else that it is not. */
export interface WebhookAnswer {
  readonly status: 200 | 422 | 503;
  /** Kept by the service for 14 days, so it says nothing of our caps, payer or reasons that the service need not know. */
  readonly message: string;
  /** What the log tells besides. */
  readonly detail?: string;
}

export interface WebhookAnswers {
  /**
   * Pays the reward of a call that arrived at `arrivedMs`, or just now, if the service itself says that it waits for this amount, and answers what became of it.
   * The same reward again gets the same answer; the outcome is durable before this resolves. Never rejects.
   */
  answer(reward: WebhookReward, arrivedMs?: number): Promise<WebhookAnswer>;
  /** What keeps rewards from being paid; undefined while nothing does. */
  readonly trouble: string | undefined;
  /** Resolves when nothing is under way any more, payments whose caller is gone included. */
  idle(): Promise<void>;
}

export interface WebhookOptions {
  /** Rewards paid at once. */
  readonly concurrency: number;
  /** Told of everything that kept a call from being answered as it should be. */
  readonly onTrouble: (error: unknown) => void;
}

/** How long a call may wait for its turn, and how long it may take in all, in milliseconds; the service waits for 10 s. */
const turnMs = 8_000;
const answerMs = 9_500;
/** Rewards that may wait for their turn. */
const waitingMaximum = 256;

const busy: WebhookAnswer = { status: 503, message: 'busy with other payments; not paid' };
const stopped: WebhookAnswer = { status: 503, message: 'about to stop; not paid' };
const tooLate: WebhookAnswer = { status: 503, message: 'not verified in time; not paid' };
const late: WebhookAnswer = {
  status: 503,
  message: 'still at work on this payment; its outcome will be reported',
};
const paused: WebhookAnswer = { status: 503, message: 'the payer is out of order; not paid' };
const inDoubt: WebhookAnswer = { status: 503, message: 'unknown whether it is paid; a person will look' };
const broken: WebhookAnswer = { status: 503, message: 'an inner failure; its outcome will be reported' };

/** Why a pause is ended; without a reason each would have a stack trace made for it. */
const isOver = 'over';

/** What is to be answered, and the decided reward the service does not know of yet. */
type Answered = WebhookAnswer & { readonly unreported?: LedgerEntry };

/** Answers calls of the webhook, each in the time the service waits. */
export function createWebhookAnswers(
  settlement: Settlement,
  { concurrency, onTrouble }: WebhookOptions,
): WebhookAnswers {
  const { clock, ledger } = settlement;
  const inTurn = createTurns(settlement, concurrency);
  const called = createPayCalled(settlement);
  const underWay = new Map<string, Promise<Answered>>();
  const answering = new Set<Promise<WebhookAnswer>>();

  const work = async (reward: WebhookReward, arrivedMs: number): Promise<Answered> => {
    try {
      const known = await ledger.find(reward.value.id);
      if (known !== undefined && isDecided(known)) return decided(known, reward);
      const untilMs = arrivedMs + turnMs;
      return await inTurn(untilMs, () => called.pay(reward, untilMs));
    } catch (error) {
      onTrouble(error);
      return broken;
    }
  };

  /** Answering is telling: it is noted before the answer leaves, and proven by a later poll. */
  const noted = async ({ unreported, ...answer }: Answered): Promise<WebhookAnswer> => {
    try {
      if (unreported !== undefined) await recordSent(settlement, unreported);
      return answer;
    } catch (error) {
      onTrouble(error);
      return broken;
    }
  };

  return {
    answer: (reward, arrivedMs = clock.now()) => {
      // The same reward with another amount or member is another call: at most one of them can be true.
      const { id, amount = null, order } = reward.value;
      const name = JSON.stringify([id, amount, order?.memberOriginId ?? null]);
      const found = underWay.get(name) ?? work(reward, arrivedMs).finally(() => underWay.delete(name));
      underWay.set(name, found);
      const answered = orLate(found, arrivedMs + answerMs - clock.now(), settlement)
        .then(noted)
        .finally(() => answering.delete(answered));
      answering.add(answered);
      return answered;
    },
    get trouble() {
      return called.isPayerBroken ? 'the payer is out of order' : undefined;
    },
    idle: async () => {
      while (underWay.size + answering.size > 0) await Promise.all([...underWay.values(), ...answering]);
    },
  };
}

/** Whoever does not get a turn in time is told so at once, and is never begun. */
function createTurns({ clock, stopping }: Settlement, concurrency: number) {
  const limited = limitWork(concurrency);
  let waiting = 0;
  return (untilMs: number, work: () => Promise<Answered>): Promise<Answered> => {
    if (waiting >= waitingMaximum) return Promise.resolve(busy);
    waiting += 1;
    return new Promise((resolve, reject) => {
      const patience = new AbortController();
      let hasLeft = false;
      clock.sleep(untilMs - clock.now(), patience.signal).then(
        () => {
          hasLeft = true;
          resolve(busy);
        },
        () => undefined,
      );
      limited(async () => {
        waiting -= 1;
        patience.abort(isOver);
        if (!hasLeft) resolve(stopping.aborted ? stopped : await work());
      }).catch(reject);
    });
  };
}

/** The answer, or that it takes longer than the service waits; the work goes on all the same. */
async function orLate(answer: Promise<Answered>, ms: number, { clock }: Settlement): Promise<Answered> {
  const answered = new AbortController();
  const timeout = clock.sleep(ms, answered.signal).then(
    () => late,
    () => late,
  );
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    answered.abort(isOver);
  }
}

function createPayCalled(settlement: Settlement) {
  const verify = createVerify(settlement);
  const payer = createPayerPause(settlement.clock);
  const payOnce = (reward: WebhookReward) =>
    payReward(settlement, reward.value.id, async () => {
      await seeReward(settlement, reward.value.id, reward.sent);
    });
  /** Whoever called may take a 503 for the end of the reward, so its first call is repeated while they wait. */
  const payWhileWaiting = async (reward: WebhookReward, known: LedgerEntry | undefined, untilMs: number) => {
    const end = await payOnce(reward);
    const isLost = end.kind === 'unpaid' && end.cause === 'outcome-unknown' && known?.payment !== 'unknown';
    if (!isLost || settlement.clock.now() > untilMs) return end;
    return (await pauseBeforeRepeat(settlement)) ? payOnce(reward) : end;
  };
  return {
    pay: async (reward: WebhookReward, untilMs: number): Promise<Answered> => {
      const rewardId = reward.value.id;
      const known = await settlement.ledger.find(rewardId);
      const doubt = await verify(reward, known);
      if (doubt !== undefined) {
        return { ...doubt, status: 503, message: `not verified: ${doubt.message}; not paid` };
      }
      // Whoever called is about to be told that it is not paid, and may act on that.
      if (settlement.clock.now() > untilMs) return tooLate;
      if (!payer.mayPay(rewardId, known)) return known?.payment === 'unknown' ? inDoubt : paused;
      const end = await payWhileWaiting(reward, known, untilMs);
      payer.note(rewardId, end);
      if (end.kind === 'decided') return decided(end.entry, reward);
      const entry =
        end.cause === 'under-way' ? await decidedByOther(settlement, end.entry, untilMs) : undefined;
      return entry === undefined ? unpaid(end) : decided(entry, reward);
    },
    get isPayerBroken() {
      return payer.isBroken;
    },
  };
}

function isDecided({ payment }: LedgerEntry): boolean {
  return payment === 'paid' || payment === 'refused';
}

/** What the service is told of a reward that is not decided; only policy's reason to hold it is of use there. */
const wordsOfCause = {
  held: undefined,
  drifted: undefined,
  'not-planned': undefined,
  contradictory: undefined,
  capped: 'no room under a spending cap; not paid',
  // A ledger that was restored is frozen, too, and may have lost that it is paid.
  frozen: 'payments are frozen; its outcome will be reported',
  'under-way': 'another process is at work on it; its outcome will be reported',
  'not-queued': 'the service does not wait for it any more; not paid',
  'in-doubt': inDoubt.message,
  'outcome-unknown': inDoubt.message,
  retry: 'the payer could not take it now; not paid',
  misconfigured: 'the payer is out of order; not paid',
} as const satisfies Record<UnpaidCause, string | undefined>;

function unpaid({ cause, reason }: Extract<PaymentResult, { readonly kind: 'unpaid' }>): WebhookAnswer {
  const words = wordsOfCause[cause];
  if (words === undefined) return { status: 503, message: `held: ${reason}; not paid` };
  return { status: 503, message: words, detail: reason };
}

/** How often a reward that another process is paying is looked at, in milliseconds. */
const lookMs = 250;

/** The entry once another process, or the payer it left behind, has decided it; undefined where that takes too long, or is up to a person. */
async function decidedByOther(
  settlement: Settlement,
  { rewardId, call }: LedgerEntry,
  untilMs: number,
): Promise<LedgerEntry | undefined> {
  const { ledger, clock, stopping } = settlement;
  if (call === null || call.leaseUntilMs === null) return undefined;
  while (clock.now() + lookMs <= untilMs && !stopping.aborted) {
    await clock.sleep(lookMs);
    const found = await ledger.find(rewardId);
    if (found === undefined) return undefined;
    const { entry, underWay } = await recoverReward(settlement, found);
    if (isDecided(entry)) return entry;
    if (underWay === undefined) return undefined;
  }
  return undefined;
}

function decided(entry: LedgerEntry, reward: WebhookReward): Answered {
  const { payment, report, terms, seen, reason } = entry;
  const amount = terms?.amount ?? seen.amount;
  // What a person noted as paid before any run saw it has no amount that a call could differ from.
  if (amount !== null && claimedAmount(reward) !== amount) {
    return {
      status: 503,
      message: 'not verified: another amount was decided on',
      detail: `${payment}: ${formatMoney(amount)}`,
    };
  }
  const other = terms === null ? undefined : otherTerms(entry, terms, reward);
  if (terms !== null && other !== undefined) {
    return {
      status: 503,
      message: 'not verified: another member or order was decided on',
      detail: `${payment}: ${termsInWords(terms, other)}; now it is ${termsInWords(other, terms)}`,
    };
  }
  const unreported = report === 'pending' ? { unreported: entry } : {};
  if (payment === 'paid') return { status: 200, message: 'paid', ...unreported };
  return { status: 422, message: `refused: ${reason ?? 'the payer refused'}`, ...unreported };
}

/** What the service was last seen to show, or the call itself names, otherwise than it was decided on. */
function otherTerms(
  { seen }: LedgerEntry,
  terms: Terms,
  { value, sent }: WebhookReward,
): RewardTerms | undefined {
  const memberOriginId = value.order?.memberOriginId ?? terms.memberOriginId;
  const called = { amount: terms.amount, memberOriginId, document: JSON.stringify(sent) };
  return [called, seen].find((shown) => !areSameTerms(terms, shown));
}

async function recordSent(
  { ledger, run, refusedStatus }: Settlement,
  { rewardId, payment }: LedgerEntry,
): Promise<void> {
  const status = payment === 'paid' ? 'SUCCESS' : refusedStatus;
  await ledger.change(rewardId, recordReport({ kind: 'sent', status }), { by: run });
}
