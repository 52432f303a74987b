import { expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { streamOf } from '../../src/base/lists.ts';
import { seededRandom } from '../../src/base/random.ts';
import { emptyTally, exitCodesOf, type PushOutcome } from '../../src/push/steps/outcome.ts';
import { trackJobs } from '../../src/push/track/track.ts';
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
  { api, clock, journal }: Pick<OpenPush, 'api' | 'journal'> & { readonly clock: Clock },
  outcomes: AsyncIterable<readonly PushOutcome[]>,
  { waitMs = 600_000, stopping = never }: { readonly waitMs?: number; readonly stopping?: AbortSignal } = {},
) {
  const random = seededRandom(1);
  const tracking = {
    api,
    clock,
    journal,
    random,
    waitMs,
    stopping,
    kind: 'order-item',
    concurrency: 8,
  } as const;
  return collect(trackJobs(outcomes, tracking));
}

test('every queued record is followed until its job made it, and the id of what was made is told', async () => {
  const push = await openTracked({ jobDelayMs: 30_000 });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(250)));
  const tracked = await track(push, streamOf([outcomes]));
  expect(tracked.error).toBeUndefined();
  expect(countedWords(tracked.outcomes)).toEqual({ created: 250 });
  const made = push.sandbox.transact(({ state }) =>
    tracked.outcomes.map(({ id }) => state.orderItems.get(id ?? '')?.originId),
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

test('the deadline comes in time although the clock is set back while it is waited for', async () => {
  const push = await openTracked({ jobDelayMs: 600_000 });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(3)));
  const { clock } = push;
  let setBackMs = 0;
  const restless: Clock = {
    now: () => clock.now() - setBackMs,
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, signal) => {
      setBackMs = 3_600_000;
      return clock.sleep(ms, signal);
    },
  };
  const deadlineMs = clock.monotonicMs() + 60_000;
  const tracked = await track({ ...push, clock: restless }, streamOf([outcomes]), { waitMs: 60_000 });
  expect(clock.monotonicMs()).toBe(deadlineMs);
  expect(tracked.outcomes).toEqual(outcomes);
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
  expect(push.requests.length - before).toBe(0);
});

test('the items of a whole order share its job, and have their own ids', async () => {
  const push = await openTracked({ assumptions: { createOrders: 'POST /admin/v2/orders/bulk' } });
  addProduct(push);
  const records = orderItems(3).map((row) => ({ ...row, orderedAt: '2026-01-02T03:04:05Z' }));
  const { outcomes } = await push.orders(entriesOf(records));
  const before = push.requests.length;
  const tracked = await track(push, streamOf([outcomes]));
  expect(push.requests.length - before).toBe(2);
  expect(countedWords(tracked.outcomes)).toEqual({ created: 3 });
  const items = push.sandbox.transact(({ state }) => [...state.orderItems.values()].map(({ id }) => id));
  expect(tracked.outcomes.map(({ id }) => id)).toEqual(items);
});

test('a skipped record whose job no run has seen end is followed, one that was seen is not asked for again', async () => {
  const push = await openTracked();
  addProduct(push);
  const entries = entriesOf(orderItems(2));
  await push.orders(entries);
  const second = await track(push, streamOf([(await push.orders(entries)).outcomes]));
  expect(countedWords(second.outcomes)).toEqual({ created: 2 });
  const before = push.requests.length;
  const third = await track(push, streamOf([(await push.orders(entries)).outcomes]));
  expect(countedWords(third.outcomes)).toEqual({ skipped: 2 });
  expect(push.requests).toHaveLength(before);
});

test('records that are neither queued nor skipped with a job pass through untouched and unasked', async () => {
  const push = await openTracked();
  const outcomes: PushOutcome[] = [
    { file: 'f', line: 2, originId: 'A', outcome: 'skipped' },
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

test('each record is waited for from when it was sent, however long the sending takes', async () => {
  const push = await openTracked({ jobDelayMs: 50_000 });
  addProduct(push);
  async function* slowly() {
    for (const item of orderItems(5)) {
      yield (await push.orders(entriesOf([item]))).outcomes;
      await push.clock.sleep(40_000);
    }
  }
  const tracked = await track(push, slowly(), { waitMs: 60_000 });
  expect(countedWords(tracked.outcomes)).toEqual({ created: 5 });
});

test('once jobs took too long, the others are asked for once and sending goes on', async () => {
  const push = await openTracked({ jobDelayMs: 1_000_000_000 });
  addProduct(push);
  async function* batches() {
    for (const item of orderItems(40)) yield (await push.orders(entriesOf([item]))).outcomes;
  }
  const startedMs = push.clock.now();
  const tracked = await track(push, batches(), { waitMs: 60_000 });
  expect(countedWords(tracked.outcomes)).toEqual({ queued: 40 });
  // Sixteen batches wait at once, each on its own jump of the same clock.
  expect(push.clock.now() - startedMs).toBeLessThanOrEqual(16 * 60_000);
});

test('no more jobs are asked for at once than requests may be under way', async () => {
  let underWay = 0;
  let most = 0;
  const push = await openTracked({
    around: (transport) => async (request, signal) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return transport(request, signal);
    },
  });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(300)), { concurrency: 1 });
  await track(push, streamOf([outcomes.slice(0, 150), outcomes.slice(150)]));
  expect(most).toBe(8);
});

test('the journal learns what was made, and a record whose job failed goes out again', async () => {
  const push = await openTracked();
  const entries = entriesOf(orderItems(2));
  await track(push, streamOf([(await push.orders(entries)).outcomes]));
  expect((await push.journal.known('order-item', ['I1'])).get('I1')?.jobState).toBe('failed');
  addProduct(push);
  const again = await push.orders(entries);
  expect(countedWords(again.outcomes)).toEqual({ queued: 2 });
  const { outcomes } = await track(push, streamOf([again.outcomes]));
  expect((await push.journal.known('order-item', ['I1'])).get('I1')).toMatchObject({
    jobState: 'succeeded',
    objectId: outcomes[0]?.id,
  });
  expect(countedWords((await push.orders(entries)).outcomes)).toEqual({ skipped: 2 });
});
