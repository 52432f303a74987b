import { expect, test } from 'vitest';
import { GroupNames } from '../../src/push/lookup/product-groups.ts';
import { countedWords, entriesOf, type OpenPush, openPush } from './open-push.ts';
import { losingAnswers, losingRequests } from './service-habits.ts';

function productsOfGroups(count: number, groupNames: readonly string[]) {
  return entriesOf(
    Array.from({ length: count }, (_, index) => ({
      originId: `P${index + 1}`,
      name: '니트',
      groupName: groupNames[index % groupNames.length] ?? '',
    })),
  );
}

function groupNames({ sandbox }: OpenPush): string[] {
  return sandbox.transact(({ state }) => [...state.productGroups.values()].map(({ name }) => name));
}

test('creations at once under one new name make one group, even where the service would make two', async () => {
  const push = await openPush({ assumptions: { groupName: 'may-duplicate' } });
  const { outcomes } = await push.products(productsOfGroups(100, ['봄', '가을']), { concurrency: 16 });
  expect(countedWords(outcomes)).toEqual({ created: 100 });
  expect(groupNames(push)).toEqual(['봄', '가을']);
  const groupIds = push.sandbox.transact(({ state }) =>
    [...state.products.values()].map(({ groupId }) => groupId),
  );
  expect(new Set(groupIds).size).toBe(2);
});

test('each name is looked up once, and a known group is joined by its id', async () => {
  const push = await openPush();
  await push.products(productsOfGroups(1, ['봄']));
  const before = push.requests.length;
  await push.products(
    entriesOf([2, 3, 4].map((n) => ({ originId: `P${n}`, name: '니트', groupName: '봄' }))),
  );
  const requests = push.requests.slice(before);
  expect(requests.filter(({ operation }) => operation === 'listProductGroups')).toHaveLength(1);
  const bodies = requests.flatMap(({ body }) => (body === undefined ? [] : [JSON.parse(body)]));
  const [group] = push.sandbox.transact(({ state }) => [...state.productGroups.values()]);
  expect(bodies.map(({ groupId, groupName }) => ({ groupId, groupName }))).toEqual(
    Array(3).fill({ groupId: group?.id, groupName: undefined }),
  );
});

test('a name is taken exactly, not as the filter of the service finds it', async () => {
  const push = await openPush();
  await push.products(productsOfGroups(1, ['봄 신상']));
  await push.products(entriesOf([{ originId: 'P2', name: '니트', groupName: '봄' }]));
  expect(groupNames(push)).toEqual(['봄 신상', '봄']);
});

test('when the first use of a name fails, the next one makes the group, alone again', async () => {
  const push = await openPush();
  const entries = productsOfGroups(20, ['봄']);
  const [first, ...rest] = entries;
  if (first === undefined) throw new Error('no records');
  const refused = { ...first, record: { ...first.record, categories: [{ originId: 'nowhere' }] } };
  const { outcomes } = await push.products([refused, ...rest], { concurrency: 16 });
  expect(countedWords(outcomes)).toEqual({ rejected: 1, created: 19 });
  expect(groupNames(push)).toEqual(['봄']);
});

test('a first use whose answer was lost still makes one group', async () => {
  let isFirst = true;
  const push = await openPush({
    around: losingAnswers(({ operation }) => {
      if (operation !== 'createProduct' || !isFirst) return false;
      isFirst = false;
      return true;
    }),
  });
  const { outcomes } = await push.products(productsOfGroups(20, ['봄']), { concurrency: 16 });
  expect(countedWords(outcomes)).toEqual({ created: 20 });
  expect(groupNames(push)).toEqual(['봄']);
});

test('a lookup that failed is not held against the records that come later', async () => {
  const push = await openPush({ retries: 0, around: losingRequests(1, 'listProductGroups') });
  const { outcomes } = await push.products(productsOfGroups(3, ['봄']), { concurrency: 1 });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'created', 'created']);
});

/** Existing products P1 and P2, without a group. */
async function openWithProducts(options: Parameters<typeof openPush>[0] = {}): Promise<OpenPush> {
  const push = await openPush(options);
  await push.products(entriesOf(['P1', 'P2'].map((originId) => ({ originId, name: '니트' }))));
  return push;
}

function groupOf({ sandbox }: OpenPush, originId: string): string | null | undefined {
  return sandbox.transact(({ state }) => {
    const { groupId } = [...state.products.values()].find((product) => product.originId === originId) ?? {};
    return [...state.productGroups.values()].find(({ id }) => id === groupId)?.name;
  });
}

test('an existing product is placed in the group that an earlier row creates, as is one between two such rows', async () => {
  for (const concurrency of [1, 16]) {
    const push = await openWithProducts();
    const { outcomes } = await push.products(
      entriesOf([
        { originId: 'N1', name: '새', groupName: '봄' },
        { originId: 'P1', groupName: '봄' },
        { originId: 'N2', name: '새', groupName: '봄' },
        { originId: 'P2', groupName: '봄' },
      ]),
      { concurrency },
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'updated', 'created', 'updated']);
    expect([groupOf(push, 'P1'), groupOf(push, 'P2')]).toEqual(['봄', '봄']);
    expect(groupNames(push)).toEqual(['봄']);
  }
});

test('an existing product is not placed in a group that only a later row creates, however fast that is', async () => {
  for (const concurrency of [1, 16]) {
    const push = await openWithProducts();
    const { outcomes } = await push.products(
      entriesOf([
        { originId: 'P1', groupName: '봄' },
        { originId: 'N1', name: '새', groupName: '봄' },
      ]),
      { concurrency },
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['rejected', 'created']);
  }
});

test('an existing product is rejected where the creation of its group fails', async () => {
  const push = await openWithProducts({
    around: (transport) => (request, signal) =>
      request.operation === 'createProduct' && request.body?.includes('봄')
        ? Promise.resolve({
            status: 422,
            headers: {},
            body: '{"detail":[{"loc":["body","groupName"],"msg":"no"}]}',
          })
        : transport(request, signal),
  });
  const { outcomes } = await push.products(
    entriesOf([
      { originId: 'N1', name: '새', groupName: '봄' },
      { originId: 'P1', groupName: '봄' },
    ]),
    { concurrency: 16 },
  );
  expect(outcomes).toMatchObject([
    { outcome: 'rejected' },
    { outcome: 'rejected', error: expect.stringContaining("no product group is named '봄'") },
  ]);
});

test('of more than 10,000 names that creations would make the oldest is forgotten', () => {
  const names = new GroupNames();
  for (let name = 1; name <= 10_000; name += 1) names.add(`${name}`);
  expect(['1', '2', '10000', '10001'].map((name) => names.has(name))).toEqual([true, true, true, false]);
  names.add('10001');
  expect(['1', '2', '10000', '10001'].map((name) => names.has(name))).toEqual([false, true, true, true]);
});
