import { expect, test } from 'vitest';
import { openSandbox } from './open-sandbox.ts';

test('a created product has every field of the document, with the defaults of the create operation', async () => {
  const { ask, product } = await openSandbox();
  const created = await product('P1', { name: '니트' });
  expect(created).toEqual({
    id: expect.stringMatching(/^\d+$/),
    originId: 'P1',
    name: '니트',
    image: null,
    url: 'https://shop.example/products/P1',
    categories: [],
    group: null,
    brand: null,
    isAlimtalkEnabled: 'true',
    reviewCount: 0,
    reviewRatingAverage: 0,
    directReviewCount: 0,
    directReviewRatingAverage: 0,
    isReviewDisabled: false,
  });
  expect(await ask('GET', `/admin/v2/product/${created.id}`)).toEqual(created);
});

test('an originId with half a surrogate pair is answered, too', async () => {
  const { product } = await openSandbox();
  expect(await product('\ud800')).toMatchObject({ url: 'https://shop.example/products/%EF%BF%BD' });
});

test('a product keeps what an update leaves out and takes what it says', async () => {
  const { ask, product } = await openSandbox();
  await ask('POST', '/admin/v2/category', { originId: 'C1', name: '의류' });
  const { id } = await product('P1', {
    imageUrl: 'https://a.example/1.jpg',
    categories: [{ originId: 'C1', isPrimary: true }],
    isAlimtalkEnabled: false,
  });
  const updated = await ask('PATCH', `/admin/v2/product/${id}`, { name: '울 니트', isReviewDisabled: true });
  expect(updated).toMatchObject({
    name: '울 니트',
    image: { url: 'https://a.example/1.jpg' },
    categories: [{ isPrimary: true, category: { originId: 'C1', name: '의류' } }],
    isAlimtalkEnabled: 'false',
    isReviewDisabled: true,
  });
  expect(await ask('PATCH', `/admin/v2/product/${id}`, { categories: [] })).toMatchObject({ categories: [] });
});

test('an unknown groupId fails creation and update, and leaves nothing behind', async () => {
  const { ask, call, product } = await openSandbox();
  const { id } = await product('A');
  const creation = await call('POST', '/admin/v2/product', { originId: 'B', name: 'b', groupId: '9' });
  const update = await call('PATCH', `/admin/v2/product/${id}`, { name: 'changed', groupId: '9' });
  for (const reply of [creation, update]) {
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toMatchObject([{ loc: ['body', 'groupId'], type: 'not_found' }]);
  }
  expect((await ask('GET', '/admin/v2/products')).data).toMatchObject([{ originId: 'A', name: 'A' }]);
});

test('an unknown category of a product is named by its position', async () => {
  const { ask, call } = await openSandbox();
  await ask('POST', '/admin/v2/category', { originId: 'C1', name: 'c' });
  const { status, body } = await call('POST', '/admin/v2/product', {
    originId: 'A',
    name: 'a',
    categories: [{ originId: 'C1' }, { originId: 'C2' }],
  });
  expect(status).toBe(422);
  expect(body.detail[0].loc).toEqual(['body', 'categories', '1', 'originId']);
});

test('adding a product to a group moves it there, and again changes nothing', async () => {
  const { ask, call, clock, product } = await openSandbox();
  const a = await product('A', { groupName: '하나' });
  const b = await product('B', { groupName: '둘' });
  clock.advance(60_000);
  const path = `/admin/v2/product-group/${b.group.id}/products/${a.id}`;
  const group = await ask('PUT', path);
  expect(group).toMatchObject({
    name: '둘',
    productCount: 2,
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:01:00Z',
  });
  clock.advance(60_000);
  expect(await ask('PUT', path)).toEqual(group);
  const groups = await ask('GET', '/admin/v2/product-groups?ordering=created_at');
  expect(groups.data.map((each: { productCount: number }) => each.productCount)).toEqual([0, 2]);
  expect((await call('PUT', `/admin/v2/product-group/9/products/${a.id}`)).body.detail[0].loc).toEqual([
    'path',
    'productGroupId',
  ]);
  expect((await call('PUT', `/admin/v2/product-group/${b.group.id}/products/9`)).status).toBe(404);
});

test('products are filtered by originIds, by groups and by isAlimtalkEnabled', async () => {
  const { ask, product } = await openSandbox();
  const found = async (query: string) =>
    (await ask('GET', `/admin/v2/products?sort=NAME&direction=ASC&${query}`)).data.map(
      (product: { originId: string }) => product.originId,
    );
  const a = await product('A', { groupName: 'g' });
  const b = await product('B', { groupName: 'h' });
  await product('C', { isAlimtalkEnabled: false });
  expect(await found('originIds=C&originIds=A&originIds=missing')).toEqual(['A', 'C']);
  expect(await found('originIds=A&originIds=A')).toEqual(['A']);
  expect(await found(`productGroupIds=${a.group.id}&productGroupIds=${b.group.id}`)).toEqual(['A', 'B']);
  expect(await found('isAlimtalkEnabled=false')).toEqual(['C']);
  expect(await found('isAlimtalkEnabled=true&originIds=C&originIds=B')).toEqual(['B']);
});

test('products are sorted by id, name or review count, both ways, newest first by default', async () => {
  const { ask, sandbox, product } = await openSandbox();
  for (const [originId, name] of [
    ['1', 'b'],
    ['2', 'c'],
    ['3', 'a'],
  ] as const) {
    await product(originId, { name });
  }
  await ask('POST', '/admin/v2/orders/bulk', [
    {
      originId: 'O',
      orderedAt: '2025-12-01T00:00:00Z',
      items: ['1', '3', '3'].map((productOriginId, index) => ({ originId: `I${index}`, productOriginId })),
    },
  ]);
  await ask('POST', '/sandbox/reviews', { count: 3 });
  expect(sandbox.state.reviews.size).toBe(3);
  const order = async (query: string) =>
    (await ask('GET', `/admin/v2/products?${query}`)).data
      .map((product: { originId: string }) => product.originId)
      .join('');
  expect(await order('')).toBe('321');
  expect(await order('sort=ID&direction=ASC')).toBe('123');
  expect(await order('sort=NAME&direction=ASC')).toBe('312');
  expect(await order('sort=NAME')).toBe('213');
  expect(await order('sort=REVIEW_COUNT')).toBe('312');
  expect(await order('sort=REVIEW_COUNT&direction=ASC')).toBe('213');
});

test('product groups are ordered in all four ways and filtered by a part of the name', async () => {
  const { ask, clock, sandbox, product, items } = await openSandbox();
  for (const name of ['나 셔츠', '가 셔츠', '다 니트']) {
    await product(name, { groupName: name });
    clock.advance(1_000);
  }
  await items('다 니트', 'I');
  await ask('POST', '/sandbox/reviews', { rating: 4 });
  const order = async (query: string) =>
    (await ask('GET', `/admin/v2/product-groups?${query}`)).data.map(({ name }: { name: string }) => name[0]);
  expect(await order('')).toEqual(['다', '가', '나']);
  expect(await order('ordering=-created_at')).toEqual(['다', '가', '나']);
  expect(await order('ordering=created_at')).toEqual(['나', '가', '다']);
  expect(await order('ordering=name')).toEqual(['가', '나', '다']);
  expect(await order('ordering=review_count')).toEqual(['나', '가', '다']);
  expect(await order(`name=${encodeURIComponent('셔츠')}`)).toEqual(['가', '나']);
  const [group] = (await ask('GET', `/admin/v2/product-groups?name=${encodeURIComponent('니트')}`)).data;
  expect(group).toMatchObject({ reviewCount: 1, reviewRatingAverage: 4 });
  expect(sandbox.state.productGroups.size).toBe(3);
});

test('products of a group share its reviews, and take their own along when they leave', async () => {
  const { ask, product, items } = await openSandbox();
  const a = await product('A', { groupName: 'g' });
  const b = await product('B', { groupName: 'g' });
  const c = await product('C', { groupName: 'other' });
  await items('A', 'I1');
  await items('B', 'I2');
  await ask('POST', '/sandbox/reviews', { orderItemOriginId: 'I1', rating: 5 });
  const [{ review }] = await ask('POST', '/sandbox/reviews', { orderItemOriginId: 'I2', rating: 2 });
  const counts = async (id: string) => {
    const product = await ask('GET', `/admin/v2/product/${id}`);
    return [
      product.reviewCount,
      product.reviewRatingAverage,
      product.directReviewCount,
      product.directReviewRatingAverage,
    ];
  };
  expect(await counts(a.id)).toEqual([2, 3.5, 1, 5]);
  expect(await counts(b.id)).toEqual([2, 3.5, 1, 2]);
  await ask('PUT', `/admin/v2/product-group/${c.group.id}/products/${b.id}`);
  expect(await counts(a.id)).toEqual([1, 5, 1, 5]);
  expect(await counts(c.id)).toEqual([1, 2, 0, 0]);
  await ask('PATCH', `/admin/v2/review/${review.id}`, { isVisible: false });
  expect(await counts(b.id)).toEqual([0, 0, 0, 0]);
});

test('a category takes its parent by originId and refuses an unknown one', async () => {
  const { ask, call, sandbox } = await openSandbox();
  const parent = await ask('POST', '/admin/v2/category', { originId: 'C1', name: '의류' });
  expect(parent).toEqual({
    id: parent.id,
    originId: 'C1',
    name: '의류',
    isVisible: true,
    isReviewDisabled: false,
  });
  const child = await ask('POST', '/admin/v2/category', {
    originId: 'C2',
    name: '셔츠',
    parentOriginId: 'C1',
    position: 3,
    isVisible: false,
  });
  expect(child.isVisible).toBe(false);
  expect(sandbox.state.categories.get(child.id)).toMatchObject({ parentId: parent.id, position: 3 });
  const orphan = await call('POST', '/admin/v2/category', {
    originId: 'C3',
    name: 'x',
    parentOriginId: 'C9',
  });
  expect(orphan.status).toBe(422);
  expect(orphan.body.detail[0].loc).toEqual(['body', 'parentOriginId']);
});

test.each([
  ['/admin/v2/product/1', 'productId'],
  ['/admin/v2/order/1', 'orderId'],
  ['/admin/v2/review/1', 'reviewId'],
  ['/admin/v2/job/1', 'jobId'],
  ['/admin/v2/reward/1', 'rewardId'],
])('GET %s of nothing is 404 and names %s', async (path, parameter) => {
  const { call } = await openSandbox();
  const { status, body } = await call('GET', path);
  expect(status).toBe(404);
  expect(body.detail[0].loc).toEqual(['path', parameter]);
});
