import { expect, test } from 'vitest';
import { type Assumptions, assumptionTable } from '../../src/contract/assumptions.ts';
import { redeliveriesMaximum } from '../../src/sandbox/webhook/webhook.ts';
import { transportOf } from './in-process.ts';
import { type OpenSandbox, openSandbox, requestOf } from './open-sandbox.ts';
import { openReceiver } from './webhook-receiver.ts';

type See = (opened: OpenSandbox) => Promise<void>;

/** Observes each of these values with `see`, which receives the value. */
function each(values: readonly string[], see: (opened: OpenSandbox, value: string) => Promise<void>) {
  return Object.fromEntries(values.map((value): [string, See] => [value, (opened) => see(opened, value)]));
}

const newProduct = { originId: '77', name: '니트' };
const create = ({ product }: OpenSandbox, changes: object = {}) =>
  product('77', { name: newProduct.name, ...changes });

/** A product, and the order O of the item I with a review. */
async function withReview(opened: OpenSandbox) {
  await create(opened);
  await opened.items('77', 'I');
  const [written] = await opened.ask('POST', '/sandbox/reviews', {});
  return written;
}

const badRequest = (opened: OpenSandbox) => opened.call('POST', '/admin/v2/product', { originId: 'A' });
const categories = (opened: OpenSandbox, body: unknown) =>
  opened.call('POST', '/admin/v2/categories/bulk', body);

const mixedEntries = [
  { originId: 'C1', name: 'a' },
  { originId: 'C2' },
  { originId: 'C3', name: 'c', colour: 'red' },
  { originId: 'C4', name: 'd' },
];

const groupsOfTwoAtOnce =
  (count: number): See =>
  async (opened) => {
    await Promise.all(['A', 'B'].map((originId) => create(opened, { originId, groupName: 'g' })));
    await create(opened, { originId: 'C', groupName: 'g' });
    expect(opened.sandbox.state.productGroups.size).toBe(count);
  };

const findsTwoBy =
  (query: string): See =>
  async (opened) => {
    for (const originId of ['A', 'B,C']) await create(opened, { originId });
    expect((await opened.ask('GET', `/admin/v2/products?${query}`)).totalCount).toBe(2);
  };

const details =
  (body: unknown): See =>
  async (opened) =>
    expect((await badRequest(opened)).body).toEqual(body);

const repliesWith =
  (record: object, changes: object = {}): See =>
  async (opened) =>
    expect(await create(opened, changes)).toMatchObject(record);

const paidPriceIs =
  (paidPrice: unknown): See =>
  async (opened) => {
    const { orderItem } = (await withReview(opened)).review;
    const update = { productOriginId: '77', paidPrice: 12_900 };
    const updated = await opened.ask('PATCH', `/admin/v2/order-item/${orderItem.id}`, update);
    expect(updated.paidPrice).toBe(paidPrice);
  };

/** Requests with an unknown field or parameter: in a record, deep in a bulk entry, and in a query. */
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

/** The observable behaviour for each value of a choice; the choices about the webhook are below. */
const choices: Partial<Record<keyof Assumptions, Readonly<Record<string, See>>>> = {
  arrayQuery: {
    repeat: findsTwoBy('originIds=A&originIds=B,C'),
    comma: findsTwoBy('originIds=A,B%2CC'),
    brackets: findsTwoBy('originIds[]=A&originIds%5B%5D=B,C'),
  },
  unknownFields: {
    refuse: async (opened) =>
      expect((await withUnknown(opened)).map(({ status }) => status)).toEqual([422, 422, 422]),
    ignore: async (opened) => {
      const [product, jobs, list] = await withUnknown(opened);
      expect(product?.body).toMatchObject(newProduct);
      expect(jobs?.body).toHaveLength(1);
      expect(list?.body.totalCount).toBe(1);
      expect((await badRequest(opened)).status).toBe(422);
    },
  },
  successStatus: each(['200', '201'], async ({ call }, value) => {
    const created = await call('POST', '/admin/v2/product', newProduct);
    expect(created.status).toBe(Number(value));
    expect((await call('GET', `/admin/v2/product/${created.body.id}`)).status).toBe(200);
    expect((await call('PATCH', `/admin/v2/product/${created.body.id}`, {})).status).toBe(200);
  }),
  validationStatus: each(['422', '400'], async (opened, value) =>
    expect((await badRequest(opened)).status).toBe(Number(value)),
  ),
  errorDetail: {
    array: details({ detail: [{ loc: ['body', 'name'], msg: 'this field is required', type: 'missing' }] }),
    string: details({ detail: 'body.name: this field is required' }),
    object: details({ detail: { message: 'body.name: this field is required' } }),
    empty: async (opened) => expect((await badRequest(opened)).text).toBe(''),
    html: async (opened) => {
      const { text, headers, status } = await badRequest(opened);
      expect(status).toBe(422);
      expect(headers['content-type']).toMatch(/^text\/html/);
      expect(text).toContain('<h1>422</h1>');
    },
  },
  locIndex: each(['integer', 'string'], async (opened, value) => {
    const { body } = await categories(opened, mixedEntries);
    expect(body.detail[0].loc).toEqual(['body', value === 'integer' ? 1 : '1', 'name']);
  }),
  unauthenticatedStatus: each(['401', '403'], async ({ sandbox }, value) => {
    const request = requestOf('', 'GET', '/admin/v2/products');
    expect((await transportOf(sandbox)({ ...request, headers: {} })).status).toBe(Number(value));
  }),
  bulkBadEntry: {
    'refuse-request': async (opened) => {
      const { status, body } = await categories(opened, mixedEntries);
      expect(status).toBe(422);
      expect(body.detail.map(({ loc }: { loc: unknown[] }) => loc[1])).toEqual(['1', '2']);
      expect(opened.sandbox.state.bulks.size).toBe(0);
    },
    'fail-job': async (opened) => {
      const { body: jobs } = await categories(opened, mixedEntries);
      expect(await opened.jobsNow(jobs)).toMatchObject([
        { entryOriginId: 'C1', status: 'SUCCESS' },
        { entryOriginId: 'C2', status: 'FAILURE', failureReason: 'name: this field is required' },
        {
          entryOriginId: 'C3',
          status: 'FAILURE',
          failureReason: 'colour: this is not a field of the request',
        },
        { entryOriginId: 'C4', status: 'SUCCESS' },
      ]);
      expect((await categories(opened, { originId: 'C5' })).status).toBe(422);
    },
  },
  duplicateOriginId: {
    refuse: async (opened) => {
      await create(opened);
      const { status, body } = await opened.call('POST', '/admin/v2/product', newProduct);
      expect([status, body.detail[0].type]).toEqual([422, 'duplicate']);
      expect(opened.sandbox.state.products.size).toBe(1);
    },
    accept: async (opened) => {
      await create(opened);
      await create(opened);
      expect((await opened.ask('GET', '/admin/v2/products?originIds=77')).totalCount).toBe(2);
    },
  },
  groupName: { unique: groupsOfTwoAtOnce(1), 'may-duplicate': groupsOfTwoAtOnce(2) },
  defaultsOnUpdate: each(['keep', 'apply'], async (opened, value) => {
    const { id } = await create(opened, { isAlimtalkEnabled: false, isReviewDisabled: true });
    const updated = await opened.ask('PATCH', `/admin/v2/product/${id}`, { name: 'b' });
    expect(updated).toMatchObject(
      value === 'keep'
        ? { isAlimtalkEnabled: 'false', isReviewDisabled: true }
        : { isAlimtalkEnabled: 'true', isReviewDisabled: false },
    );
  }),
  writeReply: each(['current', 'earlier'], async (opened, value) => {
    const path = `/admin/v2/product/${(await create(opened)).id}`;
    const updated = await opened.ask('PATCH', path, { name: 'b' });
    expect(updated.name).toBe(value === 'current' ? 'b' : newProduct.name);
    expect((await opened.ask('GET', path)).name).toBe('b');
  }),
  paidPriceReply: { string: paidPriceIs('12900'), number: paidPriceIs(12_900) },
  isAlimtalkEnabledReply: {
    boolean: repliesWith({ isAlimtalkEnabled: true }),
    string: repliesWith({ isAlimtalkEnabled: 'true' }),
  },
  imageUrlReply: each(['as-given', 'rehosted'], async (opened, value) => {
    const imageUrl = 'https://shop.example/77.jpg';
    const { id, image } = await create(opened, { imageUrl });
    const copy = `https://images.sandbox.example/product/${id}`;
    expect(image.url).toBe(value === 'as-given' ? imageUrl : copy);
  }),
  emptyFields: {
    null: repliesWith({ image: null, brand: null }),
    missing: async (opened) => {
      const created = await create(opened);
      expect(Object.keys(created)).not.toContain('image');
      expect(created.categories).toEqual([]);
    },
  },
  replyScalars: {
    documented: repliesWith({ id: expect.any(String), originId: '77', reviewCount: 0 }),
    swapped: async (opened) => {
      const swapped = { id: expect.any(Number), originId: 77, reviewCount: '0', isReviewDisabled: false };
      await repliesWith(swapped)(opened);
      const odd = { originId: '0077', name: '1e3' };
      await repliesWith(odd, odd)(opened);
      expect((await opened.ask('GET', '/admin/v2/products')).totalCount).toBe('2');
    },
  },
  timeRangeEnd: each(['inclusive', 'exclusive'], async (opened, value) => {
    const { createdAt } = (await withReview(opened)).review;
    for (const list of ['reviews', 'rewards']) {
      const ending = await opened.ask('GET', `/admin/v2/${list}?createdAtEnd=${createdAt}`);
      expect(ending.totalCount).toBe(value === 'inclusive' ? 1 : 0);
      const starting = await opened.ask('GET', `/admin/v2/${list}?createdAtStart=${createdAt}`);
      expect(starting.totalCount).toBe(1);
    }
  }),
  rewardTimeMeans: each(['review', 'reward'], async (opened, value) => {
    const { reward, review } = await withReview(opened);
    opened.clock.advance(3_600_000);
    await opened.ask('PATCH', `/admin/v2/reward/${reward.id}`, { status: 'SUCCESS' });
    const { totalCount } = await opened.ask('GET', `/admin/v2/rewards?updatedAtEnd=${review.updatedAt}`);
    expect(totalCount).toBe(value === 'review' ? 1 : 0);
  }),
  bulkExtraFields: each(['refused', 'taken'], async (opened, value) => {
    await create(opened);
    const extra = { productOriginId: '77', status: 'DELIVERED', paidPrice: 12_900 };
    const reply = await opened.call('POST', '/admin/v2/order-items/bulk', [
      { orderOriginId: 'O', originId: 'I', ...extra },
    ]);
    expect(reply.status).toBe(value === 'taken' ? 200 : 422);
    const made = opened.sandbox.transact(({ state }) => state.orderItems.first('originId', 'I'));
    expect(made?.paidPrice).toBe(value === 'taken' ? 12_900 : undefined);
  }),
  rewardTransitions: each(['from-queued', 'any'], async (opened, value) => {
    const path = `/admin/v2/reward/${(await withReview(opened)).reward.id}`;
    await opened.ask('PATCH', path, { status: 'CANCELLED' });
    const again = await opened.call('PATCH', path, { status: 'SUCCESS' });
    expect(again.status).toBe(value === 'any' ? 200 : 422);
    const { status } = await opened.ask('GET', path);
    expect(status).toBe(value === 'any' ? 'SUCCESS' : 'CANCELLED');
  }),
};

const cases = Object.entries(choices).flatMap(([name, values]) =>
  Object.entries(values).map(([value, see]) => [name, value, see] as const),
);

test.each(cases)('%s, %s', async (name, value, see) => {
  await see(await openSandbox({ assumptions: { [name]: value } }));
});

const afterWebhook = [
  ['rewardStatusAfterWebhook', 'changes', 200, 'SUCCESS'],
  ['rewardStatusAfterWebhook', 'changes', 500, 'FAILURE'],
  ['rewardStatusAfterWebhook', 'stays', 200, 'QUEUED'],
  ['rewardStatusAfterWebhook', 'stays', 500, 'QUEUED'],
  ['webhookRedirect', 'ignored', 302, 'QUEUED'],
  ['webhookRedirect', 'ignored', 404, 'FAILURE'],
  ['webhookRedirect', 'failure', 302, 'FAILURE'],
] as const;

test.each(afterWebhook)('%s, %s: after %i the reward is %s', async (name, value, status, expected) => {
  const receiver = await openReceiver(() => ({ status }));
  const opened = await openSandbox({ webhookUrl: receiver.url, assumptions: { [name]: value } });
  const { reward } = await withReview(opened);
  await opened.sandbox.webhookIdle();
  expect((await opened.ask('GET', `/admin/v2/reward/${reward.id}`)).status).toBe(expected);
});

const redeliveries = [
  ['never', 200, 1],
  ['never', 500, 1],
  ['on-failure', 200, 1],
  ['on-failure', 500, 1 + redeliveriesMaximum],
  ['always', 200, 1 + redeliveriesMaximum],
] as const;

test.each(redeliveries)(
  'webhookRedelivery, %s: answered with %i, a reward comes %i times',
  async (value, status, times) => {
    const receiver = await openReceiver(() => ({ status }));
    const opened = await openSandbox({ webhookUrl: receiver.url, assumptions: { webhookRedelivery: value } });
    await withReview(opened);
    for (let count = 1; count < times; count += 1) {
      await opened.clock.asleep(5_000);
      opened.clock.advance(60_000);
    }
    await opened.sandbox.webhookIdle();
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(receiver.received).toHaveLength(times);
  },
);

test('categoryBulkMaximum is the most categories one request may carry', async () => {
  const opened = await openSandbox({ assumptions: { categoryBulkMaximum: 2 } });
  const entries = ['C1', 'C2', 'C3'].map((originId) => ({ originId, name: originId }));
  expect((await categories(opened, entries)).status).toBe(422);
  expect((await categories(opened, entries.slice(1))).status).toBe(200);
});

test('every value of every assumption that is a choice has been seen', () => {
  const values = Object.entries(assumptionTable).flatMap(([name, assumption]) =>
    assumption.kind === 'choice' ? assumption.words.map((word) => `${name} ${word}`) : [],
  );
  const seen = [
    ...[...cases, ...afterWebhook].map(([name, value]) => `${name} ${value}`),
    ...redeliveries.map(([value]) => `webhookRedelivery ${value}`),
  ];
  expect(new Set(seen)).toEqual(new Set(values));
});
