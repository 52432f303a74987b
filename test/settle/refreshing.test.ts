import { describe, expect, it } from 'vitest';
import type { ObservedReward } from '../../src/settle/flow/reward-service.ts';
import { createRefresher } from '../../src/settle/flow/sync-queued.ts';
import { countKnown, firstRewards } from '../../src/settle/manual/known-rewards.ts';
import { freshMs } from '../../src/settle/rules/policy.ts';
import type { LedgerEntry } from '../../src/store/ledger/ledger.ts';
import { observation, seen } from './entries.ts';
import { openPlanWorld } from './open-plan-world.ts';
import { pagesOf, readLedger } from './read-ledger.ts';
import { scriptedPayer } from './scripted-payer.ts';

describe('a reward that was seen too long ago', () => {
  async function open({
    canFindOne,
    listMs = 0,
  }: {
    readonly canFindOne: boolean;
    readonly listMs?: number;
  }) {
    const world = await openPlanWorld({ reviews: 2 });
    const asked: string[] = [];
    const base = world.settlement(scriptedPayer({}));
    const service = {
      ...base.service,
      canFindOne,
      queued: async function* () {
        asked.push('list');
        await world.clock.sleep(listMs);
        yield* base.service.queued();
      },
      find: async (...args: Parameters<typeof base.service.find>) => {
        asked.push(`find ${args[0]}`);
        return base.service.find(...args);
      },
    };
    await world.settle(
      scriptedPayer({ script: () => ({ isEffective: false, answer: { kind: 'retry', message: '' } }) }),
    );
    const entries: LedgerEntry[] = [];
    for await (const page of world.ledger.entries()) entries.push(...page);
    await world.clock.sleep(3_600_000);
    const refresh = createRefresher({ ...base, service });
    const isFresh = async (rewardId: string) =>
      (await world.ledger.find(rewardId))?.seen.atMs === world.clock.now();
    return { ...world, asked, entries, refresh, isFresh };
  }

  it('is fetched by itself where that is possible', async () => {
    const { entries, refresh, asked, isFresh } = await open({ canFindOne: true });
    const [first] = entries;
    if (first === undefined) throw new Error('no rewards');
    await refresh(first);
    expect(asked).toEqual([`find ${first.rewardId}`]);
    expect(await isFresh(first.rewardId)).toBe(true);
  });

  it('is fetched with all others in one list where it is not, and by itself if it is not on the list', async () => {
    const { entries, refresh, asked, isFresh, put, clock } = await open({ canFindOne: false });
    const [first, second] = entries;
    if (first === undefined || second === undefined) throw new Error('no rewards');
    await Promise.all([refresh(first), refresh(second)]);
    expect(asked).toEqual(['list']);
    expect([await isFresh(first.rewardId), await isFresh(second.rewardId)]).toEqual([true, true]);
    await refresh(first);
    expect(asked).toEqual(['list', `find ${first.rewardId}`]);
    put(second.rewardId, { status: 'SUCCESS' });
    await clock.sleep(3_600_000);
    await refresh(second);
    expect(asked.slice(2)).toEqual(['list', `find ${second.rewardId}`]);
  });

  it.each([
    ['in half the time for which it holds', freshMs / 2, freshMs / 2, ['list', 'list']],
    ['in half of it, before it is stale', freshMs / 2, freshMs / 2 - 1, ['list', 'find']],
    ['in more than that', freshMs / 2 + 1, freshMs, ['list', 'find']],
  ])('is fetched in one list again if that was read %s', async (_, listMs, laterMs, expected) => {
    const { entries, refresh, asked, clock } = await open({ canFindOne: false, listMs });
    const [first] = entries;
    if (first === undefined) throw new Error('no rewards');
    await refresh(first);
    await clock.sleep(laterMs);
    await refresh(first);
    expect(asked.map((request) => request.split(' ')[0])).toEqual(expected);
  });
});

describe('a service', () => {
  const reward = (rewardId: string, createdAt: string): ObservedReward => ({
    rewardId,
    seen: observation({ document: JSON.stringify({ createdAt }) }),
  });

  it('is known by the rewards that a ledger has seen, of the same time', async () => {
    const known = ['1', '2', '4'].map((rewardId) => ({
      ...seen,
      rewardId,
      seen: observation({ document: '{"createdAt":"a"}' }),
    }));
    const rewards = [reward('1', 'a'), reward('2', 'b'), reward('3', 'a'), reward('4', 'a')];
    expect(await countKnown(readLedger(known), rewards)).toBe(2);
  });

  it('is asked for its first thousand rewards, and no more', async () => {
    const all = Array.from({ length: 3_000 }, (_, index) => reward(String(index), 'a'));
    const pages = [all.slice(0, 600), all.slice(600, 1_000), all.slice(1_000)];
    let read = 0;
    const service = {
      all: async function* () {
        for (const page of pages) {
          read += 1;
          yield page;
        }
      },
    };
    expect(await firstRewards(service)).toEqual(all.slice(0, 1_000));
    expect(read).toBe(2);
    expect(await firstRewards({ all: () => pagesOf(all.slice(0, 2)) })).toEqual(all.slice(0, 2));
  });
});
