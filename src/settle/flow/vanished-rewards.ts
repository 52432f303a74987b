import type { JsonObject } from '../../base/json.ts';
import { flatten, mapConcurrently, regroup } from '../../base/lists.ts';
import { ServiceFailure } from '../../client/service-failure.ts';
import type { LedgerEntry, Observation } from '../../store/ledger/ledger.ts';
import { isQueuedSince } from '../rules/listed-observation.ts';
import { observe } from '../rules/transitions.ts';
import type { SettledReward } from './settle-reward.ts';
import { rewardOutcome, type Settlement } from './settlement.ts';
import { absence } from './sync-queued.ts';

/** Rewards that are looked up together. A service that lost its data may need many such groups. */
const groupMaximum = 1_000;

/** Concurrent requests for single rewards, and concurrent changes of the ledger. */
const lookUpsAtOnce = 8;

/** A reward that is waiting in the ledger but not on the list of QUEUED ones. */
export interface UnlistedReward {
  readonly entry: LedgerEntry;
  /** The current observation, QUEUED if pages shifted while the list was read; undefined if the service shows none. */
  readonly shown: Observation | undefined;
  /** An instant just before the request. */
  readonly askedAtMs: number;
}

/**
 * Looks up each reward that is waiting in the ledger but not on the list of QUEUED ones, which was read to its end.
 * `isShown`, called once for each reward, returns true if it was on the list. Leaves planned rewards to their plan,
 * which names them. Ends early if the run is stopping.
 * @throws ServiceFailure
 */
export async function* lookUpUnlisted(
  settlement: Settlement,
  isShown: (rewardId: string) => boolean,
): AsyncGenerator<UnlistedReward> {
  const { service, clock, stopping } = settlement;
  // A reward looked up alone is recorded even if a later lookup fails.
  const { size, width } = service.canFindOne
    ? { size: 1, width: lookUpsAtOnce }
    : { size: groupMaximum, width: 1 };
  const groups = regroup(unlistedEntries(settlement, isShown), size);
  const looked = mapConcurrently(groups, { width }, async (group) => {
    const askedAtMs = clock.now();
    const hints = new Map(
      group.map(({ rewardId, seen }) => [rewardId, JSON.parse(seen.document) as JsonObject]),
    );
    const found = await service.findAll(hints, stopping);
    if (stopping.aborted) return [];
    return group.map((entry) => ({ entry, shown: found.get(entry.rewardId)?.seen, askedAtMs }));
  });
  yield* flatten(looked);
}

async function* unlistedEntries(
  settlement: Settlement,
  isShown: (rewardId: string) => boolean,
): AsyncGenerator<readonly LedgerEntry[]> {
  const { ledger, clock, plan, stopping } = settlement;
  for await (const page of ledger.entries({ payment: ['intended'] })) {
    if (stopping.aborted) return;
    const nowMs = clock.now();
    yield page.filter(
      (entry) =>
        entry.seen.status === 'QUEUED' &&
        !isQueuedSince(entry, settlement, nowMs) &&
        plan?.payments.has(entry.rewardId) !== true &&
        !isShown(entry.rewardId),
    );
  }
}

/**
 * Records the state of each waiting reward that the service no longer lists, so that no later run notices it again.
 * Yields the rewards that no longer wait there, and calls `note` with each. Returns the failure of the lookups, if any:
 * it does not prevent other payments, and the next run looks again.
 */
export async function* recordVanished(
  settlement: Settlement,
  isShown: (rewardId: string) => boolean,
  note: (rewardId: string) => void,
): AsyncGenerator<SettledReward, ServiceFailure | undefined> {
  const { ledger, run } = settlement;
  const record = async ({ entry, shown, askedAtMs }: UnlistedReward) => {
    const { rewardId } = entry;
    const seen = shown ?? absence(entry, { run, atMs: askedAtMs });
    const { entry: now = entry } = await ledger.change(rewardId, observe(rewardId, seen), { by: run });
    if (now.payment !== 'intended' || now.seen.status === 'QUEUED') return undefined;
    note(rewardId);
    return vanishedReward(entry, shown);
  };
  try {
    const recorded = mapConcurrently(lookUpUnlisted(settlement, isShown), { width: lookUpsAtOnce }, record);
    for await (const vanished of recorded) if (vanished !== undefined) yield vanished;
    return undefined;
  } catch (error) {
    if (error instanceof ServiceFailure) return error;
    throw error;
  }
}

/** The result of a waiting reward that the service shows with another status, or not at all. */
export function vanishedReward(entry: LedgerEntry, shown: Observation | undefined): SettledReward {
  const now =
    shown === undefined
      ? ', and does not show it'
      : `: it says ${shown.status || 'nothing about its status'}`;
  const reason = `the service no longer lists it${now}`;
  return { outcome: rewardOutcome(entry, { reason }), cause: 'vanished' };
}
