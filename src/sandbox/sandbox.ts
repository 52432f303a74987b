import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../base/clock.ts';
import { Failure } from '../base/failure.ts';
import { seededRandom } from '../base/random.ts';
import { type Assumptions, defaultAssumptions } from '../contract/assumptions.ts';
import { operations, optInOperations } from '../contract/operations.ts';
import type { Transport } from '../contract/wire.ts';
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
import { type SeededRewards, seedWorld } from './data/seed.ts';
import { type Answer, Engine } from './engine.ts';
import { type FaultRates, Faults } from './faults/faults.ts';
import { inProcessTransport } from './in-process.ts';
import { jobHandlers } from './jobs/jobs.ts';
import { rewardDocument } from './rules/documents.ts';
import type { Handlers } from './rules/handlers.ts';
import { Journal } from './state/activity-log.ts';
import { ListLag } from './state/list-lag.ts';
import { timestamp, type Visit } from './state/request-context.ts';
import { World } from './state/state.ts';
import { Storage } from './state/storage.ts';
import { recordAnswer } from './webhook/hints.ts';
import { RewardWebhook } from './webhook/webhook.ts';

/*
 * The whole service of the API document on one's own machine, for learning, tests and demos. It is written against the
 * contract alone and knows nothing of the client. It promises that what it answered is kept (with a data file, across
 * a kill), that a refused request had no effect, and that one seed gives the same data and the same faults again.
 */

export interface SandboxOptions {
  /** The credential, as in `Authorization: Basic <token>`; when not given, the one of the data file, else random. */
  readonly token?: string;
  readonly assumptions?: Partial<Assumptions>;
  /** An SQLite file that keeps the world; without it the world ends with the sandbox. */
  readonly dataFile?: string;
  /** Records made at the start, where the world is empty. */
  readonly products?: number;
  readonly orders?: number;
  readonly reviews?: number;
  /** `queued` when not given. */
  readonly seededRewards?: SeededRewards;
  /** Steers data and faults; 1 when not given. */
  readonly seed?: number;
  /** From the acceptance of a bulk entry to its job being carried out, in milliseconds; 0 when not given. */
  readonly jobDelayMs?: number;
  /** Added to every answer of the service, in milliseconds. */
  readonly latencyMs?: number;
  readonly faults?: FaultRates;
  /** How long a new record is missing from lists, in milliseconds; 0 when not given. */
  readonly listLagMs?: number;
  /** Where rewards of new reviews are announced (API 6); nowhere when not given. */
  readonly webhookUrl?: string;
  /** Whether the operations are served that the document only refers to; true when not given. */
  readonly optIn?: boolean;
  readonly clock?: Clock;
}

export interface Sandbox {
  readonly token: string;
  readonly world: World;
  readonly faults: Faults;
  readonly journal: Journal;
  /** The service in process. It wants the credential like any other way in. */
  readonly transport: Transport;
  /** Takes a request from wherever it came. */
  answer(request: RawRequest): Promise<Answer>;
  /** Works on the world as it is now; what `work` writes is durable when this returns. */
  visit<T>(work: (visit: Visit) => T): T;
  /** Resolves when no reward webhook is waiting or under way. */
  webhookIdle(): Promise<void>;
  /** Ends deliveries within a bound and closes the data file. */
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

/** Throws a Failure where the data file or the webhook URL cannot be used. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = systemClock, seed = 1, jobDelayMs = 0, latencyMs = 0, seededRewards = 'queued' } = options;
  const assumptions: Assumptions = { ...defaultAssumptions, ...options.assumptions };
  const url = options.webhookUrl === undefined ? undefined : readWebhookUrl(options.webhookUrl);
  const storage = options.dataFile === undefined ? undefined : await Storage.open(options.dataFile);
  const token = options.token ?? storage?.credential(randomToken()) ?? randomToken();
  const world = new World();
  storage?.restore(world);
  const consumers = seededRandom(seed + 1);
  if (world.isEmpty) {
    const { products = 0, orders = 0, reviews = 0 } = options;
    const nowMs = clock.now();
    const visit = { world, nowMs, now: timestamp(nowMs) };
    seedWorld(visit, consumers, { products, orders, reviews }, seededRewards);
    storage?.fill(world);
  }
  const faults = new Faults(seededRandom(seed), options.faults ?? {});
  const journal = new Journal();
  const webhook =
    url &&
    new RewardWebhook({
      url,
      clock,
      random: seededRandom(seed + 2),
      redelivery: assumptions.webhookRedelivery,
      onAnswer: (rewardId, answer) => engine.visit((visit) => recordAnswer(visit, rewardId, answer)),
    });
  const control = controlHandlers({
    faults,
    journal,
    random: consumers,
    seededRewards,
    announce: (visit, reward) =>
      webhook?.deliver(reward.id, documentText(rewardDocument(visit, reward), assumptions)),
  });
  const routes = [...servedRoutes(options.optIn ?? true), ...routesOf(controlTable, control)];
  const listLag = new ListLag(clock);
  listLag.ms = options.listLagMs ?? 0;
  const engine = new Engine({
    world,
    storage,
    faults,
    listLag,
    journal,
    routes,
    token,
    assumptions,
    clock,
    jobDelayMs,
    latencyMs,
  });
  return {
    token,
    world,
    faults,
    journal,
    transport: inProcessTransport((request) => engine.answer(request), clock),
    answer: (request) => engine.answer(request),
    visit: (work) => engine.visit(work),
    webhookIdle: async () => webhook?.idle(),
    close: async () => {
      await webhook?.close();
      storage?.close();
    },
  };
}

function servedRoutes(hasOptIn: boolean): Route[] {
  return routesOf(operations, handlers).filter(
    ({ name }) => hasOptIn || !Object.hasOwn(optInOperations, name),
  );
}

/** Key id and secret (assumption: Basic token derivation); the id tells one sandbox from the next. */
function randomToken(): string {
  const keyId = `sandbox-${randomBytes(4).toString('hex')}`;
  return Buffer.from(`${keyId}:${randomBytes(18).toString('hex')}`).toString('base64');
}

function readWebhookUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Failure(
    'usage',
    `"${text}" is no webhook URL`,
    'write a whole one, such as http://127.0.0.1:8080/hook',
  );
}
