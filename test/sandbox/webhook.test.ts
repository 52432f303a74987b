import { expect, test } from 'vitest';
import type { Assumptions } from '../../src/contract/assumptions.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { answerMs } from '../../src/sandbox/webhook/webhook.ts';
import { deadAddress } from '../client/loopback.ts';
import { openSandbox } from './open-sandbox.ts';
import { openReceiver, type ReceiverAnswer } from './webhook-receiver.ts';

/** A sandbox, and the reward of a review that it announces to a receiver with these answers. */
async function withReward(
  answer?: (call: number) => ReceiverAnswer | undefined,
  assumptions: Partial<Assumptions> = {},
) {
  const receiver = await openReceiver(answer);
  const opened = await openSandbox({ orders: 20, webhookUrl: receiver.url, assumptions });
  const [{ reward }] = await opened.ask('POST', '/sandbox/reviews', {});
  const rewardStatus = async () => (await opened.ask('GET', `/admin/v2/reward/${reward.id}`)).status;
  return { ...opened, receiver, reward, rewardStatus };
}

test('a reward comes as a POST of exactly what the reward operations show', async () => {
  const { ask, sandbox, receiver, reward } = await withReward();
  await sandbox.webhookIdle();
  expect(receiver.received).toMatchObject([
    { method: 'POST', url: '/hooks/reward', headers: { 'content-type': 'application/json' } },
  ]);
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual(reward);
  expect(reward.status).toBe('QUEUED');
  const { data } = await ask('GET', '/admin/v2/rewards');
  expect(data[0]).toEqual({ ...reward, status: 'SUCCESS' });
});

test('every review written after the start is announced, those of the seed are not', async () => {
  const receiver = await openReceiver();
  const { ask, sandbox } = await openSandbox({ orders: 50, reviews: 30, webhookUrl: receiver.url });
  const written = await ask('POST', '/sandbox/reviews', { count: 12 });
  await sandbox.webhookIdle();
  expect(receiver.received).toHaveLength(12);
  expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).id))).toEqual(
    new Set(written.map(({ reward }: { reward: { id: string } }) => reward.id)),
  );
});

test.each([
  [200, '{"message":"paid 500 points"}', true, 'paid 500 points', 'SUCCESS'],
  [204, '', true, null, 'SUCCESS'],
  [422, '{"message":"no such member"}', false, 'no such member', 'FAILURE'],
  [503, '<html>', false, null, 'FAILURE'],
  [302, '{"message":17}', false, null, 'QUEUED'],
])('an answer %i %s is taken down as paid: %s, message: %s', async (status, body, isPaid, message, after) => {
  const { ask, sandbox, reward, rewardStatus } = await withReward(() => ({ status, body }));
  await sandbox.webhookIdle();
  expect(await ask('GET', '/sandbox/hints')).toEqual([
    { id: expect.any(String), time: '2026-01-01T00:00:00Z', rewardId: reward.id, status, isPaid, message },
  ]);
  expect(await rewardStatus()).toBe(after);
});

test('no answer within ten seconds is a failure', async () => {
  const { ask, sandbox, clock, receiver, rewardStatus } = await withReward(() => undefined);
  await receiver.arrived(1);
  clock.advance(answerMs);
  await sandbox.webhookIdle();
  expect(await ask('GET', '/sandbox/hints')).toMatchObject([{ status: null, isPaid: false }]);
  expect(await rewardStatus()).toBe('FAILURE');
});

test('a missing listener is a failure', async () => {
  const webhookUrl = `http://${await deadAddress()}/hooks/reward`;
  const { ask, sandbox } = await openSandbox({ orders: 5, webhookUrl });
  await ask('POST', '/sandbox/reviews', {});
  await sandbox.webhookIdle();
  expect(await ask('GET', '/sandbox/hints')).toMatchObject([{ status: null, isPaid: false }]);
});

test('a status that was set before the answer came is not overwritten by it', async () => {
  const { ask, sandbox, clock, receiver, reward, rewardStatus } = await withReward(() => undefined);
  await receiver.arrived(1);
  await ask('PATCH', `/admin/v2/reward/${reward.id}`, { status: 'SUCCESS' });
  clock.advance(answerMs);
  await sandbox.webhookIdle();
  expect(await rewardStatus()).toBe('SUCCESS');
});

test('a redelivery that succeeds makes a failed reward SUCCESS', async () => {
  const answer = (call: number) => ({ status: call === 1 ? 500 : 200 });
  const { sandbox, clock, rewardStatus } = await withReward(answer, { webhookRedelivery: 'on-failure' });
  await clock.asleep(5_000);
  expect(await rewardStatus()).toBe('FAILURE');
  clock.advance(5_000);
  await sandbox.webhookIdle();
  expect(await rewardStatus()).toBe('SUCCESS');
});

test('hints are kept for 14 days and no longer', async () => {
  const { ask, sandbox, clock } = await withReward();
  await sandbox.webhookIdle();
  clock.advance(14 * 86_400_000);
  expect(await ask('GET', '/sandbox/hints')).toHaveLength(1);
  clock.advance(1_000);
  expect(await ask('GET', '/sandbox/hints')).toHaveLength(0);
});

test('a sandbox that is closed while a delivery hangs ends nevertheless', async () => {
  const { ask, sandbox, receiver } = await withReward(() => undefined);
  await ask('POST', '/sandbox/reviews', { count: 20 });
  await receiver.arrived(8);
  await sandbox.close();
  expect(receiver.received).toHaveLength(8);
});

test.each(['hook', 'ftp://127.0.0.1/hook', 'http://me:pw@127.0.0.1/hook', ''])(
  '"%s" is refused as a webhook URL',
  async (webhookUrl) => {
    await expect(createSandbox({ webhookUrl })).rejects.toMatchObject({ kind: 'usage' });
  },
);
