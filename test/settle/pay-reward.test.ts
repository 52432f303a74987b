import { expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import type { Payer } from '../../src/payer/payer.ts';
import { ownTurn, payReward, tryClaim } from '../../src/settle/flow/pay-reward.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import { answered, observe } from '../../src/settle/rules/transitions.ts';
import type { Observation } from '../../src/store/ledger/ledger.ts';
import { observation, seen } from './entries.ts';
import { openPolicy } from './open-policy.ts';
import { openSettlement } from './open-settlement.ts';
import { type CallScript, isGone, losesAnswer, pays, refuses, scriptedPayer } from './scripted-payer.ts';

it.each<[what: string, script: CallScript, areForgotten: boolean]>([
  ['paid are forgotten', pays, true],
  ['refused are forgotten', refuses, true],
  ['unknown are kept', losesAnswer, false],
  ['not made are kept', isGone, false],
])('the records of payments that are %s', async (_, script, areForgotten) => {
  const forgotten: string[] = [];
  const scripted = scriptedPayer({ script: () => script });
  const payer = { ...scripted, forget: async (key: string) => void forgotten.push(key) };
  const { settle } = await openSettlement({ reviews: 3 });
  await settle(payer);
  expect(scripted.calls.length).toBeGreaterThan(0);
  expect(forgotten).toEqual(areForgotten ? scripted.calls.map(({ key }) => key) : []);
});

/** A ledger that has just seen the reward R1, of a service that shows it in this way when it is asked. */
async function open() {
  const { ledger, clock, settlement } = await openSettlement({ reviews: 0 });
  const see = (changes: Partial<Observation> = {}) =>
    ledger.change('R1', observe('R1', observation({ atMs: clock.now(), ...changes })), { by: 'list' });
  await see();
  /** What came of its turn, and how often the payer had paid and the service was asked in it. */
  const pay = async (payer: Payer, overrides: Partial<Settlement> = {}, shown?: Partial<Observation>) => {
    const counts = { paid: 0, refreshed: 0 };
    const refresh = async () => {
      counts.refreshed += 1;
      if (shown !== undefined) await see(shown);
    };
    const paid = () => {
      counts.paid += 1;
    };
    const turn = { ...ownTurn, paid };
    const { entry, ...end } = await payReward(
      settlement(payer, overrides),
      { rewardId: 'R1' },
      refresh,
      turn,
    );
    expect(entry).toEqual(await ledger.find('R1'));
    return { ...end, ...counts };
  };
  return { ledger, clock, settlement, pay };
}

const noCounts = { paid: 0, refreshed: 0 };
const unpaid = (cause: string, outcome: string, reason: string) => ({
  kind: 'unpaid',
  cause,
  outcome,
  reason,
  ...noCounts,
});
const rejects = (message: string): CallScript => ({
  isEffective: false,
  answer: { kind: 'misconfigured', message },
});

it.each<[what: string, script: CallScript, end: object]>([
  ['pays', pays, { kind: 'decided', isNew: true, paid: 1, refreshed: 0 }],
  ['refuses', refuses, { kind: 'decided', isNew: true, ...noCounts }],
  ['gives a lost answer', losesAnswer, unpaid('outcome-unknown', 'unknown', 'the answer was lost')],
  ['is not reached', isGone, unpaid('retry', 'waiting', 'connection refused')],
  ['rejects the credentials', rejects('401'), unpaid('misconfigured', 'waiting', '401')],
])('the turn of a reward whose payer %s ends so', async (_, script, end) => {
  const { pay } = await open();
  expect(await pay(scriptedPayer({ script: () => script }))).toEqual(end);
});

it('the turn of a reward that is decided, or that another process is paying, calls nobody', async () => {
  const { pay, settlement, ledger } = await open();
  const idle = scriptedPayer({});
  await tryClaim(settlement(idle, { run: 'other' }), seen);
  const reason = 'another process is paying it (run other)';
  expect(await pay(idle, { isOwnerAlive: async () => true })).toEqual(unpaid('under-way', 'waiting', reason));
  await ledger.change('R1', answered(1, { kind: 'paid' }, idle.capabilities), { by: 'other' });
  await ledger.freeze('an audit');
  expect(await pay(idle)).toEqual({ kind: 'decided', isNew: false, ...noCounts });
  expect(idle.calls).toEqual([]);
  const missing = payReward(settlement(idle), { rewardId: 'R2' }, async () => undefined);
  await expect(missing).rejects.toThrow('reward R2 was not observed before its payment');
});

it('the turn of a reward whose earlier call is in doubt stays in doubt where the payer rejects the credentials', async () => {
  const { pay } = await open();
  const capabilities = { idempotentForMs: 60_000 };
  const payer = scriptedPayer({
    script: (_payment, call) => (call === 1 ? { ...losesAnswer, isEffective: false } : rejects('401')),
    capabilities,
  });
  await pay(payer);
  const reason = '401, but an earlier call may have paid';
  expect(await pay(payer)).toEqual(unpaid('misconfigured', 'unknown', reason));
});

it('the turn of a reward that was seen too long ago begins with another look at it', async () => {
  const { pay, clock, ledger } = await open();
  const payer = scriptedPayer({});
  await clock.sleep(3_600_000);
  const gone = unpaid('not-queued', 'waiting', 'the service does not show it any more');
  expect(await pay(payer)).toEqual({ ...gone, refreshed: 1 });
  expect(await pay(payer, {}, { status: 'FAILURE' })).toEqual({
    ...unpaid('not-queued', 'waiting', 'the service says FAILURE'),
    refreshed: 1,
  });
  expect(payer.calls).toEqual([]);
  expect(await pay(payer)).toEqual(unpaid('not-queued', 'waiting', 'the service says FAILURE'));
  await clock.sleep(3_600_000);
  const shown = { memberOriginId: 'M2' };
  expect(await pay(payer, {}, shown)).toEqual({ kind: 'decided', isNew: true, paid: 1, refreshed: 1 });
  expect((await ledger.budgets('member ')).map(({ scope }) => scope)).toEqual(['member 2026-01-01 M2']);
});

it('the turn of a reward in a ledger that is not the one in use calls nobody, and leaves it to others', async () => {
  const { pay, ledger } = await open();
  const payer = scriptedPayer({});
  const replaced = new Failure('ledger', 'it is no longer the ledger in use');
  const left = { ...ledger, fence: () => Promise.reject(replaced) };
  const policy = { ...openPolicy, maxPerReward: 1n };
  expect(await pay(payer, { ledger: left, policy })).toMatchObject({ cause: 'above-cap' });
  await expect(pay(payer, { ledger: left })).rejects.toBe(replaced);
  expect(payer.calls).toEqual([]);
  expect(await ledger.find('R1')).toMatchObject({
    payment: 'intended',
    reason: 'this ledger is not the one in use',
  });
});

it('the turn of a reward counts against its member, whatever the service shows since', async () => {
  const { pay, ledger } = await open();
  await pay(scriptedPayer({}));
  expect((await ledger.budgets('member ')).map(({ scope, spentCount }) => [scope, spentCount])).toEqual([
    ['member 2026-01-01 M1', 1],
  ]);
});

it('a payment that left in time counts, however late its payer asks once more', async () => {
  const { pay, clock } = await open();
  const payer = scriptedPayer({});
  const slow: Payer = {
    ...payer,
    pay: async (payment, mayLeave) => {
      const answer = await payer.pay(payment);
      await clock.sleep(3_600_000);
      return mayLeave?.() === true ? { kind: 'retry', message: 'not sent' } : answer;
    },
  };
  expect(await pay(slow)).toEqual({ kind: 'decided', isNew: true, paid: 1, refreshed: 0 });
});
