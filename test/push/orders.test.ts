import { expect, test } from 'vitest';
import type { WireRequest } from '../../src/contract/wire.ts';
import { addProduct, countedWords, entriesOf, type OpenPush, openPush, orderItems } from './open-push.ts';
import {
  actingAt,
  answeringAfter,
  dyingAfter,
  entryIdsOf,
  losingAnswers,
  refusing,
} from './service-habits.ts';

test('items are sent in requests of 100 in input order, with the documented fields alone', async () => {
  const push = await openPush();
  addProduct(push);
  const rich = { paidPrice: '1000', status: 'DELIVERED', memberOriginId: 'M' } as const;
  const entries = entriesOf(orderItems(250).map((item) => ({ ...item, ...rich })));
  const { outcomes } = await push.orders(entries, { concurrency: 1 });
  expect(countedWords(outcomes)).toEqual({ queued: 250 });
  expect(push.requests.map((request) => entryIdsOf(request).length)).toEqual([100, 100, 50]);
  expect(push.requests.flatMap(entryIdsOf)).toEqual(entries.map(({ record }) => record.originId));
  const sent: readonly object[] = JSON.parse(push.requests[2]?.body ?? '');
  expect(Object.keys(sent.at(-1) ?? {})).toEqual(['orderOriginId', 'originId', 'productOriginId']);
});

test('what is taken in between shows that a refusal is about single records', async () => {
  const isOdd = (originId: string) => Number(originId.slice(1)) % 2 === 1;
  const push = await openPush({ around: refusing(isOdd, false) });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(200)), { concurrency: 1 });
  expect(countedWords(outcomes)).toEqual({ queued: 100, rejected: 100 });
});

/** The bulk creations among the requests, without lookups of lost records. */
function bulkRequests({ requests }: OpenPush): readonly WireRequest[] {
  return requests.filter(({ operation }) => operation === 'bulkCreateOrderItems');
}

test('a lost reply is never resent, in this run or the next, until a person says so', async () => {
  const push = await openPush({
    assumptions: { duplicateOriginId: 'accept' },
    around: losingAnswers((_, count) => count === 2),
  });
  addProduct(push);
  const entries = entriesOf(orderItems(300));
  const first = await push.orders(entries, { concurrency: 1 });
  expect(countedWords(first.outcomes)).toEqual({ queued: 200, unknown: 100 });
  expect(bulkRequests(push)).toHaveLength(3);
  const second = await push.orders(entries);
  expect(countedWords(second.outcomes)).toEqual({ skipped: 200, unknown: 100 });
  expect(bulkRequests(push)).toHaveLength(3);
  const third = await push.orders(entries, { resend: 'unknown' });
  expect(countedWords(third.outcomes)).toEqual({ skipped: 200, queued: 100 });
  expect(bulkRequests(push)).toHaveLength(4);
});

test('a service that dies stops the push after few unknowns, all of them told', async () => {
  const push = await openPush({ around: dyingAfter(10) });
  addProduct(push);
  const { outcomes, error } = await push.orders(entriesOf(orderItems(100_000)), { concurrency: 8 });
  expect(error).toMatchObject({ kind: 'unreachable', exitCode: 5 });
  // Five failures in a row end the push; seven more may be under way with the fifth, and are lost too.
  const unknownMaximum = (5 + 7) * 100;
  const { queued, unknown, ...others } = countedWords(outcomes);
  expect({ queued, others }).toEqual({ queued: 1000, others: {} });
  expect(unknown).toBeGreaterThanOrEqual(500);
  expect(unknown).toBeLessThanOrEqual(unknownMaximum);
  expect(push.requests).toHaveLength(10 + (unknown ?? 0) / 100);
});

test('a credential that ends in the middle stops the push, and what was under way is told', async () => {
  const push = await openPush({ around: answeringAfter(6, 401) });
  addProduct(push);
  const entries = entriesOf(orderItems(2000));
  const { outcomes, error } = await push.orders(entries);
  expect(error).toMatchObject({ kind: 'not-authenticated', exitCode: 4 });
  expect(countedWords(outcomes)).toEqual({ queued: 600 });
  expect(await push.journal.recover('order-item')).toBe(0);
  const known = await push.journal.known(
    'order-item',
    entries.map(({ record }) => record.originId),
  );
  expect(known.size).toBe(600);
});

test('told to stop, it takes nothing new and tells what was under way', async () => {
  const stop = new AbortController();
  const push = await openPush({ around: actingAt(5, () => stop.abort()) });
  addProduct(push);
  const entries = entriesOf(orderItems(5000));
  const { outcomes, error } = await push.orders(entries, { concurrency: 2, stopping: stop.signal });
  expect(error).toBeUndefined();
  // The first request alone, then two at a time.
  expect(push.requests).toHaveLength(5);
  expect(countedWords(outcomes)).toEqual({ queued: 500 });
  expect(await push.journal.recover('order-item')).toBe(0);
  expect(countedWords((await push.orders(entries)).outcomes)).toEqual({ skipped: 500, queued: 4500 });
});
