import type { LedgerEntry, Observation, Step } from '../../store/ledger/ledger.ts';
import { freshMs } from './policy.ts';
import { areSameTerms, isContradictory } from './reward-terms.ts';
import { type NoChangeReason, observe } from './transitions.ts';

/** The run that reads a list, and since when. */
interface Listing {
  readonly run: string;
  readonly beganMs: number;
}

/** How long what another run has listed is as good as a list of one's own, in milliseconds. */
const sharedMs = freshMs / 4;

/** Whether the service has listed it since a run began, to that run or as QUEUED to another one. */
export function isListed({ seen }: LedgerEntry, { run, beganMs }: Listing): boolean {
  return seen.run === run || (seen.status === 'QUEUED' && seen.atMs >= beganMs);
}

/**
 * Whether another run has seen it QUEUED since this one began. An observation of the future was made before the clock
 * was set back, and says nothing of now.
 */
export function isQueuedSince({ seen }: LedgerEntry, { beganMs }: Listing, nowMs: number): boolean {
  return seen.status === 'QUEUED' && seen.atMs > beganMs && seen.atMs <= nowMs;
}

/**
 * As `observe`, unless another run has just listed the same: several that settle one shop need to write its list only
 * once. Nor does one replace the contradiction that another has found in it. One that is confirmed and listed all the
 * same is written by each, since the service has forgotten the report and the other may not repeat it.
 */
export function observeListed(
  rewardId: string,
  seen: Observation,
  listing: Listing,
): Step<NoChangeReason<'older' | 'known'>> {
  return (facts) => {
    const { entry, nowMs } = facts;
    if (entry === undefined || !isListedByOther(entry, { seen, listing, nowMs }))
      return observe(rewardId, seen)(facts);
    return { kind: 'no-change', reason: { kind: 'known', message: 'another run has just listed it' } };
  };
}

/** Whether `observeListed` leaves the entry as it is, since another run has just listed the same. */
export function isListedByOther(
  { report, seen: known }: LedgerEntry,
  { seen, listing, nowMs }: Found,
): boolean {
  const ageMs = nowMs - known.atMs;
  if (report === 'confirmed' || known.run === listing.run || known.atMs <= listing.beganMs) return false;
  if (ageMs < 0 || ageMs > sharedMs) return false;
  return isContradictory(known) || (known.status === seen.status && areSameTerms(known, seen));
}

interface Found {
  readonly seen: Observation;
  readonly listing: Listing;
  readonly nowMs: number;
}
