import type { LedgerEntry } from '../../store/ledger/ledger.ts';

/**
 * Since when nobody knows whether a payment happened: since the first call under its key, because repeated calls make no doubt younger.
 * Undefined where its outcome is not unknown.
 */
export function inDoubtSinceMs({ payment, firstCallAtMs, lastCallAtMs }: LedgerEntry): number | undefined {
  return payment === 'unknown' ? (firstCallAtMs ?? lastCallAtMs ?? undefined) : undefined;
}

/** An age in milliseconds; infinite where the clock was set back behind the instant it is counted from, since then nobody knows it. */
export function ageOf(sinceMs: number, nowMs: number): number {
  return nowMs >= sinceMs ? nowMs - sinceMs : Number.POSITIVE_INFINITY;
}
