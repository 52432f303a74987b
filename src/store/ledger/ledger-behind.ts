import type { HighWaterMark } from './high-water-mark.ts';
import type { Ledger } from './ledger.ts';
import { reachesMark } from './ledger-standing.ts';

/**
 * Freezes a ledger that several machines use, and makes all of them refuse it until a person accepts it: this machine
 * knows of an event that it lacks, and the others may not.
 */
export async function noteBehind(ledger: Ledger, mark: HighWaterMark): Promise<void> {
  const { custody, identity } = ledger;
  const { restoration: known } = await ledger.meta();
  const lostEvents = await eventsBehind(ledger, mark);
  if (known?.acceptedAtMs === null && larger(known.lostEvents, lostEvents) === known.lostEvents) return;
  const lastAtMs = (await ledger.lastEventAtMs()) ?? identity.createdAtMs;
  await custody.noteRestored(
    {
      atMs: Math.min(known?.atMs ?? lastAtMs, lastAtMs),
      acceptedAtMs: null,
      comparedAtMs: null,
      lostEvents: larger(known?.lostEvents ?? null, lostEvents),
    },
    `it was put back to an earlier state: event ${mark.seq} was recorded, and is not in it`,
  );
}

/** The larger of two counts of lost events; null if neither is known. */
export function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/**
 * How many events a ledger lacks that a mark covers. Null if nobody knows: it went another way, or it lacks none of
 * them, because the mark may have been put back together with it.
 */
export async function eventsBehind(ledger: Ledger, mark: HighWaterMark): Promise<number | null> {
  if (await reachesMark(ledger, mark)) return null;
  const lost = mark.seq - (await ledger.lastSeq());
  return lost > 0 ? lost : null;
}
