import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../cli/run-cli.ts';
import { openSandbox } from './open-sandbox.ts';
import { openReceiver } from './webhook-receiver.ts';

const dayMs = 86_400_000;

test('a clock that is moved ends jobs, at the times at which they were due', async () => {
  const { ask, jobsNow } = await openSandbox({ jobDelayMs: dayMs });
  const jobs = await ask('POST', '/admin/v2/categories/bulk', [{ originId: 'C', name: 'n' }]);
  expect(await ask('POST', '/sandbox/clock', { ms: 2 * dayMs })).toEqual({
    now: '2026-01-03T00:00:00Z',
    endedJobs: 1,
    approvedRewards: 0,
  });
  expect(await jobsNow(jobs)).toMatchObject([{ endedAt: '2026-01-02T00:00:00Z' }]);
});

test('a reward that is UNAPPROVED becomes QUEUED after a week, and the webhook hears of it', async () => {
  const receiver = await openReceiver();
  const { ask, sandbox } = await openSandbox({
    orders: 5,
    webhookUrl: receiver.url,
    assumptions: { rewardStatusAfterWebhook: 'stays', rewardTransitions: 'any' },
  });
  const [{ reward }] = await ask('POST', '/sandbox/reviews', {});
  await ask('PATCH', `/admin/v2/reward/${reward.id}`, { status: 'UNAPPROVED' });
  expect(await ask('POST', '/sandbox/clock', { ms: 7 * dayMs - 1 })).toMatchObject({ approvedRewards: 0 });
  expect(await ask('POST', '/sandbox/clock', { ms: 1 })).toMatchObject({ approvedRewards: 1 });
  expect(await ask('GET', `/admin/v2/reward/${reward.id}`)).toMatchObject({ status: 'QUEUED' });
  await sandbox.webhookIdle();
  expect(receiver.received).toHaveLength(2);
});

test('hints expire by the clock that was moved', async () => {
  const receiver = await openReceiver();
  const { ask, sandbox } = await openSandbox({ orders: 5, webhookUrl: receiver.url });
  await ask('POST', '/sandbox/reviews', {});
  await sandbox.webhookIdle();
  await ask('POST', '/sandbox/clock', { ms: 15 * dayMs });
  expect(await ask('GET', '/sandbox/hints')).toEqual([]);
});

test('the time of a data file goes on where it was', async () => {
  const dataFile = join(temporaryFolder(), 'shop.db');
  const first = await openSandbox({ dataFile });
  await first.ask('POST', '/sandbox/clock', { ms: 30 * dayMs });
  await first.sandbox.close();
  const second = await openSandbox({ dataFile });
  expect(second.sandbox.clock.now()).toBe(first.sandbox.clock.now());
  await second.sandbox.close();
});

test('the clock moves forward only, and at most a year at once', async () => {
  const { call } = await openSandbox();
  for (const ms of [0, -1, 0.5, 367 * dayMs]) {
    expect((await call('POST', '/sandbox/clock', { ms })).status).toBe(422);
  }
});

test('a reward is sent to the webhook again, whatever its status', async () => {
  const receiver = await openReceiver();
  const { ask, call, sandbox } = await openSandbox({ orders: 5, webhookUrl: receiver.url });
  const [{ reward }] = await ask('POST', '/sandbox/reviews', {});
  await sandbox.webhookIdle();
  expect(await ask('POST', '/sandbox/webhook', { rewardIds: [reward.id, reward.id] })).toEqual({ sent: 2 });
  await sandbox.webhookIdle();
  const sent = receiver.received.map(({ body }) => JSON.parse(body));
  expect(sent.map(({ id, status }) => [id, status])).toEqual([
    [reward.id, 'QUEUED'],
    [reward.id, 'SUCCESS'],
    [reward.id, 'SUCCESS'],
  ]);
  const unknown = await call('POST', '/sandbox/webhook', { rewardIds: [reward.id, '7'] });
  expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining('no reward has the id 7')]);
  await sandbox.webhookIdle();
  expect(receiver.received).toHaveLength(3);
});

test('without a webhook nothing is sent again, and the refusal says why', async () => {
  const { call } = await openSandbox({ reviews: 1 });
  const { status, text } = await call('POST', '/sandbox/webhook', { rewardIds: ['7'] });
  expect([status, text]).toEqual([422, expect.stringContaining('--webhook-url')]);
});
