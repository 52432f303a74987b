import { expect, it } from 'vitest';
import type { Transport } from '../../src/contract/wire.ts';
import type { Payment } from '../../src/payer/payer.ts';
import { openReceiver } from './open-receiver.ts';
import { openMembers, statuses, type WorldOptions, words } from './open-settlement.ts';
import { type CallScript, isGone, pays, scriptedPayer } from './scripted-payer.ts';

/*
 * A payer that always fails for some rewards and pays the others. The others are paid and reported, whatever it does.
 */

const capabilities = { idempotentForMs: 24 * 3_600_000 };
const fails: CallScript = { isEffective: false, answer: { kind: 'ambiguous', message: '500' } };
const rejects: CallScript = { isEffective: false, answer: { kind: 'misconfigured', message: '404' } };

/** Rewards of members; the poisoned ones sort first. */
async function openWorld({ poisoned = 1, ...options }: WorldOptions & { readonly poisoned?: number }) {
  const world = await openMembers({ reviews: 20, ...options });
  const { rewardIds } = world;
  return { ...world, queued: rewardIds.length, poison: new Set(rewardIds.slice(0, poisoned)) };
}

const payerThat = (poison: ReadonlySet<string>, script: CallScript) =>
  scriptedPayer({ capabilities, script: ({ rewardId }: Payment) => (poison.has(rewardId) ? script : pays) });

const callsFor = ({ calls }: { readonly calls: readonly Payment[] }, rewardId: string) =>
  calls.filter((call) => call.rewardId === rewardId).length;

it('one reward that the payer fails for ever, and that sorts first, keeps no other from being paid, run after run', async () => {
  const { settle, put, queued, poison } = await openWorld({});
  const [poisoned = ''] = poison;
  for (const run of ['first', 'second', 'third']) {
    if (run !== 'first') put({ status: 'QUEUED' });
    const payer = payerThat(poison, fails);
    const { outcomes, error } = await settle(payer, { run, concurrency: 1 });
    expect(error).toBeUndefined();
    expect(words(outcomes)).toEqual({ paid: queued - 1, unknown: 1 });
    expect(outcomes.at(-1)).toMatchObject({ rewardId: poisoned, outcome: 'unknown' });
    expect(callsFor(payer, poisoned)).toBe(run === 'first' ? 2 : 1);
    expect(payer.calls.at(-1)?.rewardId).toBe(poisoned);
  }
});

it('new rewards are paid before those in doubt are called for again', async () => {
  const { settle, sandbox, queued, poison } = await openWorld({ poisoned: 2 });
  await settle(payerThat(poison, fails), { concurrency: 1 });
  sandbox.transact(({ state: { rewards } }) => {
    const [reward] = rewards.values();
    if (reward) for (const id of ['9000001', '9000002']) rewards.put({ ...reward, id, status: 'QUEUED' });
  });
  const payer = payerThat(poison, fails);
  const { outcomes, error } = await settle(payer, { concurrency: 1 });
  expect(error).toBeUndefined();
  expect(payer.calls.map(({ rewardId }) => rewardId)).toEqual(['9000001', '9000002', ...poison]);
  expect(words(outcomes)).toMatchObject({ paid: 2, unknown: 2 });
  expect(statuses(sandbox)).toMatchObject({ SUCCESS: queued });
});

it('a reward for which the payer rejects our credentials keeps no other from being paid, and waits on', async () => {
  const { settle, queued, poison } = await openWorld({});
  const { outcomes, settled, error } = await settle(payerThat(poison, rejects), { concurrency: 1 });
  expect(error).toBeUndefined();
  expect(words(outcomes)).toEqual({ paid: queued - 1, waiting: 1 });
  expect(settled.filter(({ cause }) => cause === 'misconfigured')).toHaveLength(1);
});

it.each([
  ['fails', fails],
  ['is gone', isGone],
  ['rejects us', rejects],
])(
  'what is already paid is reported before the payer is called, also by one that %s',
  async (_how, script) => {
    let isServiceAway = true;
    const around =
      (transport: Transport): Transport =>
      (request, signal) =>
        isServiceAway && request.method === 'PATCH'
          ? Promise.resolve({ status: 503, headers: {}, body: '' })
          : transport(request, signal);
    const { settle, sandbox, poison } = await openWorld({ around, reviews: 9 });
    const paid = words((await settle(payerThat(poison, isGone), { concurrency: 1 })).outcomes)['paid'] ?? 0;
    isServiceAway = false;
    const reportedAtCall: number[] = [];
    const payer = scriptedPayer({
      capabilities,
      script: () => {
        reportedAtCall.push(statuses(sandbox)['SUCCESS'] ?? 0);
        return script;
      },
    });
    await settle(payer, { concurrency: 1 });
    expect(paid).toBeGreaterThan(0);
    expect(reportedAtCall[0]).toBe(paid);
  },
);

it('redeliveries of rewards the payer fails for ever take the turn of no other, also while it is broken', async () => {
  let poison: ReadonlySet<string> = new Set();
  const payer = scriptedPayer({
    capabilities,
    script: ({ rewardId }) => (poison.has(rewardId) ? fails : pays),
  });
  const world = await openReceiver({ payer, reviews: 60 });
  const rewards = await world.waiting();
  const poisoned = rewards.slice(0, 3);
  poison = new Set(poisoned.map(({ id }) => id));
  for (const reward of poisoned) await world.awakeUntil(1_000, world.post(reward));
  expect(world.answers().trouble).toBe('the payer is out of order');
  expect((await fetch(`${world.origin}/healthz`)).status).toBe(503);
  expect((await world.post(rewards[9])).body).toContain('the payer is out of order; not paid');
  world.advance(60_001);
  const before = payer.calls.length;
  for (const reward of [...poisoned, ...poisoned, ...poisoned])
    expect((await world.post(reward)).status).toBe(503);
  // In a minute, one payment in doubt is tried, and a new reward as well.
  expect(payer.calls.length - before).toBe(1);
  for (const reward of rewards.slice(10, 14)) expect((await world.post(reward)).status).toBe(200);
  expect(world.answers().trouble).toBeUndefined();
});
