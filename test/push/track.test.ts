import { expect, test } from 'vitest';
import { streamOf } from '../../src/base/lists.ts';
import { seededRandom } from '../../src/base/random.ts';
import type { PushOutcome } from '../../src/push/steps/outcome.ts';
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

const getJob = 'GET /admin/v2/job/{jobId}';
const never = new AbortController().signal;

function openTracked(options: PushOptions = {}): Promise<OpenPush> {
  return openPush({ ...options, assumptions: { ...options.assumptions, getJob } });
}

function track(
  { api, clock, journal }: OpenPush,
  outcomes: AsyncIterable<readonly PushOutcome[]>,
  waitMs = 600_000,
) {
  const shared = { api, clock, journal, random: seededRandom(1), waitMs, stopping: never };
  return collect(trackJobs(outcomes, { ...shared, kind: 'order-item', concurrency: 8 }));
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

test('the deadline comes in time although the clock is set back while it is waited for', async () => {
  const push = await openTracked({
    jobDelayMs: 600_000,
    around: (transport) => (request, signal) => {
      if (request.operation === 'getJob') push.clock.setBack(3_600_000);
      return transport(request, signal);
    },
  });
  addProduct(push);
  const { outcomes } = await push.orders(entriesOf(orderItems(3)));
  const deadlineMs = push.clock.monotonicMs() + 60_000;
  expect(await track(push, streamOf([outcomes]), 60_000)).toEqual({ outcomes });
  expect(push.clock.monotonicMs()).toBe(deadlineMs);
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
  const tracked = await track(push, slowly(), 60_000);
  expect(countedWords(tracked.outcomes)).toEqual({ created: 5 });
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
