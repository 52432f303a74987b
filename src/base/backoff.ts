import type { Random } from './random.ts';

/** The first pause and the longest one, in milliseconds. */
export interface BackoffBounds {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * The pause before attempt `attempt` + 1 (from 1): doubles from `firstMs` up to `longestMs`. Half of it is random, so
 * that many clients do not return at once.
 */
export function backoffMs(attempt: number, random: Random, { firstMs, longestMs }: BackoffBounds): number {
  const full = Math.min(longestMs, firstMs * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * random();
}
