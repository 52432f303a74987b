import { expect, test } from 'vitest';
import { TransportError } from '../../src/contract/wire.ts';
import type { ProductRecord } from '../../src/input/records/record-kinds.ts';
import { productEntry } from '../../src/push/steps/product-image.ts';
import type { PushJournal } from '../../src/store/journal/push-journal.ts';
import { countedWords, entriesOf, heldIds, type OpenPush, openPush } from './open-push.ts';
import { answeringAfter, dyingAfter, losingAnswers, losingRequests } from './service-habits.ts';

type Begin = Parameters<PushJournal['begin']>;

function products(count: number, more: Partial<ProductRecord> = {}): ProductRecord[] {
  return Array.from({ length: count }, (_, index) => ({ originId: `P${index + 1}`, name: '니트', ...more }));
}

/** The bodies sent with one operation, in order. */
function bodiesOf({ requests }: OpenPush, operation: string): unknown[] {
  return requests
    .filter((request) => request.operation === operation)
    .map(({ body }) => JSON.parse(body ?? ''));
}

function writesOf({ requests }: OpenPush): string[] {
  return requests.filter(({ method }) => method !== 'GET').map(({ operation }) => operation);
}

test('new products are created with the fields they have, and their ids told', async () => {
  const push = await openPush();
  await push.categories(entriesOf([{ originId: 'C1', name: '의류' }]));
  push.sandbox.transact(() => undefined);
  const record: ProductRecord = {
    originId: 'P1',
    name: '니트',
    imageUrl: 'https://shop.example/1.jpg',
    categories: [{ originId: 'C1', isPrimary: true }],
    isAlimtalkEnabled: false,
    isReviewDisabled: true,
  };
  const { outcomes } = await push.products(entriesOf([record]));
  const held = push.sandbox.transact(({ state }) => state.products.first('originId', 'P1'));
  expect(outcomes).toEqual([
    { file: 'input.csv', line: 2, originId: 'P1', outcome: 'created', id: held?.id },
  ]);
  expect(bodiesOf(push, 'createProduct')).toEqual([record]);
});

test('a second push of an unchanged file writes nothing', async () => {
  const push = await openPush();
  const entries = entriesOf(products(250, { groupName: '봄', isReviewDisabled: true }));
  await push.products(entries);
  const written = writesOf(push).length;
  const { outcomes } = await push.products(entries);
  expect(countedWords(outcomes)).toEqual({ unchanged: 250 });
  expect(writesOf(push)).toHaveLength(written);
});

test('only the fields that changed are sent, and only for products in which any did', async () => {
  const push = await openPush();
  await push.products(entriesOf(products(3, { imageUrl: 'https://shop.example/1.jpg' })));
  const changed = products(3).map((record, index) => (index === 1 ? { ...record, name: '가디건' } : record));
  const { outcomes } = await push.products(entriesOf(changed));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['unchanged', 'updated', 'unchanged']);
  expect(bodiesOf(push, 'updateProduct')).toEqual([{ name: '가디건' }]);
  expect(push.sandbox.activityLog.effects.filter(({ action }) => action === 'updated')).toHaveLength(1);
});

test('an update tells its changes, field by field, from what to what', async () => {
  const push = await openPush();
  await push.products(entriesOf(products(1, { imageUrl: 'https://shop.example/1.jpg', groupName: '봄' })));
  const group = push.sandbox.transact(({ state }) => state.productGroups.first('name', '봄'));
  const { value: other } = await push.api.call('createProduct', {
    body: { originId: 'P2', name: '치마', groupName: '여름' },
  });
  const changed = { imageUrl: 'https://shop.example/2.jpg', groupName: '여름', isReviewDisabled: true };
  const { outcomes } = await push.products(entriesOf(products(1, changed)));
  expect(outcomes[0]?.changes).toEqual({
    imageUrl: { from: 'https://shop.example/1.jpg', to: 'https://shop.example/2.jpg' },
    groupId: { from: group?.id, to: other.group?.id },
    isReviewDisabled: { from: false, to: true },
  });
});

test('an image the service keeps a copy of is not sent again before it changes', async () => {
  const push = await openPush({ assumptions: { imageUrlReply: 'rehosted' } });
  const withImage = (imageUrl: string) => entriesOf(products(3, { imageUrl }));
  await push.products(withImage('https://shop.example/1.jpg'));
  const written = writesOf(push).length;
  const second = await push.products(withImage('https://shop.example/1.jpg'));
  expect(countedWords(second.outcomes)).toEqual({ unchanged: 3 });
  expect(writesOf(push)).toHaveLength(written);
  const third = await push.products(withImage('https://shop.example/2.jpg'));
  expect(countedWords(third.outcomes)).toEqual({ updated: 3 });
  const fourth = await push.products(withImage('https://shop.example/2.jpg'));
  expect(countedWords(fourth.outcomes)).toEqual({ unchanged: 3 });
});

test('an image the service has lost is sent again, although it took it once', async () => {
  const push = await openPush();
  const entries = entriesOf(products(1, { imageUrl: 'https://shop.example/1.jpg' }));
  await push.products(entries);
  push.sandbox.transact(({ state }) => {
    const product = state.products.first('originId', 'P1');
    if (product !== undefined) state.products.put({ ...product, imageUrl: null });
  });
  expect(countedWords((await push.products(entries)).outcomes)).toEqual({ updated: 1 });
});

test('where an update resets what it leaves out, the flags are sent along as they are', async () => {
  const push = await openPush({ assumptions: { defaultsOnUpdate: 'apply' } });
  await push.products(entriesOf(products(1, { isAlimtalkEnabled: false, isReviewDisabled: true })));
  await push.products(entriesOf([{ originId: 'P1', name: '가디건' }]));
  expect(push.sandbox.transact(({ state }) => state.products.first('originId', 'P1'))).toMatchObject({
    name: '가디건',
    isAlimtalkEnabled: false,
    isReviewDisabled: true,
  });
  const { outcomes } = await push.products(entriesOf(products(1)));
  expect(outcomes[0]?.changes).toEqual({ name: { from: '가디건', to: '니트' } });
});

test('a product refused for categories the service does not have says what comes first; another refusal does not', async () => {
  const push = await openPush();
  const { outcomes } = await push.products(
    entriesOf([
      { originId: 'P1', name: '니트', categories: [{ originId: '24' }] },
      { originId: 'P2', name: '니트', groupId: 'none' },
    ]),
  );
  expect(outcomes.map(({ outcome, error }) => [outcome, error?.split('; ').slice(1)])).toEqual([
    ['rejected', ['push the categories first']],
    ['rejected', []],
  ]);
});

test('categories are compared as a set; isPrimary counts where the record says it', async () => {
  const push = await openPush();
  await push.categories(entriesOf(['C1', 'C2'].map((originId) => ({ originId, name: originId }))));
  push.sandbox.transact(() => undefined);
  const record = (categories: ProductRecord['categories'] = []) =>
    entriesOf([{ originId: 'P1', name: '니트', categories }]);
  const word = async (categories: ProductRecord['categories']) =>
    (await push.products(record(categories))).outcomes[0]?.outcome;
  expect(await word([{ originId: 'C1', isPrimary: true }, { originId: 'C2' }])).toBe('created');
  expect(await word([{ originId: 'C2' }, { originId: 'C1' }])).toBe('unchanged');
  expect(await word([{ originId: 'C1', isPrimary: false }, { originId: 'C2' }])).toBe('updated');
  expect(await word([{ originId: 'C2' }])).toBe('updated');
  expect(await word([])).toBe('updated');
});

test.each([
  ['update', false, 'updated'],
  ['skip', false, 'skipped'],
  ['fail', false, 'rejected'],
  ['update', true, 'updated'],
] as const)(
  'a known product under --on-existing %s, --update-only %s, is %s',
  async (onExisting, isUpdateOnly, word) => {
    const push = await openPush();
    await push.products(entriesOf(products(1)));
    const { outcomes } = await push.products(entriesOf([{ originId: 'P1', name: '가디건' }]), {
      onExisting,
      isUpdateOnly,
    });
    expect(outcomes[0]?.outcome).toBe(word);
    expect(writesOf(push)).toHaveLength(word === 'updated' ? 2 : 1);
  },
);

test('--update-only creates nothing, and needs no name', async () => {
  const push = await openPush();
  await push.products(entriesOf(products(1)));
  const { outcomes } = await push.products(
    entriesOf([
      { originId: 'P1', isReviewDisabled: true },
      { originId: 'P2', isReviewDisabled: true },
    ]),
    { isUpdateOnly: true },
  );
  expect(outcomes).toMatchObject([
    { outcome: 'updated' },
    { outcome: 'rejected', error: expect.stringContaining('--update-only') },
  ]);
  expect(heldIds(push, 'products')).toEqual(['P1']);
});

test('a new product without a name is rejected and not sent', async () => {
  const push = await openPush();
  const { outcomes } = await push.products(entriesOf([{ originId: 'P1' }]));
  expect(outcomes).toMatchObject([{ outcome: 'rejected', error: 'name is needed to create a product' }]);
  expect(writesOf(push)).toEqual([]);
});

test('a product the service refuses is rejected with its reason, the others are created', async () => {
  const push = await openPush();
  const records = products(3).map((record, index) => (index === 1 ? { ...record, groupId: '404' } : record));
  const { outcomes } = await push.products(entriesOf(records));
  expect(outcomes).toMatchObject([
    { outcome: 'created' },
    { outcome: 'rejected', error: expect.stringContaining('no product group has the id 404') },
    { outcome: 'created' },
  ]);
});

test('two products of one originId on the service are touched neither; both ids are named', async () => {
  const push = await openPush({ assumptions: { duplicateOriginId: 'accept' } });
  const body = { originId: 'P1', name: '니트' };
  const { value: one } = await push.api.call('createProduct', { body });
  const { value: other } = await push.api.call('createProduct', { body });
  const written = writesOf(push).length;
  const { outcomes } = await push.products(entriesOf([{ originId: 'P1', name: '가디건' }]));
  expect(outcomes[0]?.outcome).toBe('rejected');
  expect(outcomes[0]?.error).toContain(one.id);
  expect(outcomes[0]?.error).toContain(other.id);
  expect(writesOf(push)).toHaveLength(written);
});

test('a creation whose answer was lost is looked up, found, and not repeated', async () => {
  const push = await openPush({
    assumptions: { duplicateOriginId: 'accept' },
    around: losingAnswers(({ operation }) => operation === 'createProduct'),
  });
  const { outcomes } = await push.products(entriesOf(products(3)), { concurrency: 1 });
  expect(countedWords(outcomes)).toEqual({ created: 3 });
  expect(writesOf(push)).toHaveLength(3);
  expect(heldIds(push, 'products')).toEqual(['P1', 'P2', 'P3']);
});

test.each([
  ['a time-out', () => new TransportError('no complete answer within 30 s', true)],
  ['504', () => ({ status: 504, headers: {}, body: '' })],
  ['a redirect after the effect', () => ({ status: 303, headers: { location: '/done' }, body: '' })],
])(
  'a creation that ended in %s is not repeated: what comes late is found, what does not is unknown',
  async (_, answer) => {
    const held: (() => Promise<unknown>)[] = [];
    let lookups = 0;
    const push = await openPush({
      assumptions: { duplicateOriginId: 'accept' },
      around: (transport) => async (request, signal) => {
        if (request.operation === 'createProduct') {
          held.push(() => transport(request));
          const given = answer();
          if (given instanceof TransportError) throw given;
          return given;
        }
        lookups += 1;
        // The service comes to the first product after its third lookup, and never to the second.
        if (lookups === 4) await held[0]?.();
        return transport(request, signal);
      },
    });
    const { outcomes } = await push.products(entriesOf(products(2)), { concurrency: 1 });
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'unknown']);
    expect(held).toHaveLength(2);
    expect(heldIds(push, 'products')).toEqual(['P1']);
  },
);

test('a creation that was lost on the way is looked for with patience, never repeated, and unknown', async () => {
  const push = await openPush({ around: losingRequests(100, 'createProduct') });
  const { outcomes } = await push.products(entriesOf(products(1)));
  expect(countedWords(outcomes)).toEqual({ unknown: 1 });
  expect(writesOf(push)).toHaveLength(1);
  expect(push.requests.length).toBeGreaterThan(5);
});

test('a record that was not sent because creations before it were lost has no outcome', async () => {
  const push = await openPush({ around: losingRequests(100, 'createProduct') });
  const { outcomes, error } = await push.products(entriesOf(products(20)), { concurrency: 8 });
  expect(error).toMatchObject({ isOutcomeUnknown: true });
  expect(countedWords(outcomes)).toEqual({ unknown: writesOf(push).length });
});

test('a creation that was refused a connection is sent again, and nothing of it is unknown', async () => {
  let refusals = 2;
  const push = await openPush({
    around: (transport) => async (request, signal) => {
      if (request.operation !== 'createProduct' || refusals === 0) return transport(request, signal);
      refusals -= 1;
      throw new TransportError('the connection was refused', false);
    },
  });
  const { outcomes } = await push.products(entriesOf(products(1)));
  expect(countedWords(outcomes)).toEqual({ created: 1 });
  expect(heldIds(push, 'products')).toEqual(['P1']);
});

test('what is unknown stays so in later runs and is not sent, until the service shows it', async () => {
  const held: (() => Promise<unknown>)[] = [];
  const push = await openPush({
    assumptions: { duplicateOriginId: 'accept' },
    around: (transport) => async (request, signal) => {
      if (request.operation !== 'createProduct') return transport(request, signal);
      held.push(() => transport(request));
      throw new TransportError('the connection was reset', true);
    },
  });
  const entries = entriesOf(products(1));
  await push.products(entries);
  const second = await push.products(entries);
  expect(second.outcomes).toMatchObject([
    { outcome: 'unknown', error: expect.stringContaining('--resend unknown') },
  ]);
  expect(held).toHaveLength(1);
  await held[0]?.();
  const third = await push.products(entriesOf(products(1, { isReviewDisabled: true })));
  expect(countedWords(third.outcomes)).toEqual({ updated: 1 });
  expect(held).toHaveLength(1);
  expect((await push.journal.known('product', ['P1'])).get('P1')?.fate).toBe('accepted');
});

test('an unknown product is created again only with resend unknown', async () => {
  const push = await openPush({ around: losingRequests(1, 'createProduct') });
  const entries = entriesOf(products(1));
  await push.products(entries);
  expect(countedWords((await push.products(entries, { resend: 'accepted' })).outcomes)).toEqual({
    unknown: 1,
  });
  expect(countedWords((await push.products(entries, { resend: 'unknown' })).outcomes)).toEqual({
    created: 1,
  });
  expect(heldIds(push, 'products')).toEqual(['P1']);
});

test.each(['sent', 'not-sent'] as const)(
  'a person says of an unknown product that it was %s',
  async (finding) => {
    const push = await openPush({ around: losingRequests(1, 'createProduct') });
    const journal = {
      ...push.journal,
      begin: (...[kind, entries]: Begin) => push.journal.begin(kind, entries, 'R1'),
    };
    const entries = entriesOf(products(1));
    await push.products(entries, { journal });
    expect(await push.journal.resolve('product', 'R1', finding)).toBe(1);
    const { outcomes } = await push.products(entries);
    expect(outcomes).toMatchObject(
      finding === 'not-sent'
        ? [{ outcome: 'created' }]
        : [{ outcome: 'rejected', error: expect.stringContaining('--resend accepted') }],
    );
  },
);

test('a product created in a run that was killed before its answer is unknown in the next one', async () => {
  const push = await openPush();
  await push.journal.begin('product', [productEntry({ originId: 'P1' })]);
  expect(await push.journal.recover('product')).toBe(1);
  const { outcomes } = await push.products(entriesOf(products(2)));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['unknown', 'created']);
});

test('a product that was created is never created again because a list does not show it yet', async () => {
  const push = await openPush({ assumptions: { duplicateOriginId: 'accept' }, listLagMs: 60_000_000 });
  await push.products(entriesOf(products(3)));
  const { outcomes } = await push.products(entriesOf(products(3, { isReviewDisabled: true })));
  expect(countedWords(outcomes)).toEqual({ updated: 3 });
  expect(heldIds(push, 'products')).toEqual(['P1', 'P2', 'P3']);
});

test('a product that was created and is gone by its id too is created again', async () => {
  const push = await openPush();
  await push.products(entriesOf(products(2)));
  push.sandbox.transact(({ state }) =>
    state.products.remove(state.products.first('originId', 'P1')?.id ?? ''),
  );
  const { outcomes } = await push.products(entriesOf(products(2)));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'unchanged']);
});

test('a lost creation that cannot be looked up is unknown, not failed', async () => {
  const push = await openPush({ around: dyingAfter(2) });
  const { outcomes } = await push.products(entriesOf(products(1)));
  expect(countedWords(outcomes)).toEqual({ unknown: 1 });
  expect(writesOf(push)).toHaveLength(1);
});

test('a service that dies stops the push; every record that was begun is told', async () => {
  const push = await openPush({ around: dyingAfter(22) });
  const { outcomes, error } = await push.products(entriesOf(products(1000)), { concurrency: 8 });
  expect(error).toMatchObject({ kind: 'unreachable', exitCode: 5 });
  const { created = 0, unknown = 0, ...others } = countedWords(outcomes);
  expect(others).toEqual({});
  expect(unknown).toBeGreaterThanOrEqual(5);
  expect(unknown).toBeLessThanOrEqual(5 + 7);
  expect(heldIds(push, 'products')).toHaveLength(created);
});

test('a credential that ends in the middle stops the push, and what was created is told', async () => {
  const push = await openPush({ around: answeringAfter(20, 401) });
  const { outcomes, error } = await push.products(entriesOf(products(100)), { concurrency: 4 });
  expect(error).toMatchObject({ kind: 'not-authenticated' });
  expect(countedWords(outcomes)).toEqual({ created: heldIds(push, 'products').length });
});

test('existing products are looked up a hundred at a time, after one question whether what is missing can be believed', async () => {
  const push = await openPush();
  await push.products(entriesOf(products(250)), { isUpdateOnly: true });
  expect(push.requests.map(({ operation }) => operation)).toEqual(Array(3 + 1).fill('listProducts'));
});

test.each(['repeat', 'comma', 'brackets'] as const)(
  'lookups stay within 8 KiB however long the ids, and find all of them (%s)',
  async (arrayQuery) => {
    const push = await openPush({ assumptions: { arrayQuery } });
    const long = products(60).map((record) => ({
      ...record,
      originId: `${record.originId}-${'상'.repeat(80)}`,
    }));
    expect(countedWords((await push.products(entriesOf(long))).outcomes)).toEqual({ created: 60 });
    expect(countedWords((await push.products(entriesOf(long))).outcomes)).toEqual({ unchanged: 60 });
    expect(Math.max(...push.requests.map(({ path }) => path.length))).toBeLessThan(8192);
  },
);

test.each(['repeat', 'comma', 'brackets'] as const)(
  'ids with every character that means something in a query are found again (%s)',
  async (arrayQuery) => {
    const push = await openPush({ assumptions: { arrayQuery, duplicateOriginId: 'accept' } });
    const ids = [
      'a&b',
      'a=b',
      'a,b',
      'a',
      'b',
      '100%',
      '%41',
      'a b',
      'a+b',
      'a#b',
      'a?b',
      '[]',
      '상품/1',
      '__proto__',
      '😀',
    ];
    const entries = entriesOf(ids.map((originId) => ({ originId, name: '니트' })));
    expect(countedWords((await push.products(entries)).outcomes)).toEqual({ created: ids.length });
    expect(countedWords((await push.products(entries)).outcomes)).toEqual({ unchanged: ids.length });
    expect(heldIds(push, 'products')).toEqual(ids);
  },
);
