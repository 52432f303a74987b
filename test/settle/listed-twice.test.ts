import { expect, it } from 'vitest';
import type { Transport } from '../../src/contract/wire.ts';
import { planSettlement } from '../../src/settle/flow/plan-settlement.ts';
import type { RewardOutcome } from '../../src/settle/flow/settlement.ts';
import { openPolicy } from './open-policy.ts';
import { openSettlement, type SettlementWorld, words } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

type Listed = {
  readonly id: string;
  readonly amount: number;
  readonly order: { readonly memberOriginId: string | null };
};
interface ListedPage {
  readonly data: readonly Listed[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}

/** Repeats the first reward of a member on the last page of the list, changed by `twist`. */
function listingTwice(twist: (reward: Listed) => object): (transport: Transport) => Transport {
  let first: Listed | undefined;
  return (transport) => async (request, signal) => {
    const reply = await transport(request, signal);
    if (request.operation !== 'listRewards' || reply.status !== 200) return reply;
    const page = JSON.parse(reply.body) as ListedPage;
    first ??= page.data.find(({ order }) => order.memberOriginId !== null);
    const isLast = !page.pageInfo.hasNextPage && request.path.includes('QUEUED');
    if (first === undefined || !isLast) return reply;
    return { ...reply, body: JSON.stringify({ ...page, data: [...page.data, twist(first)] }) };
  };
}

const dearer = (reward: Listed) => ({ ...reward, amount: reward.amount + 400 });

async function planOf(world: SettlementWorld, policy = openPolicy): Promise<readonly RewardOutcome[]> {
  const outcomes: RewardOutcome[] = [];
  for await (const { outcome } of planSettlement(world.settlement(scriptedPayer({}), { policy })))
    outcomes.push(outcome);
  return outcomes;
}

const contradicts = expect.stringMatching(/^the service lists it more than once, with different terms$/);

it.each([
  ['on one page', 5],
  ['on different pages', 130],
])(
  'a reward listed twice with different terms %s is not paid, is named, and every other is paid',
  async (_name, reviews) => {
    const world = await openSettlement({ reviews, around: listingTwice(dearer) });
    const planned = await planOf(world);
    expect(planned.filter(({ reason }) => reason?.includes('more than once'))).toMatchObject([
      { outcome: 'held', amount: null, reason: contradicts },
    ]);
    const payer = scriptedPayer({});
    const { settled } = await world.settle(payer);
    const held = settled.filter(({ cause }) => cause === 'contradictory');
    expect(held).toMatchObject([{ outcome: { outcome: 'held', key: null, reason: contradicts } }]);
    expect(payer.effects.has(held[0]?.outcome.rewardId ?? '')).toBe(false);
    expect(payer.effects.size).toBe(words(settled.map(({ outcome }) => outcome))['paid']);
  },
);

it('a reward listed twice with the same terms is one reward, in a dry run too', async () => {
  const world = await openSettlement({ reviews: 5, around: listingTwice((reward) => reward) });
  const planned = await planOf(world);
  const { outcomes } = await world.settle();
  expect(new Set(planned.map(({ rewardId }) => rewardId)).size).toBe(planned.length);
  expect(planned).toHaveLength(outcomes.length);
});

it('once it is listed with one meaning, it is paid', async () => {
  let isTwice = true;
  const twice = listingTwice(dearer);
  const around = (transport: Transport): Transport => {
    const doubled = twice(transport);
    return (request, signal) => (isTwice ? doubled : transport)(request, signal);
  };
  const world = await openSettlement({ reviews: 5, around });
  const before = words((await world.settle()).outcomes);
  isTwice = false;
  const after = words((await world.settle()).outcomes);
  expect(after).toEqual({ paid: 1, ...(before['held'] === 1 ? {} : { held: (before['held'] ?? 0) - 1 }) });
});

it('a reward that is paid is not reported while the list shows it with different terms at once', async () => {
  const down = { isDown: true };
  const twice = listingTwice(dearer);
  const around = (transport: Transport): Transport => {
    const doubled = twice(transport);
    return async (request, signal) => {
      if (!down.isDown) return doubled(request, signal);
      const reply = await transport(request, signal);
      return request.method === 'GET' ? reply : { ...reply, status: 503, body: '{}' };
    };
  };
  const world = await openSettlement({ reviews: 1, around });
  expect((await world.settle()).outcomes).toMatchObject([{ outcome: 'paid', report: 'sent' }]);
  world.sandbox.transact(({ state: { rewards } }) => {
    for (const reward of rewards.values()) rewards.put({ ...reward, status: 'QUEUED' });
  });
  down.isDown = false;
  const { outcomes } = await world.settle();
  expect(outcomes).toMatchObject([
    {
      outcome: 'paid',
      report: 'conflict',
      reason: expect.stringContaining('the service lists it more than once'),
    },
  ]);
});

it('in whatever order they are listed, under caps a dry run names the rewards that the run then pays', async () => {
  const world = await openSettlement({
    reviews: 60,
    around: (transport) => async (request, signal) => {
      const reply = await transport(request, signal);
      if (request.operation !== 'listRewards') return reply;
      const page = JSON.parse(reply.body) as ListedPage;
      const isSecond = (_: unknown, index: number) => index % 2 === 1;
      const data = [
        ...page.data.filter(isSecond),
        ...page.data.filter((one, index) => !isSecond(one, index)),
      ];
      return { ...reply, body: JSON.stringify({ ...page, data }) };
    },
  });
  const policy = {
    ...openPolicy,
    maxPerRun: { amount: 100_000_000n, count: 7 },
    maxPerMemberPerDay: 30_000_000n,
  };
  const planned = await planOf(world, policy);
  const { outcomes } = await world.settle(undefined, { policy, concurrency: 1 });
  const idsOf = (list: readonly RewardOutcome[], isMeant: (outcome: RewardOutcome) => boolean) =>
    list.filter(isMeant).map(({ rewardId }) => rewardId);
  const paid = idsOf(outcomes, ({ outcome }) => outcome === 'paid');
  expect(paid.length).toBeGreaterThan(3);
  expect(idsOf(planned, ({ reason }) => reason === 'would be paid')).toEqual(paid);
  expect(planned.map(({ rewardId }) => rewardId)).toEqual(outcomes.map(({ rewardId }) => rewardId));
});
