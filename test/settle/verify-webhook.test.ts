import { expect, it } from 'vitest';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { freshMs } from '../../src/settle/rules/policy.ts';
import { readReward, verifyCall, type WebhookReward } from '../../src/settle/webhook/verify-webhook.ts';
import type { LedgerEntry, Observation } from '../../src/store/ledger/ledger.ts';
import { observation, seen } from './entries.ts';
import { openSettlement } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** The reward in a call, of 500. */
function called(changes: Record<string, unknown> = {}): WebhookReward {
  const { amount = '500', status = 'QUEUED', ...rest } = changes;
  const reward = readReward(text({ id: 'R1', amount, status, ...rest }));
  if (reward === undefined) throw new Error('it is no reward');
  return reward;
}

type Shown = Partial<Observation> | ServiceFailure | Error | null;

async function open(shown: Shown) {
  const { ledger, clock, settlement } = await openSettlement({ reviews: 0 });
  const asked: unknown[] = [];
  const base = settlement(scriptedPayer({}));
  const find = async (...args: readonly unknown[]) => {
    asked.push(args);
    if (shown instanceof Error) throw shown;
    return shown === null
      ? undefined
      : { rewardId: 'R1', seen: observation({ atMs: clock.now(), ...shown }) };
  };
  const asking = { ...base, service: { ...base.service, find } };
  const verify = (reward: WebhookReward, known: LedgerEntry | undefined) => verifyCall(asking, reward, known);
  return { verify, asked, clock, ledger };
}

const failure = new ServiceFailure('unreachable', 'unreachable now', undefined, { operation: 'getReward' });

it.each<[what: string, shown: Shown, doubt: object | undefined]>([
  ['waits for that amount', {}, undefined],
  ['is not shown', null, { message: 'the service shows no such waiting reward' }],
  ['has succeeded', { status: 'SUCCESS' }, { message: 'the service says SUCCESS' }],
  ['has no status', { status: '' }, { message: 'the service says nothing about its status' }],
  ['is of another amount', { amount: 1n }, { message: 'the service shows another amount' }],
  ['has no amount', { amount: null }, { message: 'the service shows another amount' }],
  [
    'cannot be asked about',
    failure,
    { message: 'the lookup at the service failed', detail: 'unreachable now' },
  ],
])('a call about a reward that %s is believed only if the service confirms it', async (_, shown, doubt) => {
  const { verify, asked, ledger } = await open(shown);
  const reward = called();
  expect(await verify(reward, undefined)).toEqual(doubt);
  expect(asked).toEqual([['R1', reward.sent, 'QUEUED']]);
  const entry = await ledger.find('R1');
  expect(entry?.seen.amount).toBe(doubt === undefined ? 5_000_000n : undefined);
});

it('what was seen lately is not asked for again, unless it differs', async () => {
  const { verify, asked, clock } = await open({});
  const known = { ...seen, seen: observation({ atMs: clock.now() }) };
  expect(await verify(called(), known)).toBeUndefined();
  expect(asked).toHaveLength(0);
  await verify(called({ amount: '900' }), known);
  expect(asked).toHaveLength(1);
  await clock.sleep(freshMs);
  expect(await verify(called(), known)).toBeUndefined();
  expect(asked).toHaveLength(1);
  await clock.sleep(1);
  await verify(called(), known);
  expect(asked).toHaveLength(2);
  clock.setBack(2 * 3_600_000);
  await verify(called(), { ...seen, seen: observation({ atMs: clock.now() + 3_600_000 }) });
  expect(asked).toHaveLength(3);
});

it('a bug is no doubt', async () => {
  const { verify } = await open(new Error('a bug'));
  await expect(verify(called(), undefined)).rejects.toThrow('a bug');
});

it('a body is a reward as it was sent', () => {
  const sent = { id: 'a'.repeat(256), amount: 500, status: 'QUEUED', note: 'x' };
  expect(readReward(text(sent))).toMatchObject({ value: { id: sent.id }, sent });
});
