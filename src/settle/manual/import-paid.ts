import { hash } from 'node:crypto';
import { SeenIds } from '../../base/id-set.ts';
import type { JsonObject } from '../../base/json.ts';
import { chunk } from '../../base/lists.ts';
import { noMoney, plus } from '../../base/money.ts';
import type { Ledger, Observation } from '../../store/ledger/ledger.ts';
import type { UnfinishedImport } from '../../store/ledger/ledger-custody.ts';
import type { ObservedReward, RewardService } from '../flow/reward-service.ts';
import { noPayer } from '../rules/policy.ts';
import { importReward, resolve } from '../rules/transitions.ts';

/*
 * Rewards that were paid before the ledger existed, and that the service still shows as QUEUED, must be imported before
 * it pays. So a new ledger stays frozen until then: if interrupted, it pays nothing, and the same command continues.
 */

/** The service's waiting rewards, and its rewards on a list of paid ones. */
export type OpeningScan = Awaited<ReturnType<typeof scanOpening>>;

/** Reads all QUEUED rewards, then others until each of `paidIds` is found. @throws ServiceFailure */
export async function scanOpening(service: RewardService, paidIds: readonly string[]) {
  const missing = new Set(paidIds);
  const found: ObservedReward[] = [];
  let waiting = noMoney;
  const collect = (page: readonly ObservedReward[]) => {
    found.push(...page.filter(({ rewardId }) => missing.delete(rewardId)));
  };
  const firstQueued: ObservedReward[] = [];
  const shown = new SeenIds();
  for await (const listed of service.queued()) {
    const page = listed.filter(({ rewardId }) => shown.add(rewardId, 0, 0) === undefined);
    waiting = page.reduce((sum, { seen }) => plus(sum, seen.amount ?? 0n), waiting);
    firstQueued.push(...page.slice(0, Math.max(0, comparedMaximum - firstQueued.length)));
    collect(page);
  }
  if (missing.size > 0) {
    for await (const page of service.all()) {
      collect(page);
      if (missing.size === 0) break;
    }
  }
  return {
    queued: waiting,
    /** The first of these rewards, to recognize the service. */
    firstQueued,
    /** Rewards on the list, in any status; each at most once. */
    found,
    /** Ids of the list that the service does not show. */
    missing: [...missing],
  };
}

/** Rewards by which a service is recognized; more would not help. */
const comparedMaximum = 1_000;

/** The first rewards of the service, in any status. @throws ServiceFailure */
export async function firstRewards(service: Pick<RewardService, 'all'>): Promise<readonly ObservedReward[]> {
  const rewards: ObservedReward[] = [];
  for await (const page of service.all()) {
    rewards.push(...page);
    if (rewards.length >= comparedMaximum) break;
  }
  return rewards.slice(0, comparedMaximum);
}

/**
 * Counts the rewards that the ledger has seen. Both id and creation time must match, since two services may both number
 * from 1.
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

/** The import of these rewards into a new ledger. The result does not depend on their order. */
export function unfinishedImport(paidIds: readonly string[]): UnfinishedImport {
  return {
    list: hash('sha256', JSON.stringify(paidIds.toSorted()), 'base64url').slice(0, 8),
    reason: 'ledger init did not finish: run it again',
  };
}

/** The number of rewards in one page. */
const pageSize = 500;

/**
 * Imports rewards as paid; `onImported` gets the number imported so far. Safe to run again: rewards already recorded as
 * paid stay unchanged.
 */
export async function importPaid(
  ledger: Ledger,
  rewards: readonly ObservedReward[],
  by: string,
  onImported: (count: number) => void = () => undefined,
): Promise<void> {
  let count = 0;
  for (const page of chunk(rewards, pageSize)) {
    await Promise.all(page.map(({ rewardId, seen }) => importOne(ledger, rewardId, seen, by)));
    count += page.length;
    onImported(count);
  }
}

async function importOne(ledger: Ledger, rewardId: string, seen: Observation, by: string): Promise<void> {
  const { kind, entry } = await ledger.change(rewardId, importReward(rewardId, seen, null), { by });
  if (kind === 'changed') return;
  // The webhook may have added it meanwhile. It cannot have been paid, since the ledger is frozen.
  const finding = { kind: 'paid', ref: 'before this ledger' } as const;
  await ledger.change(rewardId, resolve(entry?.attempt ?? 0, finding, noPayer), { by });
}
