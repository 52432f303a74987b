import { expect, it } from 'vitest';
import { resolveReward } from '../../src/settle/manual/resolve-reward.ts';
import { openSettlement } from './open-settlement.ts';
import { pays, scriptedPayer } from './scripted-payer.ts';

it('a conflict that a person accepts is reported no more, and nothing is sent for it', async () => {
  const { settle, sandbox, ledger, settlement, requests } = await openSettlement({ reviews: 1 });
  const payer = scriptedPayer({
    script: ({ rewardId }) => {
      sandbox.transact(({ state }) => {
        const reward = state.rewards.get(rewardId);
        if (reward) state.rewards.put({ ...reward, status: 'FAILURE' });
      });
      return pays;
    },
  });
  const [first] = (await settle(payer)).outcomes;
  expect(first).toMatchObject({ outcome: 'paid', report: 'conflict' });
  expect((await settle(payer)).outcomes).toMatchObject([{ outcome: 'paid', report: 'conflict' }]);

  const finding = { kind: 'accepted', reason: 'paid all the same' } as const;
  const entry = await ledger.find(first?.rewardId ?? '');
  if (entry === undefined) throw new Error('the reward is not in the ledger');
  expect(await resolveReward(settlement(payer), entry, finding)).toMatchObject({
    kind: 'resolved',
    entry: { payment: 'paid', report: 'confirmed' },
  });
  const before = requests.length;
  expect((await settle(payer)).outcomes).toEqual([]);
  expect(requests.slice(before).every(({ method }) => method === 'GET')).toBe(true);
  expect(payer.calls).toHaveLength(1);
});

it('a reward without a conflict cannot be accepted', async () => {
  const { settle, ledger, settlement } = await openSettlement({ reviews: 1 });
  const payer = scriptedPayer({});
  const [first] = (await settle(payer)).outcomes;
  const entry = await ledger.find(first?.rewardId ?? '');
  if (entry === undefined) throw new Error('the reward is not in the ledger');
  const resolution = await resolveReward(settlement(payer), entry, { kind: 'accepted', reason: 'why not' });
  expect(resolution.kind).toBe('kept');
});
