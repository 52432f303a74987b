import { expect, it } from 'vitest';
import type { Transport } from '../../src/contract/wire.ts';
import { createRewardService, type ReadRewards } from '../../src/settle/flow/reward-service.ts';
import { openSettlement } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

const unchanged = (transport: Transport): Transport => transport;
const one = { getReward: 'GET /admin/v2/reward/{rewardId}' };

async function open({ taken = {}, reviews = 3, around = unchanged } = {}) {
  const world = await openSettlement({ taken, reviews, around, assumptions: taken });
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
  expect(service.canFindOne).toBe(false);
});

it('a reward that is found around the date of its review is not looked for in the whole list', async () => {
  const { service, asked } = await open();
  const [first] = await pageOf(service.queued());
  if (first === undefined) throw new Error('no reward is queued');
  expect(await service.find(first.rewardId, JSON.parse(first.seen.document))).toEqual(first);
  expect(asked()).toHaveLength(2);
});

async function pageOf<T>(pages: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  for await (const page of pages) return page;
  return [];
}

it('several rewards are looked for in one list, and the rest in the whole one', async () => {
  const { service, sandbox, asked } = await open();
  const { signal } = new AbortController();
  const shown = await pageOf(service.all());
  const hints = new Map(shown.map(({ rewardId, seen }) => [rewardId, JSON.parse(seen.document)]));
  const before = asked().length;
  const found = await service.findAll(hints, signal);
  expect([...found.keys()].toSorted()).toEqual(
    [...sandbox.state.rewards.values()].map(({ id }) => id).toSorted(),
  );
  hints.set('none', { review: { createdAt: '2026-01-10T12:00:00Z' } });
  expect([...(await service.findAll(hints, signal)).keys()]).not.toContain('none');
  expect(
    asked()
      .slice(before)
      .map((request) => request.includes('createdAt')),
  ).toEqual([true, true, false]);
});

it('several rewards are not looked for any further by a run that is stopping', async () => {
  const { service, asked } = await open({ reviews: 450 });
  const { signal } = new AbortController();
  const none = new Map([['none', {}]]);
  expect((await service.findAll(none, signal)).size).toBe(0);
  const whole = asked().length;
  expect((await service.findAll(none, AbortSignal.abort())).size).toBe(0);
  expect(asked().length - whole).toBeLessThan(whole);
});

it('the rewards of a list are seen as sent, when their page was asked for, and counted as they are read', async () => {
  let answered = async () => {};
  const around: typeof unchanged = (transport) => async (request, signal) => {
    const reply = await transport(request, signal);
    await answered();
    return reply;
  };
  const { api, clock, sandbox } = await open({ reviews: 250, around });
  answered = () => clock.sleep(1_000);
  const read: ReadRewards[] = [];
  const onPage = (page: ReadRewards) => void read.push(page);
  const service = createRewardService(api, { run: 'run', now: () => clock.now(), onPage });
  const beganMs = clock.now();
  const seenAtMs: number[] = [];
  for await (const page of service.all()) {
    for (const { rewardId, seen } of page) expect(JSON.parse(seen.document).id).toBe(rewardId);
    seenAtMs.push(...new Set(page.map(({ seen }) => seen.atMs - beganMs)));
  }
  const total = sandbox.state.rewards.size;
  expect(seenAtMs.length).toBeGreaterThan(1);
  expect(seenAtMs).toEqual(seenAtMs.map((_, index) => index * 1_000));
  expect(read.map(({ status }) => status)).toEqual(seenAtMs.map(() => undefined));
  expect(read.at(0)?.done).toBeLessThan(total);
  expect(read.at(-1)).toEqual({ status: undefined, done: total, total });
});

it('a list is not read on once its run is to end at once', async () => {
  const { api } = await open();
  const ended = createRewardService(api, { run: 'run', now: () => 0, signal: AbortSignal.abort() });
  await expect(pageOf(ended.queued())).rejects.toThrow();
});

it('a reward without status, amount or order is seen without them', async () => {
  const around: typeof unchanged = (transport) => async (request, signal) => {
    const reply = await transport(request, signal);
    const page = JSON.parse(reply.body);
    const none = { status: null, amount: null, order: null };
    const data = page.data.map((record: object) => ({ ...record, ...none }));
    return { ...reply, body: JSON.stringify({ ...page, data }) };
  };
  const { service } = await open({ around });
  const [first] = await pageOf(service.all());
  expect(first?.seen).toMatchObject({ status: '', amount: null, memberOriginId: null });
});

it.each<[what: string, fail: () => { readonly status: number } | Error, error: object]>([
  ['fails', () => ({ status: 500 }), { kind: 'unreachable' }],
  ['has a bug', () => new Error('a bug'), { message: 'a bug' }],
  [
    'has a bug like no reward',
    () => Object.assign(new Error('a bug'), { kind: 'not-found' }),
    { message: 'a bug' },
  ],
])('a reward is not taken as none where the way to the service %s', async (_, fail, error) => {
  const around: typeof unchanged = (transport) => async (request, signal) => {
    const failed = fail();
    if (failed instanceof Error) throw failed;
    return { ...(await transport(request, signal)), ...failed };
  };
  const { service, reward } = await open({ taken: one, around });
  await expect(service.find(reward.id, {})).rejects.toMatchObject(error);
});

it.each([
  [{}, [false]],
  [{ review: null }, [false]],
  [{ review: {} }, [false]],
  [{ review: { createdAt: 5 } }, [false]],
  [{ review: { createdAt: 'yesterday' } }, [false]],
  [{ review: { createdAt: '1969-12-31T23:59:59Z' } }, [false]],
  [{ review: { createdAt: '1970-01-01T00:00:00Z' } }, [true, false]],
  [{ review: { createdAt: '9999-12-30T00:00:00Z' } }, [true, false]],
  [{ review: { createdAt: '9999-12-30T00:00:00.001Z' } }, [false]],
])('a reward of %j is looked for around its review only if that has a date', async (hint, areDated) => {
  const { service, asked } = await open();
  expect(await service.find('none', hint)).toBeUndefined();
  expect(asked().map((request) => request.includes('createdAt'))).toEqual(areDated);
});

it('a reward that can be fetched is fetched by itself, and is none where it is not found', async () => {
  const { service, reward, asked } = await open({ taken: one });
  expect(service.canFindOne).toBe(true);
  expect((await service.find(reward.id, {}))?.seen).toMatchObject({ status: reward.status, run: 'run' });
  expect(await service.find('none', {})).toBeUndefined();
  expect(asked().every((request) => /^GET \/admin\/v2\/reward\/\w+$/.test(request))).toBe(true);
  expect(await service.find('..', {})).toBeUndefined();
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

it('several rewards that can be fetched are fetched one by one, until the run is stopping', async () => {
  const { service, sandbox, asked } = await open({ taken: one });
  const ids = [...sandbox.state.rewards.values()].map(({ id }) => id);
  const hints = new Map([...ids, 'none'].map((id) => [id, {}]));
  const found = await service.findAll(hints, new AbortController().signal);
  expect([...found.keys()].toSorted()).toEqual(ids.toSorted());
  expect(asked()).toHaveLength(hints.size);
  expect((await service.findAll(hints, AbortSignal.abort())).size).toBe(0);
  expect(asked()).toHaveLength(hints.size);
});
