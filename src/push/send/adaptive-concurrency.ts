import type { Clock } from '../../base/clock.ts';
import type { Service } from '../../client/open-service.ts';
import type { TraceEvent } from '../../client/trace.ts';
import { answersNeeded, firstSearch, type LimitSearch, nextLimit, type Round } from './next-limit.ts';

/** How many requests may be in flight at once, learned from how the service responds to the load. */
export function adaptiveConcurrency(service: Pick<Service, 'watch'>, clock: Clock): () => number {
  let search = firstSearch;
  /** The good answers of one round, by operation: a lookup and a write take their own times. */
  const sums = new Map<
    string,
    { readonly count: number; readonly tookMs: number; readonly inFlight: number }
  >();
  let changedAtMs = Number.NEGATIVE_INFINITY;
  let cutAtMs = Number.NEGATIVE_INFINITY;
  const advance = (round: Round) => {
    const { limit } = search;
    search = nextLimit(search, round);
    if (search.limit !== limit) changedAtMs = round.atMs;
    if (round.kind === 'strain') cutAtMs = round.atMs;
    sums.clear();
  };
  service.watch((exchange) => {
    const atMs = clock.monotonicMs();
    const startedAtMs = atMs - exchange.tookMs;
    if (isStrain(exchange.result)) {
      // A cut takes a round trip to show: until what was in flight is answered, the load is the one before it.
      if (startedAtMs > cutAtMs + (search.best.latencyMs.get(exchange.operation) ?? 0))
        advance({ kind: 'strain', atMs });
      return;
    }
    if (startedAtMs < changedAtMs + settlingMs(search, exchange)) return;
    const { operation } = exchange;
    const before = sums.get(operation) ?? { count: 0, tookMs: 0, inFlight: 0 };
    const count = before.count + 1;
    const tookMs = before.tookMs + exchange.tookMs;
    const inFlight = Math.max(before.inFlight, exchange.inFlight);
    sums.set(operation, { count, tookMs, inFlight });
    if (count < answersNeeded(search)) return;
    advance({ kind: 'answers', atMs, operation, latencyMs: tookMs / count, inFlight });
  });
  return () => Math.floor(search.limit);
}

/** What is begun in the first moment of a limit still meets the load before it, or has a new connection to wait for. */
function settlingMs({ phase, best }: LimitSearch, { operation }: TraceEvent): number {
  return phase.kind === 'recovering' ? 0 : (best.latencyMs.get(operation) ?? 0);
}

function isStrain(result: number | string): boolean {
  return typeof result === 'string' || result === 429 || result === 408 || result >= 500;
}
