import { mapConcurrently } from '../../src/base/lists.ts';
import { seededRandom } from '../../src/base/random.ts';
import { withRetry } from '../../src/client/retry.ts';
import { type TraceEvent, withTrace } from '../../src/client/trace.ts';
import type { WireReply } from '../../src/contract/wire.ts';
import { adaptiveConcurrency } from '../../src/push/send/adaptive-concurrency.ts';
import { replyOf, requestOf } from '../client/scripted-transport.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The reply of a service to a request at `atMs`, and its latency with `inFlight` requests. */
export type ServiceModel = (
  atMs: number,
  inFlight: number,
) => { readonly latencyMs: number; readonly reply?: WireReply };

/** The result of a run against a simulated service. */
export interface SimulatedRun {
  /** Requests answered with 200. */
  readonly done: number;
  /** Requests that failed after all retries. */
  readonly failed: number;
  /** Replies with status 429. */
  readonly refused: number;
  /** The highest number of concurrent requests at the service. */
  readonly most: number;
}

/**
 * Runs a client with retries for `forMs` of simulated time, with fixed or adaptive concurrency. As in a push, outcomes
 * are ordered, so at most four widths of them wait for a slow one.
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
