import type { HighWaterMark } from './high-water-mark.ts';
import type { Ledger } from './ledger.ts';
import { reachesMark } from './ledger-standing.ts';

/**
 * Freezes a ledger that several machines share and makes them all refuse it until a person accepts it. Only this
 * machine may know of the event that it lacks.
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
 * Number of events covered by the mark that a ledger lacks, or `known` if that is greater. Null if unknown: it
 * diverged, or it lacks none because the mark may have been restored together with it.
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
