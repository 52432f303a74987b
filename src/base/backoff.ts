import type { Random } from './random.ts';

/** The first pause, and the longest the growing pauses may become, in milliseconds. */
export interface BackoffBounds {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * How long to wait before try `attempt` + 1 (attempts count from 1): doubling from `firstMs`, capped at
 * `longestMs`, with half of it random so that many clients do not come back at the same instant.
 */
export function backoffMs(attempt: number, random: Random, { firstMs, longestMs }: BackoffBounds): number {
  const full = Math.min(longestMs, firstMs * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * random();
}
