import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { backoffMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
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

/** Bytes to read of an answer, and characters to keep of its message. */
const answerMaximum = 65_536;
const messageMaximum = 1_000;

/** Time limit for running deliveries when the sandbox stops, in milliseconds. */
const closeMs = 1_000;

/** The client's answer to one delivery. */
export interface DeliveryAnswer {
  /** HTTP status; null if there was no answer within `answerMs`. */
  readonly status: number | null;
  /** A 2xx answer means that the reward was paid (API 6). */
  readonly isPaid: boolean;
  readonly message: string | null;
}

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
  readonly #agent: HttpAgent;
  readonly #waiting: Delivery[] = [];
  readonly #underway = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #isClosed = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    const agentOptions = { keepAlive: true, maxSockets: underwayMaximum };
    this.#agent =
      options.url.protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
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
    this.#agent.destroy();
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
      const signal = AbortSignal.any([this.#stop.signal, late.signal]);
      const { status, body } = await this.#exchange(payload, signal);
      return { status, isPaid: status >= 200 && status < 300, message: messageIn(body) };
    } catch {
      return this.#stop.signal.aborted ? undefined : { status: null, isPaid: false, message: null };
    } finally {
      answered.abort();
    }
  }

  #exchange(
    payload: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: string }> {
    const { url } = this.#options;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const outgoing: ClientRequest = send(
        url,
        {
          method: 'POST',
          agent: this.#agent,
          signal,
          headers: {
            ...ownHeaders(undefined),
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          },
        },
        (incoming) => {
          readAnswer(incoming).then((body) => resolve({ status: incoming.statusCode ?? 0, body }), reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  }
}

/** The body of the answer, up to `answerMaximum`. */
async function readAnswer(incoming: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of incoming) {
    pieces.push(piece);
    length += piece.length;
    if (length > answerMaximum) break;
  }
  return Buffer.concat(pieces).toString();
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
