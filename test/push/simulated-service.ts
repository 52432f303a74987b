import { mapConcurrently } from '../../src/base/lists.ts';
import { seededRandom } from '../../src/base/random.ts';
import { withRetry } from '../../src/client/retry.ts';
import { type TraceEvent, withTrace } from '../../src/client/trace.ts';
import type { WireReply } from '../../src/contract/wire.ts';
import { adaptiveConcurrency } from '../../src/push/send/adaptive-concurrency.ts';
import { replyOf, requestOf } from '../client/scripted-transport.ts';
import { VirtualClock } from './virtual-clock.ts';

/** How a service answers a request that comes at `atMs`, as one of `inFlight`. */
export type ServiceModel = (
  atMs: number,
  inFlight: number,
) => { readonly latencyMs: number; readonly reply?: WireReply };

/** What came of a run against a simulated service. */
export interface SimulatedRun {
  /** Requests answered with 200. */
  readonly done: number;
  /** Requests that were given up, retries and all. */
  readonly failed: number;
  /** Answers of 429. */
  readonly refused: number;
  /** The most requests that met the service at once. */
  readonly most: number;
}

/**
 * What a client with retries gets done in `forMs` of simulated time, with `concurrency` fixed or found out. As in a push, outcomes are
 * wanted in order, so at most four widths of them wait for a slow one.
 */
export async function simulate(
  model: ServiceModel,
  concurrency: number | 'auto',
  forMs: number,
): Promise<SimulatedRun> {
  const clock = new VirtualClock();
  const run = { done: 0, failed: 0, refused: 0, most: 0 };
  const listeners: ((event: TraceEvent) => void)[] = [];
  let inFlight = 0;
  const serve = async () => {
    inFlight += 1;
    run.most = Math.max(run.most, inFlight);
    const { latencyMs, reply = replyOf(200) } = model(clock.now(), inFlight);
    await clock.sleep(latencyMs);
    inFlight -= 1;
    if (reply.status === 429) run.refused += 1;
    return reply;
  };
  const tell = (event: TraceEvent) => {
    for (const listener of listeners) listener(event);
  };
  const transport = withRetry(withTrace(serve, clock, tell).transport, {
    retries: 4,
    clock,
    random: seededRandom(1),
  });
  const width =
    concurrency === 'auto'
      ? adaptiveConcurrency({ watch: (listener) => listeners.push(listener) }, clock)
      : concurrency;
  const statuses = mapConcurrently(endless(), { width, windowWidths: 4 }, async () => {
    const { status } = await transport(requestOf('POST'));
    return status;
  });
  const isOver = (async () => {
    for await (const status of statuses) run[status === 200 ? 'done' : 'failed'] += 1;
  })();
  await Promise.race([clock.run(forMs), isOver]);
  return run;
}

async function* endless(): AsyncGenerator<undefined> {
  for (;;) yield undefined;
}
