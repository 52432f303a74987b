import { expect, it } from 'vitest';
import { openSettlement } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

const one = { getReward: 'GET /admin/v2/reward/{rewardId}' };

async function open({ taken = {}, reviews = 3 } = {}) {
  const world = await openSettlement({ taken, reviews, assumptions: taken });
  const { service } = world.settlement(scriptedPayer({}), { run: 'run' });
  const [reward] = [...world.sandbox.state.rewards.values()];
  if (reward === undefined) throw new Error('there are no rewards');
  const asked = () => world.requests.map(({ method, path }) => `${method} ${path}`);
  return { ...world, service, reward, asked };
}

it('a report gives back what the service shows of the reward then', async () => {
  const { service, reward, clock } = await open();
  const { rewardId, seen } = await service.update(reward.id, 'SUCCESS');
  expect({ rewardId, status: seen.status, run: seen.run, atMs: seen.atMs }).toEqual({
    rewardId: reward.id,
    status: 'SUCCESS',
    run: 'run',
    atMs: clock.now(),
  });
  expect(JSON.parse(seen.document)).toMatchObject({ id: reward.id, status: 'SUCCESS' });
});

it('a reward is looked for within a day of its review, and then in the whole list', async () => {
  const { service, reward, asked } = await open();
  const review = { createdAt: '2026-01-10T12:00:00Z' };
  await service.find('none', { review }, 'QUEUED');
  const [near, all] = asked();
  const query = new URLSearchParams(near?.split('?')[1]);
  expect(query.get('createdAtStart')).toMatch(/^2026-01-09T12:00:00(?:\.000)?Z$/);
  expect(query.get('createdAtEnd')).toMatch(/^2026-01-11T12:00:00(?:\.000)?Z$/);
  expect(query.get('status')).toBe('QUEUED');
  expect(all).not.toContain('createdAt');
  expect(all).toContain('status=QUEUED');
  expect((await service.find(reward.id, {}))?.rewardId).toBe(reward.id);
});

it.each([
  {},
  { review: null },
  { review: {} },
  { review: { createdAt: 5 } },
  { review: { createdAt: 'yesterday' } },
  { review: { createdAt: '1969-12-31T23:59:59Z' } },
  { review: { createdAt: '9999-12-31T00:00:00Z' } },
])('a reward of %j is looked for in the whole list alone', async (hint) => {
  const { service, asked } = await open();
  expect(await service.find('none', hint)).toBeUndefined();
  expect(asked()).toHaveLength(1);
  expect(asked()[0]).not.toContain('createdAt');
});

it('a reward that can be fetched is fetched by itself, and is none where it is not found', async () => {
  const { service, reward, asked } = await open({ taken: one });
  expect(service.canFindOne).toBe(true);
  expect((await service.find(reward.id, {}))?.seen).toMatchObject({ status: reward.status, run: 'run' });
  expect(await service.find('none', {})).toBeUndefined();
  expect(asked().every((request) => /^GET \/admin\/v2\/reward\/\w+$/.test(request))).toBe(true);
});

it.each([
  ['a name', 'M1', 'M1'],
  ['no name', null, null],
  ['an empty name', '', null],
  ['a name with a null character', 'M\0', null],
  ['a name with half of a character', 'M\ud800', null],
])(
  'the member of an order with %s is paid only if it can be named: %j',
  async (_, memberOriginId, member) => {
    const { service, reward, sandbox } = await open({ taken: one });
    sandbox.transact(({ state }) => {
      const order = state.orders.get(state.orderItems.get(reward.orderItemId)?.orderId ?? '');
      if (order === undefined) throw new Error('the reward has no order');
      state.orders.put({ ...order, memberOriginId });
    });
    expect((await service.find(reward.id, {}))?.seen.memberOriginId).toBe(member);
  },
);
