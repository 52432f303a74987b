import type { Failure } from '../../base/failure.ts';
import { SeenIds } from '../../base/id-set.ts';
import type { JsonObject } from '../../base/json.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import type { LedgerEntry, Observation } from '../../store/ledger/ledger.ts';
import { isListedByOther, observeListed } from '../rules/listed-observation.ts';
import { freshMs } from '../rules/policy.ts';
import { observe, observeAgain } from '../rules/transitions.ts';
import type { Refresh } from './pay-reward.ts';
import type { ObservedReward } from './reward-service.ts';
import type { Settlement } from './settlement.ts';

/**
 * Records the observations of one page in one transaction. Only rewards that can be addressed: a ledger may be unable
 * to store other ids. `shown` are the rewards of earlier pages. If another run is reading the same list (`isShared`),
 * reads before it writes, since each transaction blocks all users of the ledger. Returns true if another run has just
 * listed some of these rewards.
 */
async function observePage(
  { ledger, clock, run, beganMs }: Settlement,
  page: readonly ObservedReward[],
  shown: SeenIds,
  isShared: boolean,
): Promise<boolean> {
  const listing = { run, beganMs };
  const read = isShared ? await Promise.all(page.map(({ rewardId }) => ledger.find(rewardId))) : [];
  const nowMs = clock.now();
  const areKnown = await Promise.all(
    page.map(async ({ rewardId, seen }, index) => {
      if (shown.add(rewardId, 0, 0) !== undefined) {
        await ledger.change<unknown>(rewardId, observeAgain(rewardId, seen), { by: run });
        return false;
      }
      const entry = read[index];
      if (entry !== undefined && isListedByOther(entry, { seen, listing, nowMs })) return true;
      const stepped = await ledger.change(rewardId, observeListed(rewardId, seen, listing), { by: run });
      return stepped.kind === 'kept' && stepped.reason.kind === 'known';
    }),
  );
  return areKnown.some(Boolean);
}

/**
 * Reads all QUEUED rewards into the ledger before anything is paid: a report between pages would move other rewards to
 * another page. Ends early if the run is stopping, since nothing is paid then.
 */
export async function syncQueued(settlement: Settlement) {
  const shown = new SeenIds();
  let listed = 0;
  const unaddressable: ObservedReward[] = [];
  let isShared = false;
  let shortage: Failure | undefined;
  const onShort = (failure: Failure) => {
    shortage = failure;
  };
  for await (const page of settlement.service.queued(onShort)) {
    const addressable = page.filter(({ rewardId }) => isPathSegment(rewardId));
    isShared = await observePage(settlement, addressable, shown, isShared);
    listed += addressable.length;
    unaddressable.push(...page.filter(({ rewardId }) => !isPathSegment(rewardId)));
    if (settlement.stopping.aborted) break;
  }
  return {
    /** Rewards that cannot be addressed. They are held, and not in the ledger. */
    unaddressable,
    /** The number of rewards on the list. */
    listed,
    /** The failure of a list that lacks rewards, if any. It does not prevent the payment of the others. */
    shortage,
    /** True if a reward is on the list. Call it once for each reward. */
    isShown: (rewardId: string) => shown.add(rewardId, 0, 0) !== undefined,
  };
}

/** Fetches one reward and records the observation; undefined if the service does not show it. */
export async function observeReward(
  settlement: Settlement,
  rewardId: string,
  hint: JsonObject,
): Promise<ObservedReward | undefined> {
  const found = await settlement.service.find(rewardId, hint);
  if (found !== undefined && isPathSegment(rewardId))
    await settlement.ledger.change(rewardId, observe(rewardId, found.seen), { by: settlement.run });
  return found;
}

/** The observation that the service does not show a reward: the last one, without a status. */
export function absence({ seen }: LedgerEntry, by: Pick<Observation, 'run' | 'atMs'>): Observation {
  return { ...seen, ...by, status: '' };
}

/**
 * Creates a function that refreshes a reward. If single rewards cannot be fetched, the whole list is read once for all
 * stale rewards. A reward missing from the list is fetched alone, and so is each reward of a list so long that its
 * first pages are stale at its end.
 */
export function createRefresher(settlement: Settlement): Refresh {
  const { clock, service } = settlement;
  let nextReadMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async () => {
    const beganMs = clock.monotonicMs();
    await syncQueued(settlement);
    const isSlow = clock.monotonicMs() - beganMs > freshMs / 2;
    nextReadMs = isSlow ? Number.POSITIVE_INFINITY : beganMs + freshMs;
  };
  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  return async (entry) => {
    // A reward that is stale although the list was just read is not on it.
    if (!service.canFindOne && clock.monotonicMs() >= nextReadMs) {
      await readOnce();
      const found = await settlement.ledger.find(entry.rewardId);
      if (found !== undefined && Math.abs(clock.now() - found.seen.atMs) <= freshMs) return;
    }
    const { rewardId, seen } = entry;
    const by = { run: settlement.run, atMs: clock.now() };
    const found = await observeReward(settlement, rewardId, JSON.parse(seen.document) as JsonObject);
    if (found === undefined)
      await settlement.ledger.change(rewardId, observe(rewardId, absence(entry, by)), { by: by.run });
  };
}
