import { expect, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import { seededRandom } from '../../src/base/random.ts';
import { emptyTally, exitCodesOf, type Outcome } from '../../src/push/outcome.ts';
import { trackJobs } from '../../src/push/track.ts';
import {
  addProduct,
  collect,
  countedWords,
  entriesOf,
  type OpenPush,
  openPush,
  orderItems,
  type PushOptions,
} from './open-push.ts';
import { answeringAfter } from './service-habits.ts';

const getJob = 'GET /admin/v2/job/{jobId}';
const never = new AbortController().signal;

function openTracked(options: PushOptions = {}): Promise<OpenPush> {
  return openPush({ ...options, assumptions: { ...options.assumptions, getJob } });
}

function track(
  { api, clock }: OpenPush,
  outcomes: AsyncIterable<readonly Outcome[]>,
  { waitMs = 600_000, stopping = never }: { readonly waitMs?: number; readonly stopping?: AbortSignal } = {},
) {
  const random = seededRandom(1);
  return collect(trackJobs(outcomes, { api, clock, random, deadlineMs: clock.now() + waitMs, stopping }));
}

test('every queued record is followed until its job made it, and the id of what was made is told', async () => {
  const push = await openTracked({ jobDelayMs: 30_000 });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(250)));
  const tracked = await track(push, streamOf([outcomes]));
  expect(tracked.error).toBeUndefined();
  expect(countedWords(tracked.outcomes)).toEqual({ created: 250 });
  const made = push.sandbox.visit(({ world }) =>
    tracked.outcomes.map(({ id }) => world.orderItems.get(id ?? '')?.originId),
  );
  expect(made).toEqual(tracked.outcomes.map(({ originId }) => originId));
});

test('a job that failed gives the reason of the service', async () => {
  const push = await openTracked();
  const { outcomes } = await push.orders(entriesOf(orderItems(1)));
  const tracked = await track(push, streamOf([outcomes]));
  expect(tracked.outcomes).toMatchObject([
    { outcome: 'failed', jobId: outcomes[0]?.jobId, error: 'no product has the originId P1' },
  ]);
});

test('what has not ended by the deadline stays queued: exit 8', async () => {
  const push = await openTracked({ jobDelayMs: 60_001 });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(3)));
  const deadlineMs = push.clock.now() + 60_000;
  const tracked = await track(push, streamOf([outcomes]), { waitMs: 60_000 });
  expect(push.clock.now()).toBe(deadlineMs);
  expect(tracked.outcomes).toEqual(outcomes);
  expect(exitCodesOf({ ...emptyTally(), ...countedWords(tracked.outcomes) }, true)).toEqual([8]);
});

test('a job that ends at the very deadline is seen', async () => {
  const push = await openTracked({ jobDelayMs: 60_000 });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(3)));
  const tracked = await track(push, streamOf([outcomes]), { waitMs: 60_000 });
  expect(countedWords(tracked.outcomes)).toEqual({ created: 3 });
});

test('told to stop, it asks no more and leaves queued what has not ended', async () => {
  const push = await openTracked({ jobDelayMs: 60_000 });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(3)));
  const before = push.requests.length;
  const tracked = await track(push, streamOf([outcomes]), { stopping: AbortSignal.abort() });
  expect(tracked).toEqual({ outcomes });
  expect(push.requests.length - before).toBe(3);
});

test('the items of a whole order share its job, whose object is not theirs', async () => {
  const push = await openTracked({ assumptions: { createOrders: 'POST /admin/v2/orders/bulk' } });
  addProduct(push);
  const records = orderItems(3).map((row) => ({ ...row, orderedAt: '2026-01-02T03:04:05Z' }));
  const { outcomes } = await push.orders(entriesOf(records));
  const before = push.requests.length;
  const tracked = await track(push, streamOf([outcomes]));
  expect(push.requests.length - before).toBe(1);
  expect(countedWords(tracked.outcomes)).toEqual({ created: 3 });
  expect(tracked.outcomes.map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
});

test('records that are not queued pass through untouched and unasked', async () => {
  const push = await openTracked();
  const outcomes: Outcome[] = [
    { file: 'f', line: 2, originId: 'A', outcome: 'skipped', jobId: 'J' },
    { file: 'f', line: 3, originId: 'B', outcome: 'rejected', error: 'no' },
  ];
  expect(await track(push, streamOf([outcomes]))).toEqual({ outcomes });
  expect(push.requests).toEqual([]);
});

test('when jobs cannot be asked for, every outcome is told before the failure', async () => {
  const push = await openTracked({ jobDelayMs: 60_000, around: answeringAfter(5, 401) });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(300)));
  const batches = [outcomes.slice(0, 100), outcomes.slice(100, 200), outcomes.slice(200)];
  const tracked = await track(push, streamOf(batches));
  expect(tracked.outcomes).toEqual(outcomes);
  expect(tracked.error).toMatchObject({ kind: 'not-authenticated' });
});

test('when the push itself fails, what it had sent is followed and told before the failure', async () => {
  const push = await openTracked();
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(10)));
  async function* broken() {
    yield outcomes;
    throw new Error('the service is gone');
  }
  const tracked = await track(push, broken());
  expect(countedWords(tracked.outcomes)).toEqual({ created: 10 });
  expect(tracked.error).toEqual(new Error('the service is gone'));
});
