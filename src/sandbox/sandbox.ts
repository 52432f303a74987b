import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../base/clock.ts';
import { seededRandom } from '../base/random.ts';
import { type Assumptions, defaultAssumptions } from '../contract/assumptions.ts';
import { operations, optInOperations } from '../contract/operations.ts';
import { type Transport, TransportError } from '../contract/wire.ts';
import { categoryHandlers } from './categories.ts';
import type { RawRequest } from './decode.ts';
import { type Answer, Engine } from './engine.ts';
import { type FaultRates, Faults } from './faults.ts';
import type { Handlers } from './handlers.ts';
import { jobHandlers } from './jobs.ts';
import { Journal } from './journal.ts';
import { orderHandlers } from './orders.ts';
import { productGroupHandlers } from './product-groups.ts';
import { productHandlers } from './products.ts';
import { reviewHandlers } from './reviews.ts';
import { rewardHandlers } from './rewards.ts';
import { routesOf } from './router.ts';
import { Storage } from './storage.ts';
import type { Visit } from './visit.ts';
import { World } from './world.ts';

/*
 * The whole service of the API document on one's own machine, for learning, tests and demos. It is written against the
 * contract alone and knows nothing of the client. It promises that what it answered is kept (with a data file, across
 * a kill), that a refused request had no effect, and that one seed gives the same data and the same faults again.
 */

export interface SandboxOptions {
  /** The credential, as in `Authorization: Basic <token>`; random when not given. */
  readonly token?: string;
  readonly assumptions?: Partial<Assumptions>;
  /** An SQLite file that keeps the world; without it the world ends with the sandbox. */
  readonly dataFile?: string;
  /** Steers data and faults; 1 when not given. */
  readonly seed?: number;
  /** From the acceptance of a bulk entry to its job being carried out; 0 when not given. */
  readonly jobDelayMs?: number;
  /** Added to every answer of the service. */
  readonly latencyMs?: number;
  readonly faults?: FaultRates;
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
  answer(request: RawRequest): Promise<Answer>;
  /** Works on the world as it is now; what `work` writes is durable when this returns. */
  visit<T>(work: (visit: Visit) => T): T;
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

/** The longest a stalled answer is held back before the connection is given up, in milliseconds. */
export const stallMs = 120_000;

/** Throws a Failure where the data file cannot be used. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = options.clock ?? systemClock;
  const token = options.token ?? randomToken();
  const world = new World();
  const storage = options.dataFile === undefined ? undefined : await Storage.open(options.dataFile);
  storage?.restore(world);
  const faults = new Faults(seededRandom(options.seed ?? 1), options.faults ?? {});
  const journal = new Journal();
  const served = routesOf(operations, handlers).filter(
    ({ name }) => options.optIn !== false || !Object.hasOwn(optInOperations, name),
  );
  const engine = new Engine({
    world,
    storage,
    faults,
    journal,
    routes: served,
    token,
    assumptions: { ...defaultAssumptions, ...options.assumptions },
    clock,
    jobDelayMs: options.jobDelayMs ?? 0,
    latencyMs: options.latencyMs ?? 0,
  });
  return {
    token,
    world,
    faults,
    journal,
    transport: inProcess(engine, clock),
    answer: (request) => engine.answer(request),
    visit: (work) => engine.visit(work),
    close: async () => storage?.close(),
  };
}

function randomToken(): string {
  return Buffer.from(`sandbox:${randomBytes(18).toString('hex')}`).toString('base64');
}

/** The same answers a socket would give; a reset, a torn body or a stall is a reply that never came whole. */
function inProcess(engine: Engine, clock: Clock): Transport {
  return async ({ method, path, headers, body }, signal) => {
    signal?.throwIfAborted();
    const lowerCased = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const answer = await abortable(engine.answer({ method, path, headers: lowerCased, body }), signal);
    switch (answer.kind) {
      case 'reply':
        return answer.reply;
      case 'reset':
        throw new TransportError('the connection was reset', true);
      case 'torn':
        throw new TransportError('the connection ended within the reply', true);
      case 'stall':
        await clock.sleep(stallMs, signal);
        throw new TransportError('no reply came', true);
    }
  };
}

/** Whoever gives up waiting leaves; what was sent goes on all the same. */
function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
