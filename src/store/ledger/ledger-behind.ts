import type { HighWaterMark } from './high-water-mark.ts';
import type { Ledger } from './ledger.ts';
import { reachesMark } from './ledger-standing.ts';

/**
 * Freezes a ledger that several machines use, and makes all of them refuse it until a person accepts it: this machine
 * knows of an event that it lacks, and the others may not.
 */
export async function noteBehind(ledger: Ledger, mark: HighWaterMark): Promise<void> {
  const { restoration: known } = await ledger.meta();
  const lostEvents = await eventsLost(ledger, mark, known?.lostEvents);
  if (known?.acceptedAtMs === null && lostEvents === known.lostEvents) return;
  const lastAtMs = (await ledger.lastEventAtMs()) ?? ledger.identity.createdAtMs;
  const atMs = Math.min(known?.atMs ?? lastAtMs, lastAtMs);
  await ledger.custody.noteRestored(
    { atMs, acceptedAtMs: null, comparedAtMs: null, lostEvents },
    `it was put back to an earlier state: event ${mark.seq} was recorded, and is not in it`,
  );
}

/**
 * How many events a ledger lacks that its mark covers, or more if more are `known` of. Null if nobody knows how many:
 * it went another way, or it lacks none of them, because the mark may have been put back together with it.
 */
export async function eventsLost(
  ledger: Ledger,
  mark: HighWaterMark | undefined,
  known: number | null = null,
): Promise<number | null> {
  if (mark === undefined || (await reachesMark(ledger, mark))) return known;
  const lost = mark.seq - (await ledger.lastSeq());
  return lost <= 0 ? known : Math.max(lost, known ?? 0);
}
