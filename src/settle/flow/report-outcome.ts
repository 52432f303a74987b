import type { JsonObject } from '../../base/json.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import type { RewardStatus } from '../../contract/states.ts';
import type { LedgerEntry, Observation } from '../../store/ledger/ledger.ts';
import { isListed } from '../rules/listed-observation.ts';
import { freshMs, unaddressable } from '../rules/policy.ts';
import { areSameTerms, contradiction, isContradictory, termsInWords } from '../rules/reward-terms.ts';
import { type ReportResult, recordReport } from '../rules/transitions.ts';
import { noSlot, type Slot } from './pay-reward.ts';
import type { ObservedReward } from './reward-service.ts';
import { isAcceptedAsShown, type Settlement } from './settlement.ts';
import { observeReward } from './sync-queued.ts';

/**
 * Reports the outcome of a decided reward to the service, and verifies it by the reply or by a lookup. Reports nothing
 * if the service now shows other terms than those decided. The ledger is the outbox: the next run repeats an
 * unconfirmed report. Resolves with the entry after the report; `trouble` is the reason why the service has not
 * provably recorded it.
 */
export async function reportOutcome(settlement: Settlement, entry: LedgerEntry, slot: Slot = noSlot) {
  await slot.readyToReport();
  const { ledger, run, refusedStatus } = settlement;
  const status = entry.payment === 'paid' ? 'SUCCESS' : refusedStatus;
  let result: ReportResult;
  let trouble: ServiceFailure | undefined;
  try {
    result = await reportOnce(settlement, entry, status);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    trouble = error;
    if (!error.isPassing) return { entry, trouble };
    // The report may have arrived even though the service cannot be reached now.
    result = { kind: 'sent', status };
  }
  const noted = ledger.change(entry.rewardId, recordReport(result), { by: run });
  if (entry.payment === 'paid' && result.kind === 'confirmed') slot.confirmed();
  const { entry: recorded } = await noted;
  return { entry: reported(recorded ?? entry, result), trouble };
}

/** @throws ServiceFailure if the lookup fails, or the service rejects the report. */
async function reportOnce(
  settlement: Settlement,
  entry: LedgerEntry,
  status: RewardStatus,
): Promise<ReportResult> {
  if (!isPathSegment(entry.rewardId)) return { kind: 'conflict', message: unaddressable(entry.rewardId) };
  const shown = await shownNow(settlement, entry);
  if (shown === undefined) return notShown;
  if (await isAcceptedAsShown(settlement.ledger, entry)) return { kind: 'confirmed', status };
  const message = otherTerms(entry, shown);
  if (message !== undefined) return { kind: 'conflict', message: `${message}; nothing was reported` };
  if (shown.status === status) return { kind: 'confirmed', status };
  return sendReport(settlement, entry, status);
}

const notShown = { kind: 'conflict', message: 'the service no longer shows it' } as const;

/** The reward as the service shows it: from a recent observation of this run, otherwise from a lookup. */
async function shownNow(settlement: Settlement, entry: LedgerEntry): Promise<Observation | undefined> {
  const { rewardId, seen } = entry;
  const isFresh = Math.abs(settlement.clock.now() - seen.atMs) <= freshMs;
  if (isFresh && isListed(entry, settlement)) return seen;
  return (await observeReward(settlement, rewardId, hintOf(seen)))?.seen;
}

async function sendReport(
  settlement: Settlement,
  entry: LedgerEntry,
  status: RewardStatus,
): Promise<ReportResult> {
  const { reply, unreadable } = await tryUpdate(settlement, entry, status);
  const isAgreed = reply !== undefined && mismatch(reply, entry, status) === undefined;
  // A service that confirmed it before and still waits may accept every report without storing it.
  if (isAgreed && entry.report !== 'confirmed') return { kind: 'confirmed', status };
  const shown = await settlement.service.find(entry.rewardId, hintOf(entry.seen));
  const message = shown === undefined ? notShown.message : mismatch(shown, entry, status);
  if (message === undefined) return { kind: 'confirmed', status };
  if (unreadable !== undefined) throw unreadable;
  return { kind: 'conflict', message };
}

function hintOf({ document }: Observation): JsonObject {
  return JSON.parse(document) as JsonObject;
}

/**
 * The entry after the report. A confirmed report stays confirmed in the ledger; if the service now contradicts it, this
 * run shows a conflict.
 */
function reported(entry: LedgerEntry, result: ReportResult): LedgerEntry {
  if (entry.report !== 'confirmed' || result.kind !== 'conflict') return entry;
  return { ...entry, report: result.kind, reason: result.message };
}

/**
 * The difference between the service's terms and those decided; undefined if they agree, or if the payer was never
 * called.
 */
function otherTerms({ report, payment, terms }: LedgerEntry, shown: Observation): string | undefined {
  if (terms === null || areSameTerms(terms, shown)) return undefined;
  const decided = `${termsInWords(terms, shown)} is ${payment}${report === 'confirmed' ? ' and confirmed' : ''}`;
  if (isContradictory(shown)) return `${decided}; ${contradiction}`;
  const verb =
    shown.status === 'QUEUED' ? 'waits for' : `says ${shown.status || 'nothing about its status'} for`;
  return `${decided}; the service now ${verb} ${termsInWords(shown, terms)} under the same id`;
}

/** The reply, or none if the service refused or its reply was unreadable. A lookup then shows the current state. */
async function tryUpdate(
  { service }: Settlement,
  { rewardId }: LedgerEntry,
  status: RewardStatus,
): Promise<{ readonly reply?: ObservedReward; readonly unreadable?: ServiceFailure }> {
  try {
    return { reply: await service.update(rewardId, status) };
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.kind === 'unreadable-reply') return { unreadable: error };
    if (error.kind === 'refused' || error.kind === 'not-found') return {};
    throw error;
  }
}

/**
 * True if a status means that the client could not pay (API 3), for which the document has two words. A service that
 * gave up a reward may keep its own word and refuse the other.
 */
function isFailure(status: string): boolean {
  return status === 'FAILURE' || status === 'CANCELLED';
}

/** The difference between the service's record and the ledger; undefined if they agree. */
function mismatch(
  { rewardId, seen }: ObservedReward,
  entry: LedgerEntry,
  status: RewardStatus,
): string | undefined {
  if (rewardId !== entry.rewardId) return `the service answered with reward ${rewardId}`;
  const isAgreed = seen.status === status || (entry.payment === 'refused' && isFailure(seen.status));
  if (!isAgreed)
    return `it is ${entry.payment}, but the service says ${seen.status || 'nothing about its status'}`;
  return otherTerms(entry, seen);
}
