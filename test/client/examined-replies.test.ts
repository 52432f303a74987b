import { expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { createApi } from '../../src/client/caller.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { WireReply } from '../../src/contract/wire.ts';
import { replyOf, scriptedTransport } from './scripted-transport.ts';

/** Sends the same reply 130 times; returns the numbers of those that refuted an assumption. */
async function refuting(
  reply: WireReply,
  call: (api: ReturnType<typeof createApi>) => Promise<unknown>,
): Promise<number[]> {
  const numbers = new Set<number>();
  let number = 0;
  const { transport } = scriptedTransport(reply);
  const onRefutation = () => numbers.add(number);
  const api = createApi({ transport, assumptions: defaultAssumptions, onRefutation });
  for (number = 1; number <= 130; number += 1) await call(api);
  return [...numbers];
}

const all = Array.from({ length: 130 }, (_, index) => index + 1);

test('every reply to a write is held against the assumptions', async () => {
  const body = [{ orderOriginId: 'O1', originId: 'I1', productOriginId: 'P1' }];
  const reply = replyOf(200, [{ jobId: '1', status: 'ODD' }]);
  expect(await refuting(reply, (api) => api.call('bulkCreateOrderItems', { body }))).toEqual(all);
});

/** A page with its bytes, which are passed on unless something prevents it. */
function pageOf(...data: readonly Json[]) {
  const page = { totalCount: 9, data };
  return { ...replyOf(200, page), bytes: Buffer.from(JSON.stringify(page)) };
}

test('every list is held against the assumptions, and pages passed on by sample', async () => {
  const query = { ratings: [1, 2] };
  const page = () => pageOf({ id: '1', rating: 5 });
  expect(await refuting(page(), (api) => api.call('listReviews', { query }))).toEqual(all);
  const passedOn = await refuting(page(), (api) => api.callForLines('listReviews', { query }));
  expect(passedOn).toEqual([1, 2, 3, 4, 64, 128]);
});

test('a page passed on that loses records without an id is never overlooked', async () => {
  const page = pageOf({ id: '1' }, { name: 'without an id' });
  expect(await refuting(page, (api) => api.callForLines('listProducts', {}))).toEqual(all);
});
