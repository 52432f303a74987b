import { expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from './open-sandbox.ts';

async function addProducts({ product }: OpenSandbox, originIds: readonly string[]) {
  for (const originId of originIds) await product(originId);
}

/** The originIds of a page, and the query that leads to the next one. */
async function page({ ask }: OpenSandbox, query: string) {
  const { data, pageInfo, totalCount } = await ask('GET', `/admin/v2/products?${query}`);
  return {
    originIds: data.map(({ originId }: { originId: string }) => originId).join(''),
    next: `${query.replace(/&after=.*/, '')}&after=${pageInfo.endCursor}`,
    hasNextPage: pageInfo.hasNextPage,
    totalCount,
  };
}

test('pages have 30 records by default, and the number of all records', async () => {
  const opened = await openSandbox();
  await addProducts(
    opened,
    Array.from({ length: 101 }, (_, index) => `P${index}`),
  );
  const first = await opened.ask('GET', '/admin/v2/products');
  expect(first.data).toHaveLength(30);
  expect(first.totalCount).toBe(101);
  expect((await opened.ask('GET', '/admin/v2/products?first=100')).data).toHaveLength(100);
});

test.each(['sort=ID', 'sort=NAME', 'sort=REVIEW_COUNT'])(
  '%s: all pages together are the list, each record once',
  async (sort) => {
    for (const direction of ['ASC', 'DESC']) {
      const opened = await openSandbox();
      await addProducts(opened, ['c', 'a', 'e', 'b', 'd']);
      const whole = await page(opened, `${sort}&direction=${direction}&first=100`);
      const one = await page(opened, `${sort}&direction=${direction}&first=2`);
      const two = await page(opened, one.next);
      const three = await page(opened, two.next);
      expect(one.originIds + two.originIds + three.originIds).toBe(whole.originIds);
      expect([one, two, three].map(({ hasNextPage }) => hasNextPage)).toEqual([true, true, false]);
    }
  },
);

test('a record that appears or vanishes between two pages neither repeats nor hides others', async () => {
  const opened = await openSandbox();
  await addProducts(opened, ['b', 'd', 'f', 'h']);
  const one = await page(opened, 'sort=NAME&direction=ASC&first=2');
  await addProducts(opened, ['a', 'c', 'e']);
  opened.sandbox.transact(({ state }) => {
    const last = state.products.first('originId', 'd');
    state.products.remove(last?.id ?? '');
  });
  const two = await page(opened, one.next);
  expect([one.originIds, two.originIds]).toEqual(['bd', 'ef']);
});

test('rewards that leave the QUEUED list while it is read do not hide those that stay', async () => {
  const { ask, sandbox } = await openSandbox({ reviews: 10 });
  const seen = new Set<string>();
  let after = '';
  for (let pages = 0; pages < 5; pages += 1) {
    const { data, pageInfo } = await ask('GET', `/admin/v2/rewards?status=QUEUED&first=2${after}`);
    for (const { id } of data) {
      seen.add(id);
      await ask('PATCH', `/admin/v2/reward/${id}`, { status: 'SUCCESS' });
    }
    after = `&after=${pageInfo.endCursor}`;
  }
  expect(seen.size).toBe(sandbox.state.rewards.size);
});

test('an empty page has no cursor and no next page', async () => {
  const { ask } = await openSandbox();
  expect(await ask('GET', '/admin/v2/products')).toEqual({
    totalCount: 0,
    data: [],
    pageInfo: { hasNextPage: false, endCursor: null },
  });
});

test('a cursor is refused where it is none, or belongs to another order or another list', async () => {
  const opened = await openSandbox();
  await addProducts(opened, ['a', 'b']);
  const { next } = await page(opened, 'sort=NAME&first=1');
  const cursor = next.split('after=')[1];
  for (const path of [
    '/admin/v2/products?after=nonsense',
    `/admin/v2/products?after=${Buffer.from('[1]').toString('base64url')}`,
    `/admin/v2/products?sort=ID&after=${cursor}`,
    `/admin/v2/products?sort=NAME&direction=ASC&after=${cursor}`,
    `/admin/v2/reviews?after=${cursor}`,
  ]) {
    const { status, body } = await opened.call('GET', path);
    expect([status, body.detail?.[0]?.loc]).toEqual([422, ['query', 'after']]);
  }
});
