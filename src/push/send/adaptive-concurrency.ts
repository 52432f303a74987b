import type { Clock } from '../../base/clock.ts';
import type { Service } from '../../client/open-service.ts';
import { LimitSearch } from './limit-search.ts';

/** The maximum number of requests in flight, adapted to the observed latency of the service. */
export function adaptiveConcurrency(service: Pick<Service, 'watch'>, clock: Clock): () => number {
  const search = new LimitSearch();
  /** The good answers of one round, by operation, since lookups and writes take different times. */
  const sums = new Map<string, { count: number; tookMs: number; inFlight: number }>();
  let changedAtMs = Number.NEGATIVE_INFINITY;
  let cutAtMs = Number.NEGATIVE_INFINITY;
  service.watch(({ operation, tookMs, inFlight, result }) => {
    const atMs = clock.monotonicMs();
    const startedAtMs = atMs - tookMs;
    const { limit, isRecovering, bestMs } = search;
    const usualMs = bestMs.get(operation) ?? 0;
    if (isStrain(result)) {
      // A cut takes a round trip to show: until earlier requests are answered, they measure the previous load.
      if (startedAtMs <= cutAtMs + usualMs) return;
      search.strained(atMs);
      cutAtMs = atMs;
    } else {
      // The first requests after a change of the limit meet the previous load, or wait for a new connection.
      if (startedAtMs < changedAtMs + (isRecovering ? 0 : usualMs)) return;
      const sum = sums.get(operation) ?? { count: 0, tookMs: 0, inFlight: 0 };
      sums.set(operation, sum);
      sum.count += 1;
      sum.tookMs += tookMs;
      sum.inFlight = Math.max(sum.inFlight, inFlight);
      if (sum.count < search.answersNeeded) return;
      search.answered({ operation, latencyMs: sum.tookMs / sum.count, inFlight: sum.inFlight }, atMs);
    }
    if (search.limit !== limit) changedAtMs = atMs;
    sums.clear();
  });
  return () => Math.floor(search.limit);
}

function isStrain(result: number | string): boolean {
  return typeof result === 'string' || result === 429 || result === 408 || result >= 500;
}
