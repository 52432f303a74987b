import { expect, test } from 'vitest';
import { openSandbox } from './open-sandbox.ts';

/** Rewards of a TEXT, an IMAGE and a VIDEO review, in this order; the last order is a guest's. */
async function withRewards() {
  const opened = await openSandbox();
  const { ask, clock, product } = opened;
  await product('P1');
  await ask(
    'POST',
    '/admin/v2/orders/bulk',
    ['M1', 'M2', undefined].map((memberOriginId, index) => ({
      originId: `O${index}`,
      orderedAt: '2025-12-01T00:00:00Z',
      memberOriginId,
      items: [{ originId: `I${index}`, productOriginId: 'P1' }],
    })),
  );
  const ids: string[] = [];
  for (const [index, media] of [{}, { images: 1 }, { videos: 1 }].entries()) {
    const [{ reward }] = await ask('POST', '/sandbox/reviews', {
      orderItemOriginId: `I${index}`,
      images: 0,
      videos: 0,
      ...media,
    });
    ids.push(reward.id);
    clock.advance(3_600_000);
  }
  const found = async (query: string) =>
    (await ask('GET', `/admin/v2/rewards?${query}`)).data
      .map(({ id }: { id: string }) => ids.indexOf(id) + 1)
      .join('');
  return { ...opened, ids, found };
}

test('every review earns a QUEUED reward by what it shows; a guest order has one without a member', async () => {
  const { ask } = await withRewards();
  const { data, totalCount } = await ask('GET', '/admin/v2/rewards?status=QUEUED');
  expect(totalCount).toBe(3);
  expect(data).toMatchObject([
    { amount: 2000, reviewCategory: 'VIDEO', order: { originId: 'O2', memberOriginId: null } },
    { amount: 1000, reviewCategory: 'IMAGE', order: { originId: 'O1', memberOriginId: 'M2' } },
    { amount: 500, reviewCategory: 'TEXT', order: { originId: 'O0', memberOriginId: 'M1' } },
  ]);
  expect(data[2]).toEqual({
    id: expect.any(String),
    amount: 500,
    reviewCategory: 'TEXT',
    status: 'QUEUED',
    review: { id: expect.any(String), createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
    order: { id: expect.any(String), originId: 'O0', memberOriginId: 'M1' },
    orderItem: { id: expect.any(String), originId: 'I0' },
    createdAt: '2026-01-01T00:00:00Z',
  });
});

test.each([
  ['', '321'],
  ['status=SUCCESS', ''],
  ['reviewCategories=TEXT&reviewCategories=VIDEO', '31'],
  ['reviewCategories=OTHER', ''],
  ['createdAtStart=2026-01-01T01:00:00Z', '32'],
  ['createdAtEnd=2026-01-01T01:00:00Z', '21'],
  ['updatedAtStart=2026-01-01T02:00:00Z', '3'],
  ['updatedAtEnd=2026-01-01T00:00:00Z', '1'],
])('rewards?%s finds %s', async (query, numbers) => {
  expect(await (await withRewards()).found(query)).toBe(numbers);
});

test('a reward is reported as SUCCESS, found by that status, and reported again without effect', async () => {
  const { ask, found, ids } = await withRewards();
  const path = `/admin/v2/reward/${ids[1]}`;
  const paid = await ask('PATCH', path, { status: 'SUCCESS' });
  expect(paid).toMatchObject({ id: ids[1], status: 'SUCCESS' });
  expect(await ask('PATCH', path, { status: 'SUCCESS' })).toEqual(paid);
  expect(await ask('PATCH', path, {})).toEqual(paid);
  expect(await ask('GET', path)).toEqual(paid);
  expect(await found('status=SUCCESS')).toBe('2');
  expect(await found('status=QUEUED')).toBe('31');
});

test('an unknown reward cannot be updated, and a status of no name is refused', async () => {
  const { call, ids } = await withRewards();
  expect((await call('PATCH', '/admin/v2/reward/1', { status: 'SUCCESS' })).status).toBe(404);
  const { status, body } = await call('PATCH', `/admin/v2/reward/${ids[0]}`, { status: 'FAILED' });
  expect(status).toBe(422);
  expect(body.detail[0].loc).toEqual(['body', 'status']);
});
