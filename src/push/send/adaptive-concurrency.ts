import type { Clock } from '../../base/clock.ts';
import type { Service } from '../../client/open-service.ts';
import { LimitSearch } from './limit-search.ts';

/** How many requests may be in flight at once, learned from how the service responds to the load. */
export function adaptiveConcurrency(service: Pick<Service, 'watch'>, clock: Clock): () => number {
  const search = new LimitSearch();
  /** The good answers of one round, by operation: a lookup and a write take their own times. */
  const sums = new Map<string, { count: number; tookMs: number; inFlight: number }>();
  let changedAtMs = Number.NEGATIVE_INFINITY;
  let cutAtMs = Number.NEGATIVE_INFINITY;
  service.watch(({ operation, tookMs, inFlight, result }) => {
    const atMs = clock.monotonicMs();
    const startedAtMs = atMs - tookMs;
    const { limit, isRecovering, bestMs } = search;
    const usualMs = bestMs.get(operation) ?? 0;
    if (isStrain(result)) {
      // A cut takes a round trip to show: until what was in flight is answered, the load is the one before it.
      if (startedAtMs <= cutAtMs + usualMs) return;
      search.strained(atMs);
      cutAtMs = atMs;
    } else {
      // What is begun in the first moment of a limit meets the load before it, or waits for a new connection.
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
