import { expect, test } from 'vitest';
import { openSandbox } from './open-sandbox.ts';

test('every bulk entry has one PENDING job at once, in the order of the request', async () => {
  const { sandbox, product, items } = await openSandbox({ jobDelayMs: 1_000 });
  await product('P1');
  expect(await items('P1', 'I3', 'I1', 'I2')).toEqual(
    ['I3', 'I1', 'I2'].map((entryOriginId) => ({
      jobId: expect.any(String),
      status: 'PENDING',
      entryOriginId,
      successObjectId: null,
      failureReason: null,
      createdAt: '2026-01-01T00:00:00Z',
      startedAt: null,
      endedAt: null,
    })),
  );
  expect(sandbox.state.orderItems.size).toBe(0);
});

test('a job is carried out when it is due, not before, and names what it made', async () => {
  const { clock, sandbox, product, items, jobsNow } = await openSandbox({ jobDelayMs: 5_000 });
  await product('P1');
  const jobs = await items('P1', 'I');
  clock.advance(4_999);
  expect(await jobsNow(jobs)).toMatchObject([{ status: 'PENDING', endedAt: null }]);
  clock.advance(60_000);
  const [job] = await jobsNow(jobs);
  expect(job).toMatchObject({
    status: 'SUCCESS',
    failureReason: null,
    startedAt: '2026-01-01T00:00:05Z',
    endedAt: '2026-01-01T00:00:05Z',
  });
  expect(sandbox.state.orderItems.get(job.successObjectId)).toMatchObject({ originId: 'I' });
});

test('a job of an unknown product fails with the reason and makes no order', async () => {
  const { sandbox, items, jobsNow } = await openSandbox();
  expect(await jobsNow(await items('P9', 'I'))).toMatchObject([
    {
      status: 'FAILURE',
      successObjectId: null,
      failureReason: 'no product has the originId P9',
      endedAt: '2026-01-01T00:00:00Z',
    },
  ]);
  expect(sandbox.state.orders.size).toBe(0);
});

test('a product that arrives before the job is due is known to it', async () => {
  const { clock, product, items, jobsNow } = await openSandbox({ jobDelayMs: 1_000 });
  const jobs = await items('P1', 'I');
  await product('P1');
  clock.advance(1_000);
  expect(await jobsNow(jobs)).toMatchObject([{ status: 'SUCCESS' }]);
});

test('an entry given twice in one request makes one item; the other job fails as a duplicate', async () => {
  const { sandbox, product, items, jobsNow } = await openSandbox();
  await product('P1');
  expect(await jobsNow(await items('P1', 'I', 'I'))).toMatchObject([
    { status: 'SUCCESS' },
    { status: 'FAILURE', failureReason: 'an order item with the originId I already exists' },
  ]);
  expect(sandbox.state.orderItems.size).toBe(1);
  expect(sandbox.state.orders.size).toBe(1);
});

test('bulk categories are made by jobs with the defaults of the single operation', async () => {
  const { ask, sandbox, jobsNow } = await openSandbox();
  const jobs = await ask('POST', '/admin/v2/categories/bulk', [
    { originId: 'C1', name: '의류' },
    { originId: 'C1', name: '다시' },
  ]);
  const [first, second] = await jobsNow(jobs);
  expect(sandbox.state.categories.get(first.successObjectId)).toMatchObject({
    originId: 'C1',
    name: '의류',
    isVisible: true,
    isReviewDisabled: false,
    position: 0,
    parentId: null,
  });
  expect(second).toMatchObject({ status: 'FAILURE' });
});

test('a whole order is made with all its items or not at all', async () => {
  const { ask, sandbox, product, jobsNow } = await openSandbox();
  await product('P1');
  const order = (originId: string, productOriginIds: string[]) => ({
    originId,
    orderedAt: '2025-12-01T00:00:00Z',
    memberOriginId: 'M1',
    buyer: { name: '김민서' },
    items: productOriginIds.map((productOriginId, index) => ({
      originId: `${originId}-${index}`,
      productOriginId,
    })),
  });
  const jobs = await ask('POST', '/admin/v2/orders/bulk', [
    order('O1', ['P1', 'P1']),
    order('O2', ['P1', 'P9']),
    order('O1', ['P1']),
  ]);
  const ended = await jobsNow(jobs);
  expect(ended).toMatchObject([
    { entryOriginId: 'O1', status: 'SUCCESS' },
    { entryOriginId: 'O2', failureReason: 'no product has the originId P9' },
    { entryOriginId: 'O1', failureReason: 'an order with the originId O1 already exists' },
  ]);
  expect(sandbox.state.orders.size).toBe(1);
  expect(await ask('GET', `/admin/v2/order/${ended[0].successObjectId}`)).toMatchObject({
    originId: 'O1',
    orderedAt: '2025-12-01T00:00:00Z',
    memberOriginId: 'M1',
    buyer: { name: '김민서', phone: null, email: null },
    items: [{ originId: 'O1-0' }, { originId: 'O1-1' }],
  });
});
