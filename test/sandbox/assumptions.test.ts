import { expect, test } from 'vitest';
import { type Assumptions, assumptionTable } from '../../src/contract/assumptions.ts';
import { redeliveriesMaximum } from '../../src/sandbox/webhook/webhook.ts';
import { transportOf } from './in-process.ts';
import { type OpenSandbox, openSandbox } from './open-sandbox.ts';
import { openReceiver } from './webhook-receiver.ts';

/** One value of one assumption, and what is to be seen of it. */
interface Case {
  readonly name: keyof Assumptions;
  readonly value: string;
  readonly see: (opened: OpenSandbox) => Promise<void>;
}

const newProduct = { originId: '77', name: '니트' };

/** A product, and the order O of the item I with a review. */
async function withReview({ ask }: OpenSandbox) {
  await ask('POST', '/admin/v2/product', newProduct);
  await ask('POST', '/admin/v2/order-items/bulk', [
    { orderOriginId: 'O', originId: 'I', productOriginId: '77' },
  ]);
  const [written] = await ask('POST', '/sandbox/reviews', {});
  return written;
}

async function updatedItem(opened: OpenSandbox) {
  const { orderItem } = (await withReview(opened)).review;
  return opened.ask('PATCH', `/admin/v2/order-item/${orderItem.id}`, {
    productOriginId: '77',
    paidPrice: 12_900,
  });
}

const badRequest = (opened: OpenSandbox) => opened.call('POST', '/admin/v2/product', { originId: 'A' });

const mixedEntries = [
  { originId: 'C1', name: 'a' },
  { originId: 'C2' },
  { originId: 'C3', name: 'c', colour: 'red' },
  { originId: 'C4', name: 'd' },
];

const twoAtOnce = async ({ ask, sandbox }: OpenSandbox) => {
  await Promise.all(
    ['A', 'B'].map((originId) => ask('POST', '/admin/v2/product', { originId, name: 'n', groupName: 'g' })),
  );
  await ask('POST', '/admin/v2/product', { originId: 'C', name: 'n', groupName: 'g' });
  return sandbox.state.productGroups.size;
};

const foundByArrays = async (opened: OpenSandbox, query: string) => {
  for (const originId of ['A', 'B,C']) {
    await opened.ask('POST', '/admin/v2/product', { originId, name: originId });
  }
  return (await opened.ask('GET', `/admin/v2/products?${query}`)).totalCount;
};

/** Requests with a field or parameter that nobody knows: in a record, deep in an entry of many, and in a query. */
const withUnknown = async ({ call }: OpenSandbox) => [
  await call('POST', '/admin/v2/product', { ...newProduct, colour: 'red' }),
  await call('POST', '/admin/v2/orders/bulk', [
    {
      originId: 'O',
      orderedAt: '2026-01-01T00:00:00Z',
      items: [{ originId: 'I', productOriginId: '77', colour: 'red' }],
    },
  ]),
  await call('GET', '/admin/v2/products?colour=red'),
];

const cases: readonly Case[] = [
  {
    name: 'arrayQuery',
    value: 'repeat',
    see: async (opened) => expect(await foundByArrays(opened, 'originIds=A&originIds=B,C')).toBe(2),
  },
  {
    name: 'arrayQuery',
    value: 'comma',
    see: async (opened) => expect(await foundByArrays(opened, 'originIds=A,B%2CC')).toBe(2),
  },
  {
    name: 'arrayQuery',
    value: 'brackets',
    see: async (opened) => expect(await foundByArrays(opened, 'originIds[]=A&originIds%5B%5D=B,C')).toBe(2),
  },
  {
    name: 'unknownFields',
    value: 'refuse',
    see: async (opened) =>
      expect((await withUnknown(opened)).map(({ status }) => status)).toEqual([422, 422, 422]),
  },
  {
    name: 'unknownFields',
    value: 'ignore',
    see: async (opened) => {
      const [product, jobs, list] = await withUnknown(opened);
      expect(product?.body).toMatchObject(newProduct);
      expect(jobs?.body).toHaveLength(1);
      expect(list?.body.totalCount).toBe(1);
      expect((await badRequest(opened)).status).toBe(422);
    },
  },
  ...(['200', '201'] as const).map(
    (value): Case => ({
      name: 'successStatus',
      value,
      see: async ({ call }) => {
        const created = await call('POST', '/admin/v2/product', newProduct);
        expect(created.status).toBe(Number(value));
        expect((await call('GET', `/admin/v2/product/${created.body.id}`)).status).toBe(200);
        expect((await call('PATCH', `/admin/v2/product/${created.body.id}`, {})).status).toBe(200);
      },
    }),
  ),
  ...(['422', '400'] as const).map(
    (value): Case => ({
      name: 'validationStatus',
      value,
      see: async (opened) => expect((await badRequest(opened)).status).toBe(Number(value)),
    }),
  ),
  {
    name: 'errorDetail',
    value: 'array',
    see: async (opened) =>
      expect((await badRequest(opened)).body).toEqual({
        detail: [{ loc: ['body', 'name'], msg: 'this field is required', type: 'missing' }],
      }),
  },
  {
    name: 'errorDetail',
    value: 'string',
    see: async (opened) =>
      expect((await badRequest(opened)).body).toEqual({ detail: 'body.name: this field is required' }),
  },
  {
    name: 'errorDetail',
    value: 'object',
    see: async (opened) =>
      expect((await badRequest(opened)).body).toEqual({
        detail: { message: 'body.name: this field is required' },
      }),
  },
  {
    name: 'errorDetail',
    value: 'empty',
    see: async (opened) => expect((await badRequest(opened)).text).toBe(''),
  },
  {
    name: 'errorDetail',
    value: 'html',
    see: async (opened) => {
      const { text, headers, status } = await badRequest(opened);
      expect(status).toBe(422);
      expect(headers['content-type']).toMatch(/^text\/html/);
      expect(text).toContain('<h1>422</h1>');
    },
  },
  ...(['integer', 'string'] as const).map(
    (value): Case => ({
      name: 'locIndex',
      value,
      see: async ({ call }) => {
        const { body } = await call('POST', '/admin/v2/categories/bulk', mixedEntries);
        expect(body.detail[0].loc).toEqual(['body', value === 'integer' ? 1 : '1', 'name']);
      },
    }),
  ),
  ...(['401', '403'] as const).map(
    (value): Case => ({
      name: 'unauthenticatedStatus',
      value,
      see: async ({ sandbox }) => {
        const request = {
          operation: '',
          isRepeatable: true,
          method: 'GET',
          headers: {},
          body: undefined,
        } as const;
        const reply = await transportOf(sandbox)({ ...request, path: '/admin/v2/products' });
        expect(reply.status).toBe(Number(value));
      },
    }),
  ),
  {
    name: 'bulkBadEntry',
    value: 'refuse-request',
    see: async ({ call, sandbox }) => {
      const { status, body } = await call('POST', '/admin/v2/categories/bulk', mixedEntries);
      expect(status).toBe(422);
      expect(body.detail.map(({ loc }: { loc: unknown[] }) => loc[1])).toEqual(['1', '2']);
      expect(sandbox.state.bulks.size).toBe(0);
    },
  },
  {
    name: 'bulkBadEntry',
    value: 'fail-job',
    see: async ({ ask, call }) => {
      const jobs = await ask('POST', '/admin/v2/categories/bulk', mixedEntries);
      const ended = [];
      for (const { jobId } of jobs) ended.push(await ask('GET', `/admin/v2/job/${jobId}`));
      expect(ended).toMatchObject([
        { entryOriginId: 'C1', status: 'SUCCESS' },
        { entryOriginId: 'C2', status: 'FAILURE', failureReason: 'name: this field is required' },
        {
          entryOriginId: 'C3',
          status: 'FAILURE',
          failureReason: 'colour: this is not a field of the request',
        },
        { entryOriginId: 'C4', status: 'SUCCESS' },
      ]);
      expect((await call('POST', '/admin/v2/categories/bulk', { originId: 'C5' })).status).toBe(422);
    },
  },
  {
    name: 'duplicateOriginId',
    value: 'refuse',
    see: async ({ ask, call, sandbox }) => {
      await ask('POST', '/admin/v2/product', newProduct);
      const { status, body } = await call('POST', '/admin/v2/product', newProduct);
      expect([status, body.detail[0].type]).toEqual([422, 'duplicate']);
      expect(sandbox.state.products.size).toBe(1);
    },
  },
  {
    name: 'duplicateOriginId',
    value: 'accept',
    see: async ({ ask }) => {
      await ask('POST', '/admin/v2/product', newProduct);
      await ask('POST', '/admin/v2/product', newProduct);
      expect((await ask('GET', '/admin/v2/products?originIds=77')).totalCount).toBe(2);
    },
  },
  {
    name: 'groupName',
    value: 'unique',
    see: async (opened) => expect(await twoAtOnce(opened)).toBe(1),
  },
  {
    name: 'groupName',
    value: 'may-duplicate',
    see: async (opened) => expect(await twoAtOnce(opened)).toBe(2),
  },
  ...(['keep', 'apply'] as const).map(
    (value): Case => ({
      name: 'defaultsOnUpdate',
      value,
      see: async ({ ask }) => {
        const flags = { isAlimtalkEnabled: false, isReviewDisabled: true };
        const { id } = await ask('POST', '/admin/v2/product', { ...newProduct, ...flags });
        const updated = await ask('PATCH', `/admin/v2/product/${id}`, { name: 'b' });
        expect(updated).toMatchObject(
          value === 'keep'
            ? { isAlimtalkEnabled: 'false', isReviewDisabled: true }
            : { isAlimtalkEnabled: 'true', isReviewDisabled: false },
        );
      },
    }),
  ),
  ...(['current', 'earlier'] as const).map(
    (value): Case => ({
      name: 'writeReply',
      value,
      see: async ({ ask }) => {
        const { id } = await ask('POST', '/admin/v2/product', newProduct);
        const updated = await ask('PATCH', `/admin/v2/product/${id}`, { name: 'b' });
        expect(updated.name).toBe(value === 'current' ? 'b' : newProduct.name);
        expect((await ask('GET', `/admin/v2/product/${id}`)).name).toBe('b');
      },
    }),
  ),
  {
    name: 'paidPriceReply',
    value: 'string',
    see: async (opened) => expect((await updatedItem(opened)).paidPrice).toBe('12900'),
  },
  {
    name: 'paidPriceReply',
    value: 'number',
    see: async (opened) => expect((await updatedItem(opened)).paidPrice).toBe(12_900),
  },
  {
    name: 'isAlimtalkEnabledReply',
    value: 'boolean',
    see: async ({ ask }) =>
      expect((await ask('POST', '/admin/v2/product', newProduct)).isAlimtalkEnabled).toBe(true),
  },
  {
    name: 'isAlimtalkEnabledReply',
    value: 'string',
    see: async ({ ask }) =>
      expect((await ask('POST', '/admin/v2/product', newProduct)).isAlimtalkEnabled).toBe('true'),
  },
  ...(['as-given', 'rehosted'] as const).map(
    (value): Case => ({
      name: 'imageUrlReply',
      value,
      see: async ({ ask }) => {
        const imageUrl = 'https://shop.example/77.jpg';
        const { id, image } = await ask('POST', '/admin/v2/product', { ...newProduct, imageUrl });
        const copy = `https://images.sandbox.example/product/${id}`;
        expect(image.url).toBe(value === 'as-given' ? imageUrl : copy);
      },
    }),
  ),
  {
    name: 'emptyFields',
    value: 'null',
    see: async ({ ask }) =>
      expect(await ask('POST', '/admin/v2/product', newProduct)).toMatchObject({ image: null, brand: null }),
  },
  {
    name: 'emptyFields',
    value: 'missing',
    see: async ({ ask }) => {
      const created = await ask('POST', '/admin/v2/product', newProduct);
      expect(Object.keys(created)).not.toContain('image');
      expect(created.categories).toEqual([]);
    },
  },
  {
    name: 'replyScalars',
    value: 'documented',
    see: async ({ ask }) =>
      expect(await ask('POST', '/admin/v2/product', newProduct)).toMatchObject({
        id: expect.any(String),
        originId: '77',
        reviewCount: 0,
      }),
  },
  {
    name: 'replyScalars',
    value: 'swapped',
    see: async ({ ask }) => {
      expect(await ask('POST', '/admin/v2/product', newProduct)).toMatchObject({
        id: expect.any(Number),
        originId: 77,
        reviewCount: '0',
        isReviewDisabled: false,
      });
      const odd = await ask('POST', '/admin/v2/product', { originId: '0077', name: '1e3' });
      expect(odd).toMatchObject({ originId: '0077', name: '1e3' });
      expect((await ask('GET', '/admin/v2/products')).totalCount).toBe('2');
    },
  },
  ...(['inclusive', 'exclusive'] as const).map(
    (value): Case => ({
      name: 'timeRangeEnd',
      value,
      see: async (opened) => {
        const { createdAt } = (await withReview(opened)).review;
        for (const list of ['reviews', 'rewards']) {
          const ending = await opened.ask('GET', `/admin/v2/${list}?createdAtEnd=${createdAt}`);
          expect(ending.totalCount).toBe(value === 'inclusive' ? 1 : 0);
          const starting = await opened.ask('GET', `/admin/v2/${list}?createdAtStart=${createdAt}`);
          expect(starting.totalCount).toBe(1);
        }
      },
    }),
  ),
  ...(['review', 'reward'] as const).map(
    (value): Case => ({
      name: 'rewardTimeMeans',
      value,
      see: async (opened) => {
        const { reward, review } = await withReview(opened);
        opened.clock.advance(3_600_000);
        await opened.ask('PATCH', `/admin/v2/reward/${reward.id}`, { status: 'SUCCESS' });
        const { totalCount } = await opened.ask('GET', `/admin/v2/rewards?updatedAtEnd=${review.updatedAt}`);
        expect(totalCount).toBe(value === 'review' ? 1 : 0);
      },
    }),
  ),
  ...(['refused', 'taken'] as const).map(
    (value): Case => ({
      name: 'bulkExtraFields',
      value,
      see: async ({ ask, call, sandbox }) => {
        await ask('POST', '/admin/v2/product', newProduct);
        const details = { productOriginId: '77', status: 'DELIVERED', paidPrice: 12_900 };
        const reply = await call('POST', '/admin/v2/order-items/bulk', [
          { orderOriginId: 'O', originId: 'I', ...details },
        ]);
        expect(reply.status).toBe(value === 'taken' ? 200 : 422);
        const made = sandbox.transact(({ state }) => state.orderItems.first('originId', 'I'));
        expect(made?.paidPrice).toBe(value === 'taken' ? 12_900 : undefined);
      },
    }),
  ),
  ...(['from-queued', 'any'] as const).map(
    (value): Case => ({
      name: 'rewardTransitions',
      value,
      see: async (opened) => {
        const path = `/admin/v2/reward/${(await withReview(opened)).reward.id}`;
        await opened.ask('PATCH', path, { status: 'CANCELLED' });
        const again = await opened.call('PATCH', path, { status: 'SUCCESS' });
        expect(again.status).toBe(value === 'any' ? 200 : 422);
        const { status } = await opened.ask('GET', path);
        expect(status).toBe(value === 'any' ? 'SUCCESS' : 'CANCELLED');
      },
    }),
  ),
];

test.each(cases)('$name, $value', async ({ name, value, see }) => {
  await see(await openSandbox({ assumptions: { [name]: value } }));
});

test.each([
  ['changes', 200, 'SUCCESS'],
  ['changes', 500, 'FAILURE'],
  ['stays', 200, 'QUEUED'],
  ['stays', 500, 'QUEUED'],
] as const)('rewardStatusAfterWebhook, %s: after %i the reward is %s', async (value, status, expected) => {
  await using receiver = await openReceiver(() => ({ status }));
  const opened = await openSandbox({
    webhookUrl: receiver.url,
    assumptions: { rewardStatusAfterWebhook: value },
  });
  const { reward } = await withReview(opened);
  await opened.sandbox.webhookIdle();
  expect((await opened.ask('GET', `/admin/v2/reward/${reward.id}`)).status).toBe(expected);
  await opened.sandbox.close();
});

test.each([
  ['ignored', 302, 'QUEUED'],
  ['ignored', 404, 'FAILURE'],
  ['failure', 302, 'FAILURE'],
] as const)('webhookRedirect, %s: after %i the reward is %s', async (value, status, expected) => {
  await using receiver = await openReceiver(() => ({ status }));
  const opened = await openSandbox({ webhookUrl: receiver.url, assumptions: { webhookRedirect: value } });
  const { reward } = await withReview(opened);
  await opened.sandbox.webhookIdle();
  expect((await opened.ask('GET', `/admin/v2/reward/${reward.id}`)).status).toBe(expected);
  await opened.sandbox.close();
});

test.each([
  ['never', 200, 1],
  ['never', 500, 1],
  ['on-failure', 200, 1],
  ['on-failure', 500, 1 + redeliveriesMaximum],
  ['always', 200, 1 + redeliveriesMaximum],
] as const)(
  'webhookRedelivery, %s: answered with %i, a reward comes %i times',
  async (value, status, times) => {
    await using receiver = await openReceiver(() => ({ status }));
    const opened = await openSandbox({ webhookUrl: receiver.url, assumptions: { webhookRedelivery: value } });
    await withReview(opened);
    for (let count = 1; count < times; count += 1) {
      await opened.clock.asleep(5_000);
      opened.clock.advance(60_000);
    }
    await opened.sandbox.webhookIdle();
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(receiver.received).toHaveLength(times);
    await opened.sandbox.close();
  },
);

test('categoryBulkMaximum is the most categories one request may carry', async () => {
  const { call } = await openSandbox({ assumptions: { categoryBulkMaximum: 2 } });
  const entries = ['C1', 'C2', 'C3'].map((originId) => ({ originId, name: originId }));
  expect((await call('POST', '/admin/v2/categories/bulk', entries)).status).toBe(422);
  expect((await call('POST', '/admin/v2/categories/bulk', entries.slice(1))).status).toBe(200);
});

test('every value of every assumption that is a choice has been seen', () => {
  const choices = Object.entries(assumptionTable).flatMap(([name, assumption]) =>
    assumption.kind === 'choice' ? assumption.words.map((word) => `${name} ${word}`) : [],
  );
  const seenAbove = [
    'rewardStatusAfterWebhook changes',
    'rewardStatusAfterWebhook stays',
    'webhookRedelivery never',
    'webhookRedelivery on-failure',
    'webhookRedelivery always',
    'webhookRedirect ignored',
    'webhookRedirect failure',
  ];
  expect(new Set([...cases.map(({ name, value }) => `${name} ${value}`), ...seenAbove])).toEqual(
    new Set(choices),
  );
});
