import { backoffMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { type HttpConnections, openHttpConnections } from '../../base/http-connections.ts';
import { sendRequest } from '../../base/http-request.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import { ownHeaders } from '../../base/own-headers.ts';
import type { Random } from '../../base/random.ts';
import type { Assumptions } from '../../contract/assumptions.ts';

/** Time limit for the client's answer, in milliseconds (not specified in API 6). */
export const answerMs = 10_000;

/** Limits of concurrent and of waiting deliveries. Rewards beyond them are not delivered. */
const underwayMaximum = 8;
const waitingMaximum = 10_000;

/** Maximum number of redeliveries per reward (assumption `webhookRedelivery`). */
export const redeliveriesMaximum = 3;
const redeliveryPause = { firstMs: 1_000, longestMs: 30_000 };

/** Bytes of an answer, and characters to keep of its message. A longer answer counts as none. */
const answerMaximum = 1_048_576;
const messageMaximum = 1_000;

/** Time limit for running deliveries when the sandbox stops, in milliseconds. */
const closeMs = 1_000;

/** Idle time after which a connection is not reused, in milliseconds. */
const idleMs = 4_000;

/** The client's answer to one delivery. */
export interface DeliveryAnswer {
  /** HTTP status; null if there was no answer within `answerMs`. */
  readonly status: number | null;
  /** A 2xx answer means that the reward was paid (API 6). */
  readonly isPaid: boolean;
  readonly message: string | null;
}

const noAnswer: DeliveryAnswer = { status: null, isPaid: false, message: null };

interface DeliveryOptions {
  readonly url: URL;
  readonly clock: Clock;
  readonly random: Random;
  readonly redelivery: Assumptions['webhookRedelivery'];
  /** Called with every answer, before the reward is delivered again. */
  readonly onAnswer: (rewardId: string, answer: DeliveryAnswer) => void;
}

interface Delivery {
  readonly rewardId: string;
  readonly payload: string;
}

/**
 * Sends rewards to the client by POST (API 6), a few at a time. Deliveries still waiting when the sandbox stops are
 * lost, as clients have to expect.
 */
export class RewardWebhook {
  readonly #options: DeliveryOptions;
  readonly #connections: Promise<HttpConnections>;
  readonly #waiting: Delivery[] = [];
  readonly #underway = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #isClosed = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#connections = openHttpConnections(options.url, {
      connections: underwayMaximum,
      pipelining: 1,
      idleMs,
      timeoutMs: answerMs,
      replyBytesMaximum: answerMaximum,
      env: {},
    });
  }

  /** Queues the delivery of a reward. The payload is its Reward document. */
  deliver(rewardId: string, payload: string): void {
    if (this.#isClosed || this.#waiting.length >= waitingMaximum) return;
    this.#waiting.push({ rewardId, payload });
    this.#startNext();
  }

  /** Resolves when no delivery is waiting or running. */
  async idle(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    const giveUp = setTimeout(() => this.#stop.abort(), closeMs);
    await this.idle();
    clearTimeout(giveUp);
    await (await this.#connections).dispatcher.destroy();
  }

  #startNext(): void {
    if (this.#underway.size >= underwayMaximum) return;
    const delivery = this.#waiting.shift();
    if (!delivery) return;
    const work = this.#deliverAll(delivery).finally(() => {
      this.#underway.delete(work);
      this.#startNext();
    });
    this.#underway.add(work);
  }

  /** Delivers once, and again with the same payload if the assumption `webhookRedelivery` says so. */
  async #deliverAll({ rewardId, payload }: Delivery): Promise<void> {
    const { clock, random, redelivery, onAnswer } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#post(payload);
      if (!answer) return;
      onAnswer(rewardId, answer);
      const isWanted = redelivery === 'always' || (redelivery === 'on-failure' && !answer.isPaid);
      if (!isWanted || attempt > redeliveriesMaximum || this.#isClosed) return;
      const pause = clock.sleep(backoffMs(attempt, random, redeliveryPause), this.#stop.signal);
      if (!(await isFulfilled(pause))) return;
    }
  }

  /** Sends one request and returns the answer; undefined if the sandbox stops in the meantime. */
  async #post(payload: string): Promise<DeliveryAnswer | undefined> {
    const late = new AbortController();
    const answered = new AbortController();
    this.#options.clock.sleep(answerMs, answered.signal).then(
      () => late.abort(),
      () => undefined,
    );
    try {
      const { pathname, search } = this.#options.url;
      const headers = { ...ownHeaders(undefined), 'content-type': 'application/json' };
      const reply = await sendRequest(
        await this.#connections,
        { path: pathname + search, method: 'POST', headers, body: payload },
        { timeoutMs: answerMs, signal: AbortSignal.any([this.#stop.signal, late.signal]) },
      );
      if ('reason' in reply) return noAnswer;
      const { status, body } = reply;
      return { status, isPaid: status >= 200 && status < 300, message: messageIn(body.toString()) };
    } catch {
      return this.#stop.signal.aborted ? undefined : noAnswer;
    } finally {
      answered.abort();
    }
  }
}

/** The optional hint of an answer (API 6): a JSON object with a string field `message`. */
function messageIn(body: string): string | null {
  const parsed = parseJson(body);
  const message = isJsonObject(parsed) ? parsed['message'] : undefined;
  return typeof message === 'string' ? message.slice(0, messageMaximum) : null;
}

function isFulfilled(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
