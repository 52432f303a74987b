import type { LedgerEntry, Observation, Step } from '../../store/ledger/ledger.ts';
import { freshMs } from './policy.ts';
import { areSameTerms, isContradictory } from './reward-terms.ts';
import { type NoChangeReason, observe } from './transitions.ts';

/** The run that reads a list, and its start. */
interface Listing {
  readonly run: string;
  readonly beganMs: number;
}

/** The time for which the list of another run can replace an own list, in milliseconds. */
const sharedMs = freshMs / 4;

/** True if the service has listed the reward since a run began: to that run, or as QUEUED to another one. */
export function isListed({ seen }: LedgerEntry, { run, beganMs }: Listing): boolean {
  return seen.run === run || (seen.status === 'QUEUED' && seen.atMs >= beganMs);
}

/**
 * True if another run has seen it QUEUED since this one began. An observation dated in the future was made before the
 * clock was set back, and does not count.
 */
export function isQueuedSince({ seen }: LedgerEntry, { beganMs }: Listing, nowMs: number): boolean {
  return seen.status === 'QUEUED' && seen.atMs > beganMs && seen.atMs <= nowMs;
}

/**
 * Like `observe`, unless another run has just listed the same: of several runs for one shop, only one needs to write
 * the list. A contradiction that another run found in the list is kept. A reward that is confirmed but still listed is
 * written by each run, since the service has forgotten the report and the other run may not repeat it.
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

/** True if `observeListed` leaves the entry unchanged because another run has just listed the same. */
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
