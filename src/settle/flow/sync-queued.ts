import type { JsonObject } from '../../base/json.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import { SeenIds } from '../../input/ids/seen-ids.ts';
import type { LedgerEntry } from '../../store/ledger/ledger.ts';
import { freshMs } from '../rules/policy.ts';
import { see, seeAgain } from '../rules/transitions.ts';
import type { Refresh } from './pay-reward.ts';
import type { SeenReward } from './reward-service.ts';
import type { Settlement } from './settlement.ts';

/**
 * Notes sightings in the ledger, those of one page in one go; but those that nothing can be said of, whose ids no ledger may be able to
 * keep. `shown` are the rewards that earlier pages of the same list showed.
 */
async function seeAll(
  { ledger, run }: Settlement,
  page: readonly SeenReward[],
  shown: SeenIds,
): Promise<void> {
  const addressable = page.filter(({ rewardId }) => isPathSegment(rewardId));
  await Promise.all(
    addressable.map(({ rewardId, seen }) => {
      const step = shown.add(rewardId, 0, 0) === undefined ? see : seeAgain;
      return ledger.change(rewardId, step(rewardId, seen), { by: run });
    }),
  );
}

/**
 * Reads every QUEUED reward into the ledger before anything is paid: a reward that is told to the service while pages are
 * still read would move others from one page to the next. Ends early where the run is to stop: then nothing is paid anyway.
 * Resolves with those that cannot be addressed, and are not in the ledger: they are held.
 */
export async function syncQueued(settlement: Settlement): Promise<readonly SeenReward[]> {
  const shown = new SeenIds();
  const unaddressable: SeenReward[] = [];
  for await (const page of settlement.service.queued()) {
    await seeAll(settlement, page, shown);
    unaddressable.push(...page.filter(({ rewardId }) => !isPathSegment(rewardId)));
    if (settlement.stopping.aborted) break;
  }
  return unaddressable;
}

/** Looks one reward up and notes what the service shows of it; undefined where it shows none. */
export async function seeReward(
  settlement: Settlement,
  rewardId: string,
  hint: JsonObject,
): Promise<SeenReward | undefined> {
  const found = await settlement.service.find(rewardId, hint);
  if (found !== undefined && isPathSegment(rewardId))
    await settlement.ledger.change(rewardId, see(rewardId, found.seen), { by: settlement.run });
  return found;
}

/**
 * Looks again at a reward among many: where one cannot be fetched alone, the whole list is read once for all that have grown old. A reward that is not on
 * it is looked for alone; and so is each where the list is so long that what stands on it has grown old again when it is read to its end.
 */
export function createRefresher(settlement: Settlement): Refresh {
  const { clock, service } = settlement;
  let nextReadMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async () => {
    const beganMs = clock.now();
    await syncQueued(settlement);
    const isSlow = clock.now() - beganMs > freshMs / 2;
    nextReadMs = isSlow ? Number.POSITIVE_INFINITY : beganMs + freshMs;
  };
  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  return async (entry) => {
    // What is old although the list was read lately is not on it.
    if (!service.canFindOne && clock.now() >= nextReadMs) {
      await readOnce();
      if (await isFresh(settlement, entry)) return;
    }
    await seeReward(settlement, entry.rewardId, JSON.parse(entry.seen.document) as JsonObject);
  };
}

async function isFresh({ ledger, clock }: Settlement, { rewardId }: LedgerEntry): Promise<boolean> {
  const entry = await ledger.find(rewardId);
  return entry !== undefined && Math.abs(clock.now() - entry.seen.atMs) <= freshMs;
}
