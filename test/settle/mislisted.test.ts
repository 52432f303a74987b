import { expect, it } from 'vitest';
import type { Transport } from '../../src/contract/wire.ts';
import { planSettlement } from '../../src/settle/flow/plan-settlement.ts';
import { openMembers, openSettlement } from './open-settlement.ts';
import { isGone, scriptedPayer } from './scripted-payer.ts';

interface ListedPage {
  readonly data: readonly { readonly id: string }[];
}

/** Shows this status for every reward in the list of QUEUED rewards. */
function listingAs(status: string | undefined): (transport: Transport) => Transport {
  return (transport) => async (request, signal) => {
    const reply = await transport(request, signal);
    if (request.operation !== 'listRewards' || !request.path.includes('QUEUED')) return reply;
    const page = JSON.parse(reply.body) as ListedPage;
    const data = page.data.map((reward) => ({ ...reward, status }));
    return { ...reply, body: JSON.stringify({ ...page, data }) };
  };
}

it.each([['queued'], [undefined]])(
  'rewards that the list of QUEUED ones shows as %j are not paid, and each is named as vanished, in a dry run too',
  async (status) => {
    const world = await openSettlement({ around: listingAs(status) });
    const payer = scriptedPayer({});
    const { settled } = await world.settle(payer);
    expect(payer.calls).toEqual([]);
    expect(settled).toHaveLength(world.sandbox.state.rewards.size);
    const reason =
      status === undefined ? 'the service does not show it or its status' : `the service says ${status}`;
    const result = { cause: 'vanished', outcome: { outcome: 'waiting', reason } };
    for (const reward of settled) expect(reward).toMatchObject(result);
    for await (const planned of planSettlement(world.settlement(payer)))
      expect(planned).toMatchObject(result);
  },
);

it.each([
  ['FAILURE', 'the service says FAILURE'],
  [undefined, 'the service does not show it or its status'],
] as const)('a reward that becomes %s after it was listed is named once', async (status, reason) => {
  const world = await openSettlement({ reviews: 5 });
  let isFirst = true;
  const payer = scriptedPayer({
    script: async () => {
      if (isFirst) {
        isFirst = false;
        await world.clock.sleep(90_000);
        world.sandbox.transact(({ state: { rewards } }) => {
          for (const reward of [...rewards.values()]) {
            if (status === undefined) rewards.remove(reward.id);
            else rewards.put({ ...reward, status });
          }
        });
      }
      return { isEffective: true, answer: { kind: 'paid' } };
    },
  });
  const { settled } = await world.settle(payer, { concurrency: 1 });
  const left = settled.filter(({ outcome }) => outcome.outcome === 'waiting');
  expect(left.length).toBeGreaterThan(1);
  for (const reward of left) expect(reward).toMatchObject({ cause: 'vanished', outcome: { reason } });
  await world.clock.sleep(1);
  const later = await world.settle(payer);
  const named = new Set(later.outcomes.map(({ rewardId }) => rewardId));
  expect(left.filter(({ outcome }) => named.has(outcome.rewardId))).toEqual([]);
});

it('rewards that vanished are recorded and named once, up to one that cannot be looked up', async () => {
  let broken = '';
  const around = (transport: Transport): Transport => {
    return async (request, signal) => {
      const reply = await transport(request, signal);
      return request.operation === 'getReward' && request.path.endsWith(`/${broken}`)
        ? { ...reply, status: 500 }
        : reply;
    };
  };
  const taken = { getReward: 'GET /admin/v2/reward/{rewardId}' };
  const { settle, put, rewardIds, clock } = await openMembers({
    reviews: 5,
    taken,
    assumptions: taken,
    around,
  });
  const payer = scriptedPayer({ script: () => isGone });
  await settle(payer);
  await clock.sleep(1);
  put({ status: 'FAILURE' });
  const runs: (readonly [string[], unknown])[] = [];
  for (const id of [rewardIds[2] ?? '', rewardIds[2] ?? '', 'none']) {
    broken = id;
    const { outcomes, error } = await settle(payer);
    runs.push([outcomes.map(({ rewardId }) => rewardId), error]);
  }
  const failure = expect.objectContaining({ kind: 'unreachable' });
  expect(runs).toEqual([
    [rewardIds.slice(0, 2), failure],
    [[], failure],
    [rewardIds.slice(2), undefined],
  ]);
});
