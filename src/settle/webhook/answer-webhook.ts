import { limitWork } from '../../base/lists.ts';
import { formatMoney } from '../../base/money.ts';
import type { LedgerEntry, Terms } from '../../store/ledger/ledger.ts';
import { type PaymentResult, pauseBeforeRepeat, payReward, type UnpaidCause } from '../flow/pay-reward.ts';
import { createPayerPause } from '../flow/payer-pause.ts';
import { recoverReward } from '../flow/recover-rewards.ts';
import { findSameReceipt } from '../flow/settle-reward.ts';
import type { Settlement } from '../flow/settlement.ts';
import { observeReward } from '../flow/sync-queued.ts';
import { isDecided } from '../rules/policy.ts';
import { areSameTerms, type RewardTerms, termsInWords } from '../rules/reward-terms.ts';
import { recordReport } from '../rules/transitions.ts';
import { claimedAmount, verifyCall, type WebhookReward } from './verify-webhook.ts';

/** The response to the service (API 6): 2xx means that the reward is paid, anything else that it is not paid. */
interface WebhookAnswer {
  readonly status: 200 | 422 | 503;
  /** The service keeps this text for 14 days; never name our caps, payer or internal reasons in it. */
  readonly message: string;
  /** Additional text for the log. */
  readonly detail?: string;
}

export type WebhookAnswers = ReturnType<typeof createWebhookAnswers>;

interface WebhookOptions {
  /** The number of rewards paid concurrently. */
  readonly concurrency: number;
  /** Called with every error that prevents a regular response. */
  readonly onTrouble: (error: unknown) => void;
}

/** The longest wait of a call for its turn, and its longest total time, in milliseconds. The service waits for 10 s. */
const turnMs = 8_000;
const answerMs = 9_500;
/** The number of rewards that may wait for their turn. */
const waitingMaximum = 256;

const notNow = (message: string): WebhookAnswer => ({ status: 503, message });
const busy = notNow('busy with other payments; not paid');
const stopped = notNow('shutting down; not paid');
const tooLate = notNow('not verified in time; not paid');
const late = notNow('still processing this payment; its outcome will be reported');
const paused = notNow('the payer is out of order; not paid');
const inDoubt = notNow('its payment is in doubt; a person will check it');
const broken = notNow('an internal error; its outcome will be reported');

/** The reason that ends a pause. Without a reason, each abort would record a stack trace. */
const isOver = 'over';

/** A response, and the decided reward if it is not yet reported. */
type Answered = WebhookAnswer & { readonly unreported?: LedgerEntry };

/** Answers webhook calls before the service times out. */
export function createWebhookAnswers(settlement: Settlement, { concurrency, onTrouble }: WebhookOptions) {
  const { clock, ledger, run, refusedStatus } = settlement;
  const inTurn = createTurns(settlement, concurrency);
  const pause = createPayerPause(clock);
  const pay = createPayer(settlement, pause);
  const underWay = new Map<string, Promise<Answered>>();
  const answering = new Set<Promise<WebhookAnswer>>();

  const work = async (reward: WebhookReward, arrivedMs: number): Promise<Answered> => {
    try {
      const known = await ledger.find(reward.value.id);
      if (known !== undefined && isDecided(known)) return await provedDecided(settlement, known, reward);
      const untilMs = arrivedMs + turnMs;
      return await inTurn(untilMs, () => pay(reward, untilMs));
    } catch (error) {
      onTrouble(error);
      return broken;
    }
  };

  /** The response is the report. It is recorded as sent before it leaves, and a later poll verifies it. */
  const noted = async ({ unreported, ...answer }: Answered): Promise<WebhookAnswer> => {
    if (unreported === undefined) return answer;
    const { rewardId, payment } = unreported;
    const status = payment === 'paid' ? 'SUCCESS' : refusedStatus;
    try {
      await ledger.change(rewardId, recordReport({ kind: 'sent', status }), { by: run });
      return answer;
    } catch (error) {
      onTrouble(error);
      return broken;
    }
  };

  return {
    /**
     * Pays the reward of a call, if the service itself shows it as waiting for this amount. Resolves with the response,
     * once the outcome is durable. Calls for the same reward get the same response. `arrivedMs` is read from the
     * monotonic clock. Never rejects.
     */
    answer: (reward: WebhookReward, arrivedMs = clock.monotonicMs()): Promise<WebhookAnswer> => {
      // The same reward with another amount or member is another call: at most one of them is right.
      const { id, amount, order } = reward.value;
      const name = JSON.stringify([id, amount, order?.memberOriginId]);
      const found = underWay.get(name) ?? work(reward, arrivedMs).finally(() => underWay.delete(name));
      underWay.set(name, found);
      const answered = orLate(found, arrivedMs + answerMs - clock.monotonicMs(), settlement)
        .then(noted)
        .finally(() => answering.delete(answered));
      answering.add(answered);
      return answered;
    },
    /** The reason why rewards cannot be paid, if any. */
    get trouble() {
      return pause.isBroken() ? 'the payer is out of order' : undefined;
    },
    /** Resolves when no payment is under way, including payments whose caller has disconnected. */
    idle: async () => {
      while (underWay.size + answering.size > 0) await Promise.all([...underWay.values(), ...answering]);
    },
  };
}

/** Creates a queue of turns. A call that gets no turn in time is rejected at once and never begins. */
function createTurns({ clock, stopping }: Settlement, concurrency: number) {
  const limited = limitWork(concurrency);
  let waiting = 0;
  return (untilMs: number, work: () => Promise<Answered>): Promise<Answered> => {
    if (waiting >= waitingMaximum) return Promise.resolve(busy);
    waiting += 1;
    return new Promise((resolve, reject) => {
      const patience = new AbortController();
      let hasLeft = false;
      clock.sleep(untilMs - clock.monotonicMs(), patience.signal).then(
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

/** The response, or `late` if it takes longer than the service waits. The work continues in either case. */
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

function createPayer(settlement: Settlement, pause: ReturnType<typeof createPayerPause>) {
  const payOnce = (reward: WebhookReward) =>
    payReward(settlement, { rewardId: reward.value.id }, async () => {
      await observeReward(settlement, reward.value.id, reward.sent);
    });
  /** The service may treat a 503 as final, so the first call to the payer is repeated while the service waits. */
  const payWhileWaiting = async (reward: WebhookReward, known: LedgerEntry | undefined, untilMs: number) => {
    const end = await payOnce(reward);
    const isLost = end.kind === 'unpaid' && end.cause === 'outcome-unknown' && known?.payment !== 'unknown';
    if (!isLost || settlement.clock.monotonicMs() > untilMs) return end;
    return (await pauseBeforeRepeat(settlement)) ? payOnce(reward) : end;
  };
  return async (reward: WebhookReward, untilMs: number): Promise<Answered> => {
    const rewardId = reward.value.id;
    const known = await settlement.ledger.find(rewardId);
    const rejection = await verifyCall(settlement, reward, known);
    if (rejection !== undefined) {
      return { ...rejection, status: 503, message: `not verified: ${rejection.message}; not paid` };
    }
    // The service is about to time out, and may act on "not paid".
    if (settlement.clock.monotonicMs() > untilMs) return tooLate;
    if (!pause.mayPay(rewardId, known)) return known?.payment === 'unknown' ? inDoubt : paused;
    const end = await payWhileWaiting(reward, known, untilMs);
    pause.note(rewardId, end);
    if (end.kind === 'decided' && end.isNew)
      return withReceipt(settlement, end.entry, decided(end.entry, reward));
    if (end.kind === 'decided') return provedDecided(settlement, end.entry, reward);
    const entry =
      end.cause === 'under-way' ? await decidedByOther(settlement, end.entry, untilMs) : undefined;
    return entry === undefined ? unpaid(end) : provedDecided(settlement, entry, reward);
  };
}

/** The messages to the service about undecided rewards. Only the reason of a policy hold is useful to it. */
const wordsOfCause = {
  held: undefined,
  drifted: undefined,
  'not-planned': undefined,
  contradictory: undefined,
  'above-cap': 'held: above the cap of one reward; not paid',
  capped: 'no room under a spending cap; not paid',
  // A restored ledger is frozen too, and may lack the record that this reward is paid.
  frozen: 'payments are frozen; its outcome will be reported',
  'under-way': 'another process is paying it; its outcome will be reported',
  'not-queued': 'the service no longer waits for it; not paid',
  'in-doubt': inDoubt.message,
  'outcome-unknown': inDoubt.message,
  retry: 'the payer could not accept it now; not paid',
  misconfigured: 'the payer is out of order; not paid',
} as const satisfies Record<UnpaidCause, string | undefined>;

function unpaid({ cause, reason }: Extract<PaymentResult, { readonly kind: 'unpaid' }>): WebhookAnswer {
  const words = wordsOfCause[cause];
  return words === undefined ? notNow(`held: ${reason}; not paid`) : { ...notNow(words), detail: reason };
}

/** The interval at which to read a reward that another process is paying, in milliseconds. */
const pollMs = 250;

/**
 * The entry once another process, or a program left running by it, has decided it; undefined if that takes too long or
 * requires a person.
 */
async function decidedByOther(
  settlement: Settlement,
  { rewardId, call }: LedgerEntry,
  untilMs: number,
): Promise<LedgerEntry | undefined> {
  const { ledger, clock, stopping } = settlement;
  if (call === null || call.leaseUntilMs === null) return undefined;
  while (clock.monotonicMs() + pollMs <= untilMs && !stopping.aborted) {
    await clock.sleep(pollMs);
    const found = await ledger.find(rewardId);
    if (found === undefined) return undefined;
    const { entry, underWay } = await recoverReward(settlement, found);
    if (isDecided(entry)) return entry;
    if (underWay === undefined) return undefined;
  }
  return undefined;
}

/**
 * Answers for a reward decided earlier or by another process.
 * @throws Failure('ledger') if this ledger is no longer the one in use: the decision may be in an outdated copy.
 */
async function provedDecided(
  { ledger }: Settlement,
  entry: LedgerEntry,
  reward: WebhookReward,
): Promise<Answered> {
  await ledger.fence();
  return decided(entry, reward);
}

function decided(entry: LedgerEntry, reward: WebhookReward): Answered {
  const { payment, report, terms, seen, reason } = entry;
  const { amount } = terms ?? seen;
  // A reward that a person recorded as paid before any run observed it has no amount to compare.
  if (amount !== null && claimedAmount(reward) !== amount) {
    const detail = `${payment}: ${formatMoney(amount)}`;
    return { ...notNow('not verified: another amount was decided on'), detail };
  }
  const other = terms === null ? undefined : otherTerms(entry, terms, reward);
  if (terms !== null && other !== undefined) {
    const detail = `${payment}: ${termsInWords(terms, other)}; now it is ${termsInWords(other, terms)}`;
    return { ...notNow('not verified: another member or order was decided on'), detail };
  }
  const unreported = report === 'pending' ? { unreported: entry } : {};
  if (payment === 'paid') return { status: 200, message: 'paid', ...unreported };
  return { status: 422, message: `refused: ${reason ?? 'the payer refused'}`, ...unreported };
}

/** The terms of the last observation, or of the call itself, if they differ from those decided. */
function otherTerms(
  { seen }: LedgerEntry,
  terms: Terms,
  { value, sent }: WebhookReward,
): RewardTerms | undefined {
  const memberOriginId = value.order?.memberOriginId ?? terms.memberOriginId;
  const called = { amount: terms.amount, memberOriginId, document: JSON.stringify(sent) };
  return [called, seen].find((shown) => !areSameTerms(terms, shown));
}

/** Adds an earlier payment with the same receipt to the log entry. A failed search does not change the answer. */
async function withReceipt(settlement: Settlement, entry: LedgerEntry, answer: Answered): Promise<Answered> {
  const same = await findSameReceipt(settlement, entry).catch(() => undefined);
  if (same === undefined || answer.detail !== undefined) return answer;
  return { ...answer, detail: `its receipt is ${same.ref}, as reward ${same.rewardId} has` };
}
