import fc from 'fast-check';
import { expect, test } from 'vitest';
import type * as z from 'zod';
import type { Operations } from '../../src/contract/operations.ts';
import { operations } from '../../src/contract/operations.ts';
import { productGroupHandlers } from '../../src/sandbox/api/product-groups.ts';
import { productHandlers } from '../../src/sandbox/api/products.ts';
import { reviewHandlers } from '../../src/sandbox/api/reviews.ts';
import { rewardHandlers } from '../../src/sandbox/api/rewards.ts';
import { byText, Collection } from '../../src/sandbox/state/collection.ts';
import { ListLag } from '../../src/sandbox/state/list-lag.ts';
import { type Listing, Listings } from '../../src/sandbox/state/listings.ts';
import type { RequestOutcome } from '../../src/sandbox/state/outcome.ts';
import type { RequestContext } from '../../src/sandbox/state/request-context.ts';
import { ManualClock } from './manual-clock.ts';
import { type OpenSandbox, openSandbox } from './open-sandbox.ts';

interface Numbered {
  readonly id: string;
  readonly rank: number;
}

/** A list of so many records, and how often it had to look at one. */
function countedList(count: number) {
  const records = new Collection<Numbered, 'id'>({ id: byText(({ id }) => id) }, () => undefined);
  const listings = new Listings(new ListLag(new ManualClock()));
  const looks = { matches: 0, keyOf: 0 };
  const put = (number: number, rank: number) => records.put({ id: String(number), rank });
  for (let number = 1; number <= count; number += 1) put(number, (number * 7919) % count);
  const listing: Listing<Numbered> = {
    operation: 'list',
    sort: 'rank',
    direction: 'DESC',
    collection: records,
    matches: () => {
      looks.matches += 1;
      return true;
    },
    keyOf: ({ rank }) => {
      looks.keyOf += 1;
      return rank;
    },
    present: ({ id }) => id,
  };
  const page = (query: Readonly<Record<string, string>> = {}, candidates?: readonly Numbered[]) =>
    listings.page({ ...listing, candidates }, { first: 10, ...query });
  return { put, page, looks };
}

test('a list of 20,000 is sorted once: a write between two pages costs the search for its place', () => {
  const { put, page, looks } = countedList(20_000);
  page();
  looks.matches = 0;
  looks.keyOf = 0;
  const writes = 200;
  for (let written = 0; written < writes; written += 1) {
    put(written % 2 === 0 ? written + 1 : 20_000 + written, written * 97);
    page();
  }
  expect(looks.matches).toBe(writes);
  expect(looks.keyOf / writes).toBeLessThan(80);
});

test('looking up single records does not drop the lists that are kept', () => {
  const { page, looks } = countedList(1_000);
  page();
  looks.matches = 0;
  for (let lookup = 0; lookup < 50; lookup += 1) page({ originIds: String(lookup) }, []);
  page();
  expect(looks.matches).toBe(0);
});

test('of many lists those that are asked for are kept', () => {
  const { page, looks } = countedList(1_000);
  page();
  for (let other = 0; other < 20; other += 1) {
    page({ filter: String(other) });
    page();
  }
  looks.matches = 0;
  page();
  expect(looks.matches).toBe(0);
});

/** The handlers of lists by what they list, and queries that together use every order and every kind of filter. */
const lists = {
  listReviews: [
    {},
    { sort: 'HELPFUL_COUNT', direction: 'ASC' },
    { sort: 'UPDATED_AT', isVisible: 'true' },
    { orderMemberOriginId: 'M1' },
    { isRewarded: 'true' },
    { productName: '새' },
  ],
  listProducts: [{ sort: 'REVIEW_COUNT' }, { sort: 'NAME', direction: 'ASC' }, { isAlimtalkEnabled: 'true' }],
  listProductGroups: [{ ordering: 'review_count' }, { ordering: 'name' }, {}],
  listRewards: [{ status: 'QUEUED' }, {}, { updatedAtStart: '2026-01-02' }],
} as const;

const handlers = { ...reviewHandlers, ...productHandlers, ...productGroupHandlers, ...rewardHandlers };

type ListName = keyof typeof lists;
type AnyHandler = (
  context: RequestContext,
  call: { readonly query: z.output<Operations[ListName]['query']> },
) => RequestOutcome;

/** What a list shows by lists that are kept, or by those of the request. */
function shown(
  context: RequestContext,
  name: ListName,
  query: Readonly<Record<string, string>>,
): RequestOutcome {
  const decoded = operations[name].query.parse({ ...query, first: '100' });
  return (handlers[name] as AnyHandler)(context, { query: decoded });
}

/** Every list as it is kept, beside the same list made anew. */
function everyList({ sandbox, clock }: OpenSandbox) {
  return sandbox.transact((context) => {
    const anew: RequestContext = { ...context, listings: new Listings(new ListLag(clock)) };
    return (Object.keys(lists) as ListName[]).flatMap((name) =>
      lists[name].map((query) => ({ kept: shown(context, name, query), anew: shown(anew, name, query) })),
    );
  });
}

const at = <T>(values: Iterable<T>, place: number): T | undefined => {
  const all = [...values];
  return all[place % all.length];
};

/** One write by the API, to the record of that number. */
const writes: readonly ((opened: OpenSandbox, number: number) => Promise<unknown>)[] = [
  ({ call }, number) =>
    call('POST', '/admin/v2/product', { originId: `N${number}`, name: `컵 ${number % 3}` }),
  ({ call, sandbox: { state } }, number) =>
    call('PATCH', `/admin/v2/product/${at(state.products.values(), number)?.id}`, {
      name: number % 2 === 0 ? '새 이름' : '이름',
      isAlimtalkEnabled: number % 3 === 0,
    }),
  ({ call, sandbox: { state } }, number) =>
    call(
      'PUT',
      `/admin/v2/product-group/${at(state.productGroups.values(), number)?.id}/products/${at(state.products.values(), number)?.id}`,
    ),
  ({ call, sandbox: { state } }, number) =>
    call('PATCH', `/admin/v2/review/${at(state.reviews.values(), number)?.id}`, {
      isVisible: number % 2 === 0,
    }),
  ({ call }) => call('POST', '/sandbox/reviews', {}),
  ({ call, sandbox: { state } }, number) =>
    call('PATCH', `/admin/v2/reward/${at(state.rewards.values(), number)?.id}`, { status: 'SUCCESS' }),
  ({ call, sandbox: { state } }, number) =>
    call('PATCH', `/admin/v2/order/${at(state.orders.values(), number)?.id}`, { memberOriginId: 'M1' }),
];

test('a kept list is what it would be if it were made anew, whatever is written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(writes.length - 1), fc.nat(40)), { minLength: 1, maxLength: 12 }),
      async (steps) => {
        const opened = await openSandbox({ products: 12, orders: 10, reviews: 15 });
        everyList(opened);
        for (const [write, number] of steps) {
          opened.clock.advance(100_000_000);
          await writes[write]?.(opened, number);
          for (const { kept, anew } of everyList(opened)) expect(kept).toEqual(anew);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('a list that lags shows a record, and adds it to the total, once its time has come', async () => {
  const { ask, clock } = await openSandbox({ products: 3, listLagMs: 5_000 });
  await ask('GET', '/admin/v2/products');
  await ask('POST', '/admin/v2/product', { originId: 'late', name: 'late' });
  const page = async () => {
    const { totalCount, data } = await ask('GET', '/admin/v2/products?first=1');
    return [totalCount, data[0].originId === 'late'];
  };
  expect(await page()).toEqual([3, false]);
  clock.advance(5_000);
  expect(await page()).toEqual([4, true]);
});
