import type { LedgerEntry } from '../../store/ledger/ledger.ts';

/**
 * Since when the outcome of a payment is unknown; undefined where it is not. This is the first call under its
 * key: repeated calls do not shorten the time.
 */
export function inDoubtSinceMs({ payment, firstCallAtMs, lastCallAtMs }: LedgerEntry): number | undefined {
  return payment === 'unknown' ? (firstCallAtMs ?? lastCallAtMs ?? undefined) : undefined;
}

/** An age in milliseconds; infinite for an instant in the future, because the clock was set back then. */
export function ageOf(sinceMs: number, nowMs: number): number {
  return nowMs >= sinceMs ? nowMs - sinceMs : Number.POSITIVE_INFINITY;
}
