import { expect, it } from 'vitest';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { freshMs } from '../../src/settle/rules/policy.ts';
import { createVerify, readReward, type WebhookReward } from '../../src/settle/webhook/verify-webhook.ts';
import type { Observation } from '../../src/store/ledger/ledger.ts';
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

async function open(shown: Shown, firstTakesMs = 0) {
  const { ledger, clock, settlement } = await openSettlement({ reviews: 0 });
  const asked: unknown[] = [];
  const base = settlement(scriptedPayer({}));
  const find = async (...args: readonly unknown[]) => {
    asked.push(args);
    if (asked.length === 1) await clock.sleep(firstTakesMs);
    if (shown instanceof Error) throw shown;
    return shown === null
      ? undefined
      : { rewardId: 'R1', seen: observation({ atMs: clock.now(), ...shown }) };
  };
  const verify = createVerify({ ...base, service: { ...base.service, find } });
  return { verify, asked, clock, ledger };
}

const failure = (kind: 'unreachable' | 'not-authenticated') =>
  new ServiceFailure(kind, `${kind} now`, undefined, { operation: 'getReward' });

it.each<[what: string, shown: Shown, doubt: object | undefined]>([
  ['waits for that amount', {}, undefined],
  ['is not shown', null, { message: 'the service shows no such waiting reward' }],
  ['has succeeded', { status: 'SUCCESS' }, { message: 'the service says SUCCESS' }],
  ['has no status', { status: '' }, { message: 'the service says nothing about its status' }],
  ['is of another amount', { amount: 1n }, { message: 'the service shows another amount' }],
  ['has no amount', { amount: null }, { message: 'the service shows another amount' }],
  [
    'cannot be asked about',
    failure('unreachable'),
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

const tooMany = { message: 'too many recent calls that the service did not confirm' };

it.each<[what: string, shown: Shown, isCounted: boolean]>([
  ['do not exist', null, true],
  ['do not wait', { status: 'SUCCESS' }, true],
  ['may not be asked about', failure('not-authenticated'), true],
  ['cannot be asked about now', failure('unreachable'), false],
  ['wait', {}, false],
])(
  'after twenty calls about rewards that %s the service is left in peace, if they may be forged',
  async (_, shown, isCounted) => {
    const { verify, asked, clock } = await open(shown);
    for (let call = 0; call < 20; call += 1) await verify(called(), undefined);
    expect(asked).toHaveLength(20);
    const next = async () => (await verify(called(), undefined))?.message === tooMany.message;
    expect(await next()).toBe(isCounted);
    await clock.sleep(4_999);
    expect(await next()).toBe(isCounted);
    await clock.sleep(1);
    expect([await next(), await next()]).toEqual([false, isCounted]);
  },
);

it('rewards that the service confirms are never too many, however many are asked for at once', async () => {
  const { verify } = await open({});
  const doubts = await Promise.all(Array.from({ length: 64 }, () => verify(called(), undefined)));
  expect(doubts.filter(Boolean)).toEqual([]);
});

it('failed calls are forgotten one by one, and no more than there were', async () => {
  const { verify, clock } = await open(null);
  const next = async () => (await verify(called(), undefined))?.message === tooMany.message;
  await clock.sleep(1_000_000);
  for (let call = 0; call < 20; call += 1) expect(await next()).toBe(false);
  expect(await next()).toBe(true);
  await clock.sleep(10_000);
  expect([await next(), await next(), await next()]).toEqual([false, false, true]);
});

it('a failed call counts from its end, however long it took to ask', async () => {
  const { verify } = await open(null, 1_000_000);
  for (let call = 0; call < 20; call += 1) await verify(called(), undefined);
  expect(await verify(called(), undefined)).toEqual(tooMany);
});

it('a bug is no doubt', async () => {
  const { verify } = await open(new Error('a bug'));
  await expect(verify(called(), undefined)).rejects.toThrow('a bug');
});

it('a body is a reward as it was sent', () => {
  const sent = { id: 'a'.repeat(256), amount: 500, status: 'QUEUED', note: 'x' };
  expect(readReward(text(sent))).toMatchObject({ value: { id: sent.id }, sent });
});
