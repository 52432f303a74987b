import { hash } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import { chunk } from '../../base/lists.ts';
import { type MoneyTotal, noMoney, plus } from '../../base/money.ts';
import type { Ledger, Observation } from '../../store/ledger/ledger.ts';
import type { UnfinishedImport } from '../../store/ledger/ledger-custody.ts';
import type { ObservedReward, RewardService } from '../flow/reward-service.ts';
import { noPayer } from '../rules/policy.ts';
import { importReward, resolve } from '../rules/transitions.ts';

/*
 * Rewards that were paid before there was a ledger, and that the service still shows as QUEUED, must be in the ledger
 * before it pays. So a new ledger is frozen until they are: interrupted at any moment, it pays nothing, and the same
 * command continues.
 */

/** What the service shows of the rewards that wait, and of a list of rewards that were paid. */
export type OpeningScan = Awaited<ReturnType<typeof scanOpening>>;

/** Reads all QUEUED rewards; and further ones only until each of the list `paidIds` is found. @throws ServiceFailure */
export async function scanOpening(service: RewardService, paidIds: readonly string[]) {
  const missing = new Set(paidIds);
  const found: ObservedReward[] = [];
  let waiting = noMoney;
  const take = (page: readonly ObservedReward[]) => {
    found.push(...page.filter(({ rewardId }) => missing.delete(rewardId)));
  };
  const firstQueued: ObservedReward[] = [];
  for await (const page of service.queued()) {
    waiting = page.reduce(add, waiting);
    firstQueued.push(...page.slice(0, Math.max(0, comparedMaximum - firstQueued.length)));
    take(page);
  }
  const queuedOfList = found.reduce(add, noMoney);
  if (missing.size > 0) {
    for await (const page of service.all()) {
      take(page);
      if (missing.size === 0) break;
    }
  }
  return {
    queued: waiting,
    /** The first of them, by which a service is known again. */
    firstQueued,
    /** Those of the list that wait all the same. */
    queuedOfList,
    /** Those of the list, whatever their status; as many as the list is long at most. */
    found,
    /** Ids of the list that the service does not show. */
    missing: [...missing],
  };
}

function add(total: MoneyTotal, { seen }: ObservedReward): MoneyTotal {
  return plus(total, seen.amount ?? 0n);
}

/** Rewards by which a service is recognized; more would add nothing. */
const comparedMaximum = 1_000;

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

/** The import of these rewards into a new ledger; the same for the same list, in any order. */
export function unfinishedImport(paidIds: readonly string[]): UnfinishedImport {
  return {
    list: hash('sha256', JSON.stringify(paidIds.toSorted()), 'base64url').slice(0, 8),
    reason: 'ledger init did not finish: run it again',
  };
}

/** Rewards of one page. */
const pageSize = 500;

/**
 * Puts rewards into the ledger as paid; `onImported` is given how many are there. May be run again: what is there as
 * paid stays as it is.
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
  // The webhook may have brought it in meanwhile. It cannot have been paid, since the ledger is frozen.
  const finding = { kind: 'paid', ref: 'before this ledger' } as const;
  await ledger.change(rewardId, resolve(entry?.attempt ?? 0, finding, noPayer), { by });
}
