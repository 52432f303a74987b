import { expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import type { RewardService } from '../../src/settle/flow/reward-service.ts';
import { resolveReward } from '../../src/settle/manual/resolve-reward.ts';
import { openSettlement, type SettlementWorld, statuses, words } from './open-settlement.ts';
import { isGone, pays, scriptedPayer } from './scripted-payer.ts';

const dayMs = 86_400_000;

/** The service of a run whose list takes `pageMs` a page and begins with what the ledger reads first. */
function slowService({ settlement, clock }: SettlementWorld, run: string, pageMs: number) {
  const { service } = settlement(scriptedPayer({}), { run });
  let lists = 0;
  const queued: RewardService['queued'] = async function* () {
    lists += 1;
    const pages = [];
    for await (const page of service.queued()) pages.unshift(page.toReversed());
    for (const page of pages) {
      const atMs = clock.now();
      await clock.sleep(pageMs);
      yield page.map(({ rewardId, seen }) => ({ rewardId, seen: { ...seen, atMs } }));
    }
  };
  return { service: { ...service, queued }, lists: () => lists };
}

function changeRewards(
  { sandbox }: SettlementWorld,
  change: { amount?: number; status?: 'QUEUED' | 'CANCELLED' },
): void {
  sandbox.transact(({ state }) => {
    for (const reward of state.rewards.values()) {
      state.rewards.put({ ...reward, ...change, amount: reward.amount + (change.amount ?? 0) });
    }
  });
}

it('a list that takes longer to read than money may be paid by is no reason to leave a reward out, nor to read it without end', async () => {
  const world = await openSettlement({ reviews: 500 });
  const { service, lists } = slowService(world, 'slow', 25_000);
  const { outcomes, error } = await world.settle(scriptedPayer({}), { run: 'slow', service });
  expect({ error, waiting: words(outcomes)['waiting'] }).toEqual({ error: undefined, waiting: undefined });
  expect(statuses(world.sandbox)).toEqual({
    SUCCESS: words(outcomes)['paid'],
    QUEUED: words(outcomes)['held'],
  });
  expect(lists()).toBe(2);
});

it('the list is read once for all that are not on it any more, not for each', async () => {
  const world = await openSettlement({ reviews: 250 });
  const capabilities = { idempotentForMs: 30 * dayMs };
  const answer = { kind: 'ambiguous', message: 'no answer' } as const;
  const lost = { isEffective: false, answer };
  const dead = scriptedPayer({ script: (_payment, call) => (call === 1 ? pays : lost), capabilities });
  await world.settle(dead, { concurrency: 64 });
  changeRewards(world, { status: 'CANCELLED' });
  await world.clock.sleep(120_000);
  const before = world.requests.length;
  const { outcomes } = await world.settle(scriptedPayer({ capabilities }), { concurrency: 1 });
  const lists = world.requests.slice(before).filter(({ path }) => !path.includes('createdAtStart'));
  expect(outcomes.length).toBeGreaterThan(20);
  expect(lists).toHaveLength(2);
});

it('a clock that ran ahead by days and was set back hides no reward', async () => {
  const world = await openSettlement({ reviews: 5 });
  const { now, sleep } = { now: () => world.clock.now() + 3 * dayMs, sleep: () => Promise.resolve() };
  const ahead: Clock = { now, monotonicMs: now, sleep };
  const { service } = world.settlement(scriptedPayer({}), { run: 'ahead' });
  const queued: RewardService['queued'] = async function* () {
    for await (const page of service.queued()) {
      yield page.map(({ rewardId, seen }) => ({ rewardId, seen: { ...seen, atMs: ahead.now() } }));
    }
  };
  await world.settle(scriptedPayer({ script: () => isGone }), {
    run: 'ahead',
    service: { ...service, queued },
    clock: ahead,
  });
  const { outcomes } = await world.settle();
  expect(outcomes).toHaveLength(5);
  expect(statuses(world.sandbox)['SUCCESS']).toBe(words(outcomes)['paid']);
});

it.each([
  ['', 0],
  [', also by a clock that was set back', dayMs],
])(
  'a reward that the service confirmed and lists as QUEUED again is reported again, and not paid again%s',
  async (_, setBackMs) => {
    const world = await openSettlement({ reviews: 5 });
    await world.settle();
    world.clock.setBack(setBackMs);
    const settled = statuses(world.sandbox);
    changeRewards(world, { status: 'QUEUED' });
    const payer = scriptedPayer({});
    const { outcomes } = await world.settle(payer);
    expect(payer.calls).toEqual([]);
    expect(statuses(world.sandbox)).toEqual(settled);
    expect(outcomes.filter(({ outcome }) => outcome === 'paid').map(({ report }) => report)).toEqual(
      Array.from({ length: settled['SUCCESS'] ?? 0 }, () => 'confirmed'),
    );
  },
);

it('a reward whose amount changed after a call that paid nothing is paid once a person says so, under another key', async () => {
  const world = await openSettlement({ reviews: 1 });
  const before = await world.settle(scriptedPayer({ script: () => isGone }));
  const amount = Number(before.outcomes[0]?.amount);
  changeRewards(world, { amount: 5 });
  const {
    outcomes: [held],
  } = await world.settle();
  expect(held).toMatchObject({ outcome: 'held', amount });
  const entry = await world.ledger.find(held?.rewardId ?? '');
  if (entry === undefined) throw new Error('it is not in the ledger');
  const finding = { kind: 'not-paid', reason: 'no call left' } as const;
  expect(await resolveReward(world.settlement(scriptedPayer({})), entry, finding)).toMatchObject({
    kind: 'resolved',
  });
  const {
    outcomes: [paid],
  } = await world.settle();
  expect(paid).toMatchObject({ outcome: 'paid', report: 'confirmed', amount: amount + 5 });
  expect(paid?.key).not.toBe(held?.key);
});
