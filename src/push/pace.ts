import type { Clock } from '../base/clock.ts';

/** How many requests are under way at the start, at the least, and at the most. */
export const paceBounds = { start: 8, least: 2, most: 16 } as const;

/** How many requests may be under way, as a whole part and what has grown since; and when it was last cut. */
export interface Pace {
  readonly limit: number;
  readonly cutAtMs: number;
}

export const firstPace: Pace = { limit: paceBounds.start, cutAtMs: Number.NEGATIVE_INFINITY };

/** One request that is over. */
export interface Exchange {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** The status, or what happened instead of a reply. */
  readonly result: number | string;
}

/**
 * The pace after one more exchange: a limit's worth of good answers lets one more request be under way, a sign of strain
 * halves the limit. What was under way at a cut tells of the load before it, so its signs count no more.
 */
export function nextPace({ limit, cutAtMs }: Pace, { startedAtMs, endedAtMs, result }: Exchange): Pace {
  if (!isStrain(result)) return { limit: Math.min(paceBounds.most, limit + 1 / limit), cutAtMs };
  if (startedAtMs < cutAtMs) return { limit, cutAtMs };
  return { limit: Math.max(paceBounds.least, limit / 2), cutAtMs: endedAtMs };
}

function isStrain(result: number | string): boolean {
  return typeof result === 'string' || result === 429 || result === 408 || result >= 500;
}

/** What tells of exchanges as they end; the service does, retries included. */
interface Watched {
  watch(listener: (exchange: { readonly tookMs: number; readonly result: number | string }) => void): void;
}

/** How many requests may be under way at once, learned from how the service bears them. */
export function adaptiveConcurrency(service: Watched, clock: Clock): () => number {
  let pace = firstPace;
  service.watch(({ tookMs, result }) => {
    const endedAtMs = clock.now();
    pace = nextPace(pace, { startedAtMs: endedAtMs - tookMs, endedAtMs, result });
  });
  return () => Math.floor(pace.limit);
}
