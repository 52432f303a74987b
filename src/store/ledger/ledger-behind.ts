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
 * How many events a ledger lacks that its mark covers, or more if more are `known` of; null if nobody knows how many:
 * those of one that went another way cannot be counted.
 */
export async function eventsLost(
  ledger: Ledger,
  mark: HighWaterMark | undefined,
  known: number | null = null,
): Promise<number | null> {
  if (mark === undefined) return known;
  const isLost = !(await reachesMark(ledger, mark));
  const lost = isLost ? mark.seq - (await ledger.lastSeq()) : 0;
  const counted = isLost && lost <= 0 ? null : lost;
  return counted === null || known === null ? (counted ?? known) : Math.max(counted, known);
}
