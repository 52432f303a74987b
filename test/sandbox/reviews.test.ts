import { expect, test } from 'vitest';
import type { StoredReview } from '../../src/sandbox/state/records.ts';
import { openSandbox } from './open-sandbox.ts';

/**
 * Three reviews, R1 the oldest: a text for a member's order, one with images for another member's, and one with a video
 * for a guest's. Their other fields are set by hand.
 */
async function withReviews() {
  const opened = await openSandbox();
  const { ask, sandbox, clock, product } = opened;
  for (const [originId, name] of [
    ['P1', 'Wool 니트'],
    ['P2', '린넨 셔츠'],
  ] as const) {
    await product(originId, { name });
  }
  const people = [
    { memberOriginId: 'M1', buyer: { name: '김민서', phone: '010-1111' }, recipient: { name: '이서준' } },
    { memberOriginId: 'M2', buyer: { name: '박지우' }, recipient: { name: '박지우', phone: '010-2222' } },
    { buyer: { name: '최하은', phone: '010-3333' } },
  ];
  await ask(
    'POST',
    '/admin/v2/orders/bulk',
    people.map((person, index) => ({
      originId: `O${index + 1}`,
      orderedAt: '2025-12-01T00:00:00Z',
      ...person,
      items: [{ originId: `I${index + 1}`, productOriginId: index === 1 ? 'P2' : 'P1' }],
    })),
  );
  const said = [
    { rating: 5, text: '아주 좋아요 GOOD', images: 0, videos: 0 },
    { rating: 3, text: '보통이에요', images: 2, videos: 0 },
    { rating: 1, text: '별로예요', images: 1, videos: 1 },
  ];
  const ids: string[] = [];
  for (const [index, words] of said.entries()) {
    const [{ review }] = await ask('POST', '/sandbox/reviews', {
      ...words,
      orderItemOriginId: `I${index + 1}`,
    });
    ids.push(review.id);
    clock.advance(3_600_000);
  }
  const set = (index: number, fields: Partial<StoredReview>) =>
    sandbox.transact(({ state }) => {
      const review = state.reviews.get(ids[index] ?? '');
      if (review) state.reviews.put({ ...review, ...fields });
    });
  set(0, { uploadFrom: 'CHATBOT', helpfulCount: 7, isFixed: true, editedAt: '2026-01-05T00:00:00Z' });
  set(1, { uploadFrom: 'WEB', helpfulCount: 9, isCommented: true, updatedAt: '2026-02-01T00:00:00Z' });
  set(2, { uploadFrom: 'WEB', isBlocked: true, blockReason: 'DUPLICATE_VIDEO', reportStatus: 'PENDING' });
  /** Numbers of the reviews that a query finds, in order: `321`. */
  const found = async (query: string) =>
    (await ask('GET', `/admin/v2/reviews?${query}`)).data
      .map(({ id }: { id: string }) => ids.indexOf(id) + 1)
      .join('');
  return { ...opened, ids, found };
}

test('a review is shown with its product, order and order item', async () => {
  const { ask, ids } = await withReviews();
  const review = await ask('GET', `/admin/v2/review/${ids[1]}`);
  expect(review).toMatchObject({
    id: ids[1],
    text: '보통이에요',
    rating: 3,
    videos: [],
    images: [{ urls: { thumbnail: expect.any(String), large: expect.any(String) } }, {}],
    product: { originId: 'P2', reviewCount: 1 },
    order: { originId: 'O2', memberOriginId: 'M2', items: [{ originId: 'I2' }] },
    orderItem: { originId: 'I2', product: { originId: 'P2' } },
    isVisible: true,
    createdAt: '2026-01-01T01:00:00Z',
    updatedAt: '2026-02-01T00:00:00Z',
  });
});

test.each([
  ['', '321'],
  ['direction=ASC', '123'],
  ['sort=CREATED_AT&direction=DESC', '321'],
  ['sort=REVIEW_TYPE', '321'],
  ['sort=REVIEW_TYPE&direction=ASC', '123'],
  ['sort=HELPFUL_COUNT', '213'],
  ['sort=HELPFUL_COUNT&direction=ASC', '312'],
  ['sort=EDITED_AT', '132'],
  ['sort=EDITED_AT&direction=ASC', '231'],
  ['sort=UPDATED_AT', '231'],
  ['sort=UPDATED_AT&direction=ASC', '132'],
])('reviews?%s come in the order %s', async (query, order) => {
  expect(await (await withReviews()).found(query)).toBe(order);
});

test.each([
  ['contentTypes=TEXT', '1'],
  ['contentTypes=IMAGE&contentTypes=VIDEO', '23'],
  ['ratings=5&ratings=1', '13'],
  ['ratings=4', ''],
  ['text=good', '1'],
  [`text=${encodeURIComponent('예요'.normalize('NFD'))}`, '3'],
  ['productOriginIds=P2', '2'],
  ['productName=wool', '13'],
  ['orderOriginIds=O1&orderOriginIds=O3', '13'],
  ['orderMemberOriginId=M2', '2'],
  [`orderName=${encodeURIComponent('민서')}`, '1'],
  [`orderName=${encodeURIComponent('이서준')}`, '1'],
  ['orderPhone=010-2222', '2'],
  ['orderPhone=010-1111', '1'],
  ['orderPhone=010', ''],
  ['isVisible=true', '123'],
  ['isVisible=false', ''],
  ['isBlocked=true', '3'],
  ['isBlocked=false', '12'],
  ['isFixed=true', '1'],
  ['isFixed=false', '23'],
  ['isRewarded=true', ''],
  ['isRewarded=false', '123'],
  ['isCommented=true', '2'],
  ['isCommented=false', '13'],
  ['isReported=true', '3'],
  ['isReported=false', '12'],
  ['uploadFroms=CHATBOT', '1'],
  ['createdAtStart=2026-01-01T01:00:00Z', '23'],
  ['createdAtEnd=2026-01-01T01:00:00Z', '12'],
  ['createdAtStart=2026-01-01T09:30:00%2B09:00&createdAtEnd=2026-01-01T10:30:00', '2'],
  ['editedAtStart=2026-01-05', '1'],
  ['editedAtEnd=2026-01-04', ''],
  ['updatedAtStart=2026-01-15', '2'],
  ['updatedAtEnd=2026-01-15', '13'],
  ['ratings=5&contentTypes=IMAGE', ''],
])('reviews?%s finds %s', async (query, numbers) => {
  expect(await (await withReviews()).found(`direction=ASC&${query}`)).toBe(numbers);
});

test('a review counts as rewarded once its reward is SUCCESS', async () => {
  const { ask, found } = await withReviews();
  const rewards = await ask('GET', '/admin/v2/rewards');
  await ask('PATCH', `/admin/v2/reward/${rewards.data[0].id}`, { status: 'SUCCESS' });
  expect(await found('isRewarded=true')).toBe('3');
});

test('hiding a review sets its updatedAt; hiding it again does not', async () => {
  const { ask, clock, ids, found } = await withReviews();
  const path = `/admin/v2/review/${ids[0]}`;
  const hidden = await ask('PATCH', path, { isVisible: false });
  expect(hidden).toMatchObject({ isVisible: false, updatedAt: '2026-01-01T03:00:00Z' });
  clock.advance(1_000);
  expect(await ask('PATCH', path, { isVisible: false })).toEqual(hidden);
  expect(await ask('PATCH', path, {})).toEqual(hidden);
  expect(await found('isVisible=false')).toBe('1');
});

test('an unknown review cannot be updated', async () => {
  const { call } = await openSandbox();
  expect((await call('PATCH', '/admin/v2/review/1', { isVisible: false })).status).toBe(404);
});
