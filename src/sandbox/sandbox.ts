import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import { seededRandom } from '../base/random.ts';
import { type Assumptions, defaultAssumptions } from '../contract/assumptions.ts';
import { operations, optInOperations } from '../contract/operations.ts';
import { categoryHandlers } from './api/categories.ts';
import type { RawRequest } from './api/decode.ts';
import { orderHandlers } from './api/orders.ts';
import { productGroupHandlers } from './api/product-groups.ts';
import { productHandlers } from './api/products.ts';
import { documentText } from './api/reply.ts';
import { reviewHandlers } from './api/reviews.ts';
import { rewardHandlers } from './api/rewards.ts';
import { type Route, routesOf } from './api/router.ts';
import { controlHandlers } from './control/control.ts';
import { controlTable } from './control/control-table.ts';
import { type SeededRewards, seedState } from './data/seed.ts';
import { Engine, type SandboxAnswer } from './engine.ts';
import { type FaultRates, Faults } from './faults/faults.ts';
import { jobHandlers } from './jobs/jobs.ts';
import { rewardDocument } from './rules/documents.ts';
import type { Handlers } from './rules/handlers.ts';
import { ListLag } from './state/list-lag.ts';
import type { StoredReward } from './state/records.ts';
import { type RequestContext, timestamp } from './state/request-context.ts';
import { ShiftedClock } from './state/shifted-clock.ts';
import { State } from './state/state.ts';
import { recordAnswer } from './webhook/hints.ts';
import { RewardWebhook } from './webhook/webhook.ts';

/*
 * A local implementation of the whole API document, for learning, tests and demos. It depends on the contract but not
 * on the client. It promises that every acknowledged write is kept (with a data file, also across a kill), that a
 * refused request has no effect, and that the same seed gives the same data and the same faults.
 */

export interface SandboxOptions {
  /** Credential, as in `Authorization: Basic <token>`; by default the one in the data file, else a random one. */
  readonly token?: string;
  readonly assumptions?: Partial<Assumptions>;
  /** SQLite file that persists the state. Without it, the state is lost when the sandbox closes. */
  readonly dataFile?: string;
  /** Numbers of records to create at the start if the state is empty. */
  readonly products?: number;
  readonly orders?: number;
  readonly reviews?: number;
  /** Default: `queued`. */
  readonly seededRewards?: SeededRewards;
  /** Determines the generated data and the faults. Default: 1. */
  readonly seed?: number;
  /** Delay from accepting a bulk entry to running its job, in milliseconds. Default: 0. */
  readonly jobDelayMs?: number;
  /** Added to the duration of every request, in milliseconds. */
  readonly latencyMs?: number;
  readonly faults?: FaultRates;
  /** Time for which a new record is missing from lists, in milliseconds. Default: 0. */
  readonly listLagMs?: number;
  /** Address to which rewards of new reviews are delivered (API 6); by default they are not delivered. */
  readonly webhookUrl?: string;
  /** True to serve operations that the document only refers to. Default: true. */
  readonly optIn?: boolean;
  readonly clock?: Clock;
}

export interface Sandbox {
  readonly token: string;
  /** The time of the service. */
  readonly clock: Clock;
  readonly state: State;
  readonly faults: Faults;
  /** Answers a request from any transport. The credential is required. */
  answer(request: RawRequest): Promise<SandboxAnswer>;
  /** Runs `work` on the current state; its writes are durable when this returns. */
  transact<T>(work: (context: RequestContext) => T): T;
  /** Resolves when no webhook delivery is pending or running. */
  webhookIdle(): Promise<void>;
  /** Ends webhook deliveries within a time limit and closes the data file. */
  close(): Promise<void>;
}

const handlers: Handlers<typeof operations> = {
  ...productHandlers,
  ...productGroupHandlers,
  ...categoryHandlers,
  ...orderHandlers,
  ...reviewHandlers,
  ...rewardHandlers,
  ...jobHandlers,
};

/** @throws Failure if the data file or the webhook URL cannot be used. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { seed = 1, jobDelayMs = 0, latencyMs = 0, seededRewards = 'queued' } = options;
  const assumptions: Assumptions = { ...defaultAssumptions, ...options.assumptions };
  const url = options.webhookUrl === undefined ? undefined : readWebhookUrl(options.webhookUrl);
  const state = await State.open(options.dataFile);
  const token = options.token ?? credentialOf(state);
  const clock = new ShiftedClock(options.clock ?? systemClock, Number(state.setting(clockShift) ?? 0));
  const consumers = seededRandom(seed + 1);
  if (state.isEmpty) {
    const { products = 0, orders = 0, reviews = 0 } = options;
    const nowMs = clock.now();
    const context = { state, nowMs, now: timestamp(nowMs) };
    state.transact(() => seedState(context, consumers, { products, orders, reviews }, seededRewards));
  }
  const faults = new Faults(seededRandom(seed), options.faults ?? {});
  const webhook =
    url &&
    new RewardWebhook({
      url,
      clock,
      random: seededRandom(seed + 2),
      redelivery: assumptions.webhookRedelivery,
      onAnswer: (rewardId, answer) => engine.transact((context) => recordAnswer(context, rewardId, answer)),
    });
  const control = controlHandlers({
    faults,
    random: consumers,
    announce: webhook && announcing(webhook, assumptions),
    advanceClock: (ms) => advance(clock, ms, state),
  });
  const routes = [...servedRoutes(options.optIn ?? true), ...routesOf(controlTable, control)];
  const listLag = new ListLag(clock, options.listLagMs ?? 0, state.lastId);
  const engine = new Engine({
    state,
    faults,
    listLag,
    routes,
    token,
    assumptions,
    clock,
    jobDelayMs,
    latencyMs,
  });
  return {
    token,
    clock,
    state,
    faults,
    answer: (request) => engine.answer(request),
    transact: (work) => engine.transact(work),
    webhookIdle: async () => webhook?.idle(),
    close: async () => {
      await webhook?.close();
      state.close();
    },
  };
}

function announcing(webhook: RewardWebhook, assumptions: Assumptions) {
  return (context: RequestContext, reward: StoredReward) =>
    webhook.deliver(reward.id, documentText(rewardDocument(context, reward), assumptions));
}

const clockShift = 'clockShiftMs';

/** Advances the clock, also for the next sandbox with this data file, and returns the new time. */
function advance(clock: ShiftedClock, ms: number, state: State): number {
  clock.advance(ms);
  state.setSetting(clockShift, String(clock.shiftMs));
  return clock.now();
}

/** The stored credential, so that clients can continue after a restart. A new file stores a random one. */
function credentialOf(state: State): string {
  const stored = state.setting('token');
  if (stored !== undefined) return stored;
  const token = randomToken();
  state.setSetting('token', token);
  return token;
}

function servedRoutes(hasOptIn: boolean): Route[] {
  return routesOf(operations, handlers).filter(
    ({ name }) => hasOptIn || !Object.hasOwn(optInOperations, name),
  );
}

/** A key id and a secret (assumption: Basic token derivation). The random id distinguishes sandboxes. */
function randomToken(): string {
  const keyId = `sandbox-${randomBytes(4).toString('hex')}`;
  return Buffer.from(`${keyId}:${randomBytes(18).toString('hex')}`).toString('base64');
}

function readWebhookUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && url.username + url.password !== '') {
    throw new Failure(
      'usage',
      'the webhook URL contains a user name or password, which the sandbox does not send',
      'leave it out; the secret of a receiver is part of its path: http://127.0.0.1:8080/rewards/SECRET',
    );
  }
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Failure(
    'usage',
    `"${text}" is not a valid webhook URL`,
    'give an absolute URL, such as http://127.0.0.1:8080/hook',
  );
}
