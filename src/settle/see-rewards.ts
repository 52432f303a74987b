import type { JsonObject } from '../base/json.ts';
import type { LedgerEntry } from '../store/ledger.ts';
import type { LookAgain } from './pay-reward.ts';
import type { SeenReward } from './reward-service.ts';
import type { Settlement } from './settlement.ts';
import { see } from './transitions.ts';

/** Notes sightings in the ledger, those of one page in one go. */
async function seeAll({ ledger, run }: Settlement, page: readonly SeenReward[]): Promise<void> {
  await Promise.all(
    page.map(({ rewardId, seen }) => ledger.change(rewardId, see(rewardId, seen), { by: run })),
  );
}

/**
 * Reads every QUEUED reward into the ledger before anything is paid: a reward that is told to the service while pages are
 * still read would move others from one page to the next.
 */
export async function seeQueued(settlement: Settlement): Promise<void> {
  for await (const page of settlement.service.queued()) await seeAll(settlement, page);
}

/** Looks one reward up and notes what the service shows of it; undefined where it shows none. */
export async function seeReward(
  settlement: Settlement,
  rewardId: string,
  hint: JsonObject,
): Promise<SeenReward | undefined> {
  const found = await settlement.service.find(rewardId, hint);
  if (found !== undefined) await seeAll(settlement, [found]);
  return found;
}

/**
 * Looks again at a reward among many: where one cannot be fetched alone, the whole list is read once for all that have grown old, and
 * only a reward that is not on it is looked for.
 */
export function lookAmongMany(settlement: Settlement): LookAgain {
  let reading: Promise<void> | undefined;
  const readOnce = () => {
    reading ??= seeQueued(settlement).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  return async (entry) => {
    if (!settlement.service.canFindOne) {
      await readOnce();
      if (await isSeenSince(settlement, entry)) return;
    }
    await seeReward(settlement, entry.rewardId, JSON.parse(entry.seen.document) as JsonObject);
  };
}

async function isSeenSince({ ledger }: Settlement, { rewardId, seen }: LedgerEntry): Promise<boolean> {
  const entry = await ledger.find(rewardId);
  return entry !== undefined && entry.seen.atMs > seen.atMs;
}
