import type { JsonObject } from '../../base/json.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { ObservedReward, RewardService } from '../flow/reward-service.ts';

/** Rewards by which a service is recognized; more would add nothing. */
export const comparedMaximum = 1_000;

/** The first rewards of the service, whatever their status. @throws ServiceFailure */
export async function firstRewards(service: Pick<RewardService, 'all'>): Promise<readonly ObservedReward[]> {
  const rewards: ObservedReward[] = [];
  for await (const page of service.all()) {
    rewards.push(...page);
    if (rewards.length >= comparedMaximum) break;
  }
  return rewards.slice(0, comparedMaximum);
}

/**
 * How many of these rewards the ledger has seen: with the same id and creation time, since two services may number from
 * 1.
 */
export async function countKnown(
  ledger: Pick<Ledger, 'find'>,
  rewards: readonly ObservedReward[],
): Promise<number> {
  let count = 0;
  for (const { rewardId, seen } of rewards) {
    const entry = await ledger.find(rewardId);
    if (entry !== undefined && createdAt(entry.seen.document) === createdAt(seen.document)) count += 1;
  }
  return count;
}

function createdAt(document: string): unknown {
  return (JSON.parse(document) as JsonObject)['createdAt'];
}
