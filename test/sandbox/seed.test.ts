import { expect, test } from 'vitest';
import { rewardStatuses } from '../../src/contract/states.ts';
import { type OpenSandbox, openSandbox } from './open-sandbox.ts';

const counts = { products: 30, orders: 100, reviews: 60 };

const wholeWorld = async ({ ask }: OpenSandbox) => {
  const lists = ['products', 'product-groups', 'reviews', 'rewards'];
  return Promise.all(lists.map((list) => ask('GET', `/admin/v2/${list}?first=100`)));
};

test('one seed makes the same state again, another seed another one', async () => {
  const one = await wholeWorld(await openSandbox({ ...counts, seed: 1 }));
  expect(await wholeWorld(await openSandbox({ ...counts, seed: 1 }))).toEqual(one);
  expect(await wholeWorld(await openSandbox({ ...counts, seed: 2 }))).not.toEqual(one);
});

test('as many products, orders and reviews are made as were asked for', async () => {
  const { ask, sandbox } = await openSandbox(counts);
  expect(sandbox.state.products.size).toBe(30);
  expect(sandbox.state.orders.size).toBe(100);
  expect((await ask('GET', '/admin/v2/reviews')).totalCount).toBe(60);
  expect((await ask('GET', '/admin/v2/rewards?status=QUEUED')).totalCount).toBe(60);
});

test('seeded reviews read like reviews: Korean, mostly content, of every kind, in the past', async () => {
  const { sandbox, clock } = await openSandbox({ reviews: 500 });
  const reviews = [...sandbox.state.reviews.values()];
  const share = (fits: (review: (typeof reviews)[number]) => boolean) =>
    reviews.filter(fits).length / reviews.length;
  expect(share(({ rating }) => rating === 5)).toBeGreaterThan(0.4);
  expect(new Set(reviews.map(({ rating }) => rating))).toEqual(new Set([1, 2, 3, 4, 5]));
  expect(share(({ text }) => /[가-힣]/.test(text))).toBe(1);
  expect(new Set(reviews.map(({ text }) => text)).size).toBeGreaterThan(250);
  expect(share(({ userNickname }) => /^[가-힣]\*[가-힣]$/.test(userNickname))).toBe(1);
  expect(share(({ images }) => images.length > 0)).toBeGreaterThan(0.2);
  expect(share(({ videos }) => videos.length > 0)).toBeGreaterThan(0.02);
  expect(share(({ questionAnswers }) => questionAnswers.length > 0)).toBeGreaterThan(0.4);
  expect(share(({ uploadFrom }) => uploadFrom === 'CHATBOT')).toBeGreaterThan(0.3);
  expect(share(({ editedAt }) => editedAt !== null)).toBeGreaterThan(0.05);
  expect(share(({ createdAt, updatedAt }) => createdAt <= updatedAt)).toBe(1);
  expect(share(({ updatedAt }) => Date.parse(updatedAt) <= clock.now())).toBe(1);
  const times = reviews.map(({ createdAt }) => createdAt);
  expect(times).toEqual([...times].sort());
});

test('made-up rewards have all statuses where the shop has settled before, half of them waiting', async () => {
  const { ask, sandbox } = await openSandbox({ reviews: 24, seededRewards: 'every-status' });
  const statuses = [...sandbox.state.rewards.values()].map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(rewardStatuses));
  expect(statuses.filter((status) => status === 'QUEUED')).toHaveLength(12);
  expect((await ask('GET', '/admin/v2/reviews?isRewarded=true')).totalCount).toBe(2);
});

test('items that are delivered say when, and no others do', async () => {
  const { sandbox, clock } = await openSandbox({ orders: 200 });
  for (const { status, shipment, orderId } of sandbox.state.orderItems.values()) {
    const { deliveredAt } = shipment ?? { deliveredAt: null };
    expect(deliveredAt !== null).toBe(status === 'DELIVERED');
    if (deliveredAt === null) continue;
    expect(Date.parse(deliveredAt)).toBeLessThanOrEqual(clock.now());
    expect(deliveredAt >= (sandbox.state.orders.get(orderId)?.orderedAt ?? '')).toBe(true);
  }
});

test('some orders are guests, and each item is reviewed once at most', async () => {
  const { sandbox } = await openSandbox({ reviews: 300 });
  const orders = [...sandbox.state.orders.values()];
  const guests = orders.filter(({ memberOriginId }) => memberOriginId === null);
  expect(guests.length).toBeGreaterThan(0);
  expect(guests.length).toBeLessThan(orders.length / 2);
  const reviewed = [...sandbox.state.reviews.values()].map(({ orderItemId }) => orderItemId);
  expect(new Set(reviewed).size).toBe(300);
});

test('a review is written of the item named, with the words given', async () => {
  const { ask, sandbox } = await openSandbox({ orders: 5 });
  const [item] = sandbox.state.orderItems.values();
  const words = { rating: 2, title: '음', text: '그냥 그래요', userNickname: '김*수', images: 2, videos: 0 };
  const [{ review, reward }] = await ask('POST', '/sandbox/reviews', {
    orderItemOriginId: item?.originId,
    ...words,
  });
  expect(review).toMatchObject({
    rating: 2,
    title: '음',
    text: '그냥 그래요',
    userNickname: '김*수',
    images: [{}, {}],
    videos: [],
    orderItem: { originId: item?.originId },
    createdAt: '2026-01-01T00:00:00Z',
  });
  expect(reward).toMatchObject({ reviewCategory: 'IMAGE', amount: 1000, review: { id: review.id } });
});

test('nothing is written of an item that is unknown, reviewed, returned or whose product takes no reviews', async () => {
  const { ask, call, product, items, jobsNow } = await openSandbox();
  await ask('POST', '/admin/v2/category', { originId: 'C', name: 'c', isReviewDisabled: true });
  await product('P');
  await product('closed', { isReviewDisabled: true });
  await product('hidden', { categories: [{ originId: 'C' }] });
  const jobs = await items('P', 'reviewed', 'returned');
  await items('closed', 'of-closed');
  await items('hidden', 'of-hidden');
  const [, { successObjectId }] = await jobsNow(jobs);
  await ask('PATCH', `/admin/v2/order-item/${successObjectId}`, { productOriginId: 'P', status: 'RETURN' });
  await ask('POST', '/sandbox/reviews', { orderItemOriginId: 'reviewed' });
  for (const orderItemOriginId of ['unknown', 'reviewed', 'returned', 'of-closed', 'of-hidden']) {
    const { status, body } = await call('POST', '/sandbox/reviews', { orderItemOriginId });
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'orderItemOriginId']]);
  }
  expect((await call('POST', '/sandbox/reviews', {})).body.detail[0].type).toBe('none_left');
});

test.each(['GET /sandbox/hints', 'GET /sandbox/faults', 'POST /sandbox/reviews'])(
  '%s wants the credential',
  async (route) => {
    const { sandbox } = await openSandbox();
    const [method = '', path = ''] = route.split(' ');
    const answer = await sandbox.answer({ method, path, headers: {}, body: undefined });
    expect(answer).toMatchObject({ kind: 'reply', reply: { status: 401 } });
  },
);
