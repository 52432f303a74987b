import { expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { assumptionChecks, evidenceIn } from '../../src/contract/assumption-checks.ts';
import { type AssumptionName, type Assumptions, defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { Exchange } from '../../src/contract/exchange.ts';
import type { OperationName } from '../../src/contract/operations.ts';

/** A reply that was taken. */
function taken(operation: OperationName, sent: Json, more: Partial<Exchange> = {}): Exchange {
  return { operation, status: 200, headers: {}, sent, value: sent, ...more };
}

/** A reply that was refused. */
function refusal(
  operation: OperationName,
  status: number,
  body: Json | string,
  more: Partial<Exchange> = {},
): Exchange {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { operation, status, headers: {}, refusal: text, ...more };
}

const pageOf = (...data: readonly Json[]): Json => ({ totalCount: data.length, data });
const issue = (loc: readonly Json[], type = 'value_error', msg = 'wrong') => ({
  detail: [{ loc, msg, type }],
});
const bulk = 'bulkCreateOrderItems';
const two: readonly Json[] = [{ originId: 'a' }, { originId: 'b' }];
const job = (facts: { readonly [name: string]: Json }): Json => ({ jobId: '1', ...facts });
const year = (day: string) => `2026-${day}T00:00:00Z`;

interface Case {
  readonly confirmed?: Exchange;
  readonly refuted?: Exchange;
  /** In place of the default, where that cannot be confirmed or refuted. */
  readonly taken?: Partial<Assumptions>;
}

const originIds = { query: { originIds: ['a', 'b'] } };
const getJob = 'GET /job/{jobId}';
const rewardOf = (own: string, review: string): Json => ({
  id: '1',
  createdAt: year(own),
  review: { id: '2', createdAt: year(review) },
});
const january = { query: { createdAtStart: year('01-01'), createdAtEnd: year('01-31') } };

const cases: Readonly<Record<AssumptionName, readonly Case[]>> = {
  arrayQuery: [
    {
      confirmed: taken(
        'listProducts',
        pageOf({ originId: 'a' }, { originId: 'b' }, { originId: 'B ' }),
        originIds,
      ),
      refuted: taken('listProducts', pageOf({ originId: 'a' }, { originId: 'c' }), originIds),
    },
    { refuted: taken('listReviews', pageOf({ rating: 5 }), { query: { ratings: [1, 2] } }) },
    {
      refuted: taken('listRewards', pageOf({ reviewCategory: 'TEXT' }), {
        query: { reviewCategories: ['IMAGE'] },
      }),
    },
  ],
  getJob: [{ taken: { getJob }, confirmed: taken('getJob', job({})), refuted: refusal('getJob', 405, '') }],
  createOrders: [{ confirmed: taken('createOrders', []), refuted: refusal('createOrders', 404, '') }],
  getReward: [{ confirmed: taken('getReward', { id: '1' }), refuted: refusal('getReward', 405, '') }],
  pendingJobStatuses: [
    { confirmed: taken(bulk, [job({ status: 'pending' })]), refuted: taken(bulk, [job({ status: 'ODD' })]) },
  ],
  succeededJobStatuses: [
    {
      confirmed: taken(bulk, [job({ status: 'SUCCESS', successObjectId: '7' })]),
      refuted: taken(bulk, [job({ status: 'SUCCESS', failureReason: 'no' })]),
    },
  ],
  failedJobStatuses: [
    {
      confirmed: taken(bulk, [job({ status: 'FAILED', failureReason: 'no' })]),
      refuted: taken(bulk, [job({ status: 'FAILED', successObjectId: '7' })]),
    },
  ],
  categoryBulkMaximum: [
    {
      taken: { categoryBulkMaximum: 2 },
      confirmed: taken('bulkCreateCategories', [], { body: two }),
      refuted: refusal('bulkCreateCategories', 413, '', { body: two }),
    },
  ],
  bulkExtraFields: [
    {
      confirmed: refusal(bulk, 422, issue(['body', 0, 'status'], 'extra_forbidden'), {
        body: [{ status: 'FAIL' }],
      }),
      refuted: taken(bulk, [], { body: [{ status: 'FAIL' }] }),
    },
  ],
  successStatus: [
    { confirmed: taken('createProduct', {}), refuted: taken('createCategory', {}, { status: 201 }) },
  ],
  validationStatus: [
    {
      confirmed: refusal('updateOrder', 422, issue(['body'])),
      refuted: refusal('updateOrder', 400, issue(['body'])),
    },
  ],
  errorDetail: [
    {
      confirmed: refusal('getOrder', 404, { detail: [] }),
      refuted: refusal('getOrder', 404, { detail: 'Not Found' }),
    },
    { taken: { errorDetail: 'html' }, confirmed: refusal('getOrder', 404, '<html>') },
    { taken: { errorDetail: 'empty' }, confirmed: refusal('getOrder', 404, '') },
    { taken: { errorDetail: 'object' }, confirmed: refusal('getOrder', 404, { detail: {} }) },
  ],
  locIndex: [
    {
      confirmed: refusal(bulk, 422, issue(['body', '1', 'originId']), { body: two }),
      refuted: refusal(bulk, 422, issue(['body', 1, 'originId']), { body: two }),
    },
  ],
  unauthenticatedStatus: [
    { confirmed: refusal('getOrder', 401, '') },
    { taken: { unauthenticatedStatus: '403' }, refuted: refusal('getOrder', 401, '') },
  ],
  bulkBadEntry: [
    {
      confirmed: refusal(bulk, 422, issue(['body', 1, 'originId']), { body: two }),
      refuted: taken(bulk, [job({ failureReason: 'no' })], { body: two }),
    },
  ],
  duplicateOriginId: [
    {
      confirmed: refusal('createProduct', 422, issue(['body', 'originId'], 'value_error', 'already exists')),
      refuted: taken('listProducts', pageOf({ originId: 'a' }, { originId: 'a' })),
    },
  ],
  groupName: [
    { confirmed: taken('listProductGroups', pageOf({ name: 'a' }, { name: 'a' })) },
    {
      taken: { groupName: 'unique' },
      refuted: taken('listProductGroups', pageOf({ name: 'a' }, { name: 'a' })),
    },
  ],
  defaultsOnUpdate: [
    { confirmed: taken('updateProduct', { isReviewDisabled: true }, { body: { name: 'new' } }) },
    {
      taken: { defaultsOnUpdate: 'apply' },
      refuted: taken('updateProduct', { isAlimtalkEnabled: false }, { body: { name: 'new' } }),
    },
  ],
  writeReply: [
    { confirmed: taken('updateProduct', { name: 'new' }, { body: { name: 'new' } }) },
    {
      taken: { writeReply: 'earlier' },
      refuted: taken('updateReview', { isVisible: false }, { body: { isVisible: false } }),
    },
  ],
  paidPriceReply: [
    {
      confirmed: taken('getOrder', { items: [{ paidPrice: '100' }] }),
      refuted: taken('listReviews', pageOf({ orderItem: { paidPrice: 100 } })),
    },
  ],
  isAlimtalkEnabledReply: [
    {
      confirmed: taken('getProduct', { isAlimtalkEnabled: 'true' }),
      refuted: taken('listReviews', pageOf({ product: { isAlimtalkEnabled: true } })),
    },
  ],
  imageUrlReply: [
    {
      confirmed: taken('createProduct', { image: { url: 'a' } }, { body: { imageUrl: 'a' } }),
      refuted: taken('createProduct', { image: { url: 'b' } }, { body: { imageUrl: 'a' } }),
    },
  ],
  emptyFields: [
    {
      confirmed: taken('createCategory', {
        ...{ id: '1', originId: 'a', name: null },
        ...{ isVisible: true, isReviewDisabled: true },
      }),
      refuted: taken('createCategory', { id: '1', originId: 'a', name: null }),
    },
  ],
  replyScalars: [
    {
      confirmed: taken('listRewards', pageOf()),
      refuted: taken('listRewards', { totalCount: '0', data: [] }),
    },
  ],
  timeRangeEnd: [
    { confirmed: taken('listReviews', pageOf({ createdAt: '2026-01-31T09:00:00+09:00' }), january) },
    {
      taken: { timeRangeEnd: 'exclusive' },
      refuted: taken('listReviews', pageOf({ createdAt: year('01-31') }), january),
    },
  ],
  rewardTimeMeans: [
    {
      confirmed: taken('listRewards', pageOf(rewardOf('02-03', '01-30')), january),
      refuted: taken('listRewards', pageOf(rewardOf('01-03', '12-30')), january),
    },
  ],
  rewardTransitions: [
    { confirmed: refusal('updateReward', 422, issue(['body', 'status'])) },
    { taken: { rewardTransitions: 'any' }, refuted: refusal('updateReward', 409, '') },
  ],
  recordIds: [
    {
      confirmed: taken('listProducts', pageOf({ id: '1' })),
      refuted: taken('listProducts', pageOf(), { unreadable: 1 }),
    },
  ],
  idleTimeout: [
    {
      confirmed: taken('getProduct', {}, { headers: { 'keep-alive': 'timeout=5, max=100' } }),
      refuted: taken('getProduct', {}, { headers: { 'keep-alive': 'timeout=0' } }),
    },
  ],
  jobOrder: [
    {
      confirmed: taken(bulk, [job({ entryOriginId: 'a' }), job({ entryOriginId: 'b' })], { body: two }),
      refuted: taken(bulk, [job({ entryOriginId: 'b' }), job({ entryOriginId: 'a' })], { body: two }),
    },
  ],
  // What no reply alone shows.
  ...{ listConsistency: [], rewardStatusAfterWebhook: [], webhookRedelivery: [] },
  ...{ unknownFields: [], webhookRedirect: [] },
};

const rows = Object.entries(cases).flatMap(([name, examples]) =>
  examples.flatMap(({ taken: settings, ...exchanges }) =>
    Object.entries(exchanges).map(([verdict, exchange]) => ({ name, verdict, exchange, settings })),
  ),
);

test.each(rows)(
  '$name is $verdict by a reply to $exchange.operation',
  ({ name, verdict, exchange, settings }) => {
    const evidence = evidenceIn(exchange, { ...defaultAssumptions, ...settings });
    const verdicts = evidence.filter(({ assumption }) => assumption === name).map((one) => one.verdict);
    expect(verdicts).toEqual([verdict]);
  },
);

test('every assumption names its evidence, and those that one reply can decide have such a reply', () => {
  for (const [name, { shownBy, examine }] of Object.entries(assumptionChecks)) {
    expect(shownBy, name).not.toBe('');
    expect(cases[name as AssumptionName].length > 0, name).toBe(examine !== undefined);
  }
});
