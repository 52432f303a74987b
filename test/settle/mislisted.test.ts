import { expect, it } from 'vitest';
import type { Transport } from '../../src/contract/wire.ts';
import { planSettlement } from '../../src/settle/flow/plan-settlement.ts';
import { openSettlement } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

interface ListedPage {
  readonly data: readonly { readonly id: string }[];
}

/** The list of QUEUED rewards shows each of them with this status. */
function listingAs(status: string | undefined): (transport: Transport) => Transport {
  return (transport) => async (request, signal) => {
    const reply = await transport(request, signal);
    if (request.operation !== 'listRewards' || !request.path.includes('QUEUED')) return reply;
    const page = JSON.parse(reply.body) as ListedPage;
    const data = page.data.map((reward) => ({ ...reward, status }));
    return { ...reply, body: JSON.stringify({ ...page, data }) };
  };
}

it.each([['queued'], ['QUEUED '], ['SUCCESS'], [undefined]])(
  'rewards that the list of QUEUED ones shows as %j are not paid, and each is named as mislisted, in a dry run too',
  async (status) => {
    const world = await openSettlement({ around: listingAs(status) });
    const payer = scriptedPayer({});
    const { settled } = await world.settle(payer);
    expect(payer.calls).toEqual([]);
    expect(settled).toHaveLength(world.sandbox.state.rewards.size);
    const reason =
      status === undefined ? 'the service does not show it or its status' : `the service says ${status}`;
    const result = { cause: 'mislisted', outcome: { outcome: 'waiting', reason } };
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
