import type { JsonObject } from '../base/json.ts';
import { limitWork } from '../base/lists.ts';
import { formatMoney, type Money, parseMoney } from '../base/money.ts';
import { ServiceFailure } from '../client/service-failure.ts';
import type { Reward } from '../contract/resources.ts';
import type { LedgerEntry } from '../store/ledger.ts';
import { type PayEnd, payReward } from './pay-reward.ts';
import { seeReward } from './see-rewards.ts';
import type { Settlement } from './settlement.ts';
import { see, tell } from './transitions.ts';

/** What the service is answered (API 6): 2xx means the reward is paid, anything else that it is not. */
export interface WebhookAnswer {
  readonly status: 200 | 422 | 503;
  readonly message: string;
}

/** A reward as a call of the webhook carries it, read by the contract and as it was sent. */
export interface CalledReward {
  readonly value: Reward;
  readonly sent: JsonObject;
}

export interface WebhookAnswers {
  /**
   * Pays the reward of a call if the service itself says that it waits for this amount, and answers what became of it. The same reward again gets the same
   * answer; the outcome is durable before this resolves. Never rejects.
   */
  answer(reward: CalledReward): Promise<WebhookAnswer>;
  /** Resolves when nothing is under way any more, payments whose caller is gone included. */
  idle(): Promise<void>;
}

/** How long a call may wait for its turn, and how long it may take in all, in milliseconds; the service waits for 10 s. */
const turnMs = 8_000;
const answerMs = 9_500;

const busy: WebhookAnswer = { status: 503, message: 'busy with other payments; not paid' };
const late: WebhookAnswer = {
  status: 503,
  message: 'still at work on this payment; its outcome will be reported',
};

/** Answers calls of the webhook; `concurrency` rewards are paid at once. */
export function createWebhookAnswers(
  settlement: Settlement,
  { concurrency, onTrouble }: { readonly concurrency: number; readonly onTrouble: (error: unknown) => void },
): WebhookAnswers {
  const { clock } = settlement;
  const inTurn = limitWork(concurrency);
  const underWay = new Map<string, Promise<WebhookAnswer>>();

  const settle = (reward: CalledReward): Promise<WebhookAnswer> => {
    const askedMs = clock.now();
    return inTurn(async () => {
      if (clock.now() - askedMs > turnMs) return busy;
      return settleCalled(settlement, reward);
    }).catch((error: unknown) => {
      onTrouble(error);
      return { status: 503, message: 'not paid: an inner failure' };
    });
  };

  const answer = (reward: CalledReward) => {
    // The same reward with another amount is another call: at most one of them can be true.
    const name = JSON.stringify([reward.value.id, reward.value.amount ?? null]);
    const known = underWay.get(name);
    if (known !== undefined) return known;
    const work = settle(reward).finally(() => underWay.delete(name));
    underWay.set(name, work);
    return work;
  };

  return {
    answer: (reward) => inTime(settlement, answer(reward)),
    idle: async () => {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
  };
}

/** The answer, or that it takes longer than the service waits. */
async function inTime({ clock }: Settlement, answer: Promise<WebhookAnswer>): Promise<WebhookAnswer> {
  const answered = new AbortController();
  const timeout = clock.sleep(answerMs, answered.signal).then(
    () => late,
    () => late,
  );
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    answered.abort();
  }
}

async function settleCalled(settlement: Settlement, reward: CalledReward): Promise<WebhookAnswer> {
  const rewardId = reward.value.id;
  const claimed = reward.value.amount == null ? undefined : parseMoney(reward.value.amount);
  const known = await settlement.ledger.find(rewardId);
  if (known !== undefined && isDecided(known)) return decidedAnswer(settlement, known, claimed);
  const doubt = await verify(settlement, reward, claimed);
  if (doubt !== undefined) return { status: 503, message: `not verified: ${doubt}; not paid` };
  const end = await payReward(settlement, rewardId, async () => {
    await seeReward(settlement, rewardId, reward.sent);
  });
  return answerOf(settlement, end, claimed);
}

function isDecided({ pay }: LedgerEntry): boolean {
  return pay === 'paid' || pay === 'refused';
}

/** The call is not signed, so the service itself is asked. What it does not confirm changes nothing; undefined where it does. */
async function verify(
  settlement: Settlement,
  { value, sent }: CalledReward,
  claimed: Money | undefined,
): Promise<string | undefined> {
  try {
    const shown = await settlement.service.find(value.id, sent);
    if (shown === undefined) return 'the service shows no such reward';
    const { status, amount } = shown.seen;
    if (status !== 'QUEUED') return `the service says ${status || 'nothing of its status'}`;
    if (claimed === undefined || amount !== claimed) return 'the service says another amount';
    await settlement.ledger.change(value.id, see(value.id, shown.seen), { by: settlement.run });
    return undefined;
  } catch (error) {
    if (error instanceof ServiceFailure) return 'the service could not be asked';
    throw error;
  }
}

async function answerOf(
  settlement: Settlement,
  end: PayEnd,
  claimed: Money | undefined,
): Promise<WebhookAnswer> {
  if (end.kind === 'decided') return decidedAnswer(settlement, end.entry, claimed);
  return { status: 503, message: `not paid: ${end.reason}` };
}

/** Answering is telling: it is noted before the answer leaves, and proven by a later poll. */
async function decidedAnswer(
  { ledger, run, refusedStatus }: Settlement,
  { rewardId, pay, terms, reason }: LedgerEntry,
  claimed: Money | undefined,
): Promise<WebhookAnswer> {
  if (terms !== null && claimed !== terms.amount) {
    return {
      status: 503,
      message: `not verified: ${formatMoney(terms.amount)} was decided on, not this amount`,
    };
  }
  await ledger.change(rewardId, tell({ kind: 'told', status: pay === 'paid' ? 'SUCCESS' : refusedStatus }), {
    by: run,
  });
  if (pay === 'paid') return { status: 200, message: 'paid' };
  return { status: 422, message: `refused: ${reason ?? 'the payer refused'}` };
}
