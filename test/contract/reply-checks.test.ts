import { expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { OperationName } from '../../src/contract/operations.ts';
import { type Exchange, refutationsIn } from '../../src/contract/reply-checks.ts';

const bulk = 'bulkCreateOrderItems';
const two: readonly Json[] = [{ originId: 'a' }, { originId: 'b' }];
const pageOf = (...data: readonly Json[]): Json => ({ totalCount: data.length, data });

function taken(operation: OperationName, value: Json, more: Partial<Exchange> = {}): Exchange {
  return { operation, status: 200, value, ...more };
}

const job = (signs: { readonly [name: string]: Json }): Exchange => taken(bulk, [{ jobId: '1', ...signs }]);
const byOriginIds = { query: { originIds: ['a', 'b'] } };

test.each<[string, Exchange, string]>([
  ['a product not asked for', taken('listProducts', pageOf({ originId: 'c' }), byOriginIds), 'originIds'],
  [
    'a rating not asked for',
    taken('listReviews', pageOf({ rating: 5 }), { query: { ratings: [1] } }),
    'ratings',
  ],
  [
    'a category not asked for',
    taken('listRewards', pageOf({ reviewCategory: 'TEXT' }), { query: { reviewCategories: ['IMAGE'] } }),
    'reviewCategories',
  ],
  ['a record without an id', taken('listProducts', pageOf(), { unreadable: 1 }), 'without an id'],
  ['an unknown status', job({ status: 'ODD' }), 'unfamiliar status ODD'],
  ['the unknown status of one job', taken('getJob', { jobId: '1', status: 'ODD' }), 'unfamiliar status ODD'],
  ['a success with a reason', job({ status: 'success', failureReason: 'no' }), 'carries a failureReason'],
  ['a failure with an object', job({ status: 'FAILED', successObjectId: '7' }), 'carries a successObjectId'],
  [
    'a job with both',
    job({ status: 'SUCCESS', successObjectId: '7', failureReason: 'no' }),
    'a failureReason beside its successObjectId',
  ],
  [
    'a bulk request that is too large',
    { operation: 'bulkCreateCategories', status: 413, body: [...two, ...two] },
    'refuses 4 categories in one request',
  ],
])('%s is a finding with its remedy', (_, exchange, finding) => {
  expect(refutationsIn(exchange, defaultAssumptions)).toEqual([
    { finding: expect.stringContaining(finding), remedy: expect.stringMatching(/./) },
  ]);
});

test.each<[string, Exchange]>([
  ['products asked for, whatever their case', taken('listProducts', pageOf({ originId: 'B ' }), byOriginIds)],
  ['a list without filters', taken('listProducts', pageOf({ originId: 'c' }))],
  ['a known status, in any case', job({ status: 'pending' })],
  ['a success', job({ status: 'SUCCESS', successObjectId: '7' })],
  ['a failure', job({ status: 'FAILED', failureReason: 'no' })],
  ['a single category that is refused', { operation: 'bulkCreateCategories', status: 413, body: [{}] }],
  ['a refusal', { operation: 'createProduct', status: 422 }],
])('%s is none', (_, exchange) => {
  expect(refutationsIn(exchange, defaultAssumptions)).toEqual([]);
});
