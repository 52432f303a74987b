import { expect, it } from 'vitest';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import { checkPlan } from '../../src/settle/flow/check-plan.ts';
import type { PaymentPlan } from '../../src/settle/rules/plan-codec.ts';
import { resolve } from '../../src/settle/rules/transitions.ts';
import { wrongIn } from '../store/ledger-suite.ts';
import { makePlan, parties } from './make-plan.ts';
import { openPolicy } from './open-policy.ts';
import { mostEffects, openMembers, type WorldOptions, words } from './open-settlement.ts';
import { isGone, losesAnswer, pays, scriptedPayer } from './scripted-payer.ts';

/* Each reward in a plan is paid exactly as planned, once, or not at all; no other reward is paid. */

const capabilities = { idempotentForMs: 3_600_000 };
const givesNoAnswer = { isEffective: false, answer: { kind: 'ambiguous', message: 'no answer' } } as const;

async function open(options: WorldOptions = {}) {
  const world = await openMembers(options);
  /** True if a plan that began has ended; undefined if it has not begun. */
  const hasEnded = async ({ id }: PaymentPlan) => {
    const known = await world.ledger.plans.find(id);
    return known && known.endedAtMs !== null;
  };
  return { ...world, hasEnded };
}

it('exactly the planned rewards are paid, whatever else waits or was begun before', async () => {
  const { settlement, settle, ledger, rewardIds, hasEnded } = await open({ reviews: 5 });
  const [lost, ...rest] = rewardIds;
  const losing = scriptedPayer({
    script: ({ rewardId }) => (rewardId === lost ? givesNoAnswer : isGone),
    capabilities,
  });
  await settle(losing);
  const planned = rest.slice(1, 3);
  const plan = await makePlan(settlement(losing), (rewardId) => planned.includes(rewardId));
  const payer = scriptedPayer({ capabilities });
  const { settled, error } = await settle(payer, { plan });
  expect(error).toBeUndefined();
  expect(payer.calls.map(({ rewardId }) => rewardId).toSorted()).toEqual(planned);
  // Every run reports payments in doubt; this one does not call for them.
  expect(settled.map(({ outcome, cause }) => [outcome.rewardId, outcome.outcome, cause])).toEqual([
    ...planned.map((rewardId) => [rewardId, 'paid', undefined]),
    [lost, 'unknown', 'not-planned'],
  ]);
  expect(await hasEnded(plan)).toBe(true);
  expect(await wrongIn(ledger)).toEqual([]);
});

it('a payment that differs from its plan is held with both values, and the rest is paid', async () => {
  const { settlement, settle, sandbox, put, clock, rewardIds, hasEnded } = await open({ reviews: 5 });
  const [raised = '', settled = '', paid = '', other = '', last = ''] = rewardIds;
  const payer = scriptedPayer({});
  // The ledger has observed and held it.
  await settle(payer, { policy: { ...openPolicy, maxPerReward: 1n } });
  const plan = await makePlan(settlement(payer));
  put({ amount: 700 }, [raised]);
  put({ status: 'SUCCESS' }, [settled]);
  const alone = await makePlan(settlement(payer), (rewardId) => rewardId === paid);
  await settle(payer, { plan: alone });
  sandbox.transact(({ state }) => {
    const item = state.orderItems.get(state.rewards.get(other)?.orderItemId ?? '');
    const order = state.orders.get(item?.orderId ?? '');
    if (order !== undefined) state.orders.put({ ...order, memberOriginId: 'M-other' });
  });
  await clock.sleep(1_000);
  const run = await settle(payer, { plan });
  const drifts = new Map(run.settled.map(({ outcome, cause }) => [outcome.rewardId, { ...outcome, cause }]));
  expect(drifts.get(raised)).toMatchObject({
    outcome: 'held',
    cause: 'drifted',
    reason: expect.stringMatching(/^the plan says 500 to M\d+; now it is 700 to M\d+$/),
  });
  expect(drifts.get(settled)).toMatchObject({ outcome: 'held', cause: 'drifted' });
  expect(drifts.get(paid)).toMatchObject({
    outcome: 'paid',
    cause: 'drifted',
    reason: 'another run paid it since it was planned',
  });
  expect(drifts.get(other)?.reason).toMatch(/^the plan says 500 to M\d+; now it is 500 to M-other$/);
  expect(drifts.get(last)).toMatchObject({ outcome: 'paid', cause: undefined });
  expect(drifts.size).toBe(5);
  expect(payer.calls.map(({ rewardId }) => rewardId)).toEqual([paid, last]);
  // The plan is over: held rewards need a new one.
  expect(await hasEnded(plan)).toBe(true);
});

it('a planned reward that the service no longer lists is held, also if the ledger never saw it', async () => {
  const { settlement, settle, put, rewardIds, hasEnded } = await open({ reviews: 2 });
  const [gone = ''] = rewardIds;
  const payer = scriptedPayer({});
  const plan = await makePlan(settlement(payer));
  put({ status: 'SUCCESS' }, [gone]);
  const { settled } = await settle(payer, { plan });
  const reason = 'the service no longer lists it as QUEUED';
  expect(settled).toMatchObject([
    { cause: 'drifted', outcome: { rewardId: gone, outcome: 'held', amount: 500, reason } },
    { outcome: { outcome: 'paid' } },
  ]);
  expect(await hasEnded(plan)).toBe(true);
});

it('a plan remains while a payment of it is not reported', async () => {
  const { settlement, settle, hasEnded } = await open({ reviews: 1 });
  const payer = scriptedPayer({});
  const plan = await makePlan(settlement(payer));
  const trouble = new ServiceFailure('unreachable', 'gone', undefined, { operation: 'updateReward' });
  const service = { ...settlement(payer).service, update: () => Promise.reject(trouble) };
  const { settled } = await settle(payer, { plan, service });
  expect(settled).toMatchObject([{ trouble, outcome: { outcome: 'paid', report: 'sent' } }]);
  expect(await hasEnded(plan)).toBe(false);
  await settle(payer, { plan });
  expect(await hasEnded(plan)).toBe(true);
});

it('a planned payment in doubt stays so where the service waits for it no longer', async () => {
  const { settlement, settle, put, clock } = await open({ reviews: 1 });
  const losing = scriptedPayer({ script: () => givesNoAnswer, capabilities });
  const plan = await makePlan(settlement(losing));
  await settle(losing, { plan });
  put({ status: 'FAILURE' });
  await clock.sleep(90_000);
  const { settled } = await settle(losing, { plan });
  const reason = 'the service says FAILURE';
  expect(settled).toMatchObject([{ cause: 'drifted', outcome: { outcome: 'unknown', reason } }]);
});

it('a plan is carried out once: it is refused a second time', async () => {
  const { settlement, settle, ledger } = await open();
  const payer = scriptedPayer({});
  const plan = await makePlan(settlement(payer));
  await settle(payer, { plan });
  const again = await settle(payer, { plan });
  expect(again.error).toMatchObject({ kind: 'guard' });
  expect([payer.calls.length, mostEffects(payer)]).toEqual([4, 1]);
  expect((await ledger.budgets(`plan ${plan.id}`))[0]).toMatchObject({
    spentAmount: plan.total,
    spentCount: 4,
  });
});

it('an interrupted plan continues with the rest, under the expectation of the whole', async () => {
  const { settlement, settle, rewardIds, hasEnded } = await open();
  const plan = await makePlan(settlement(scriptedPayer({})));
  const stop = new AbortController();
  const first = scriptedPayer({
    script: () => {
      stop.abort();
      return pays;
    },
  });
  const expectation = { total: 20_000_000n, count: 4 };
  await settle(first, { plan, expectation, stopping: stop.signal, concurrency: 1 });
  expect(first.calls).toHaveLength(1);
  expect(await hasEnded(plan)).toBe(false);
  await checkPlan(plan, settlement(scriptedPayer({})), parties);
  const second = scriptedPayer({});
  const { outcomes, error } = await settle(second, { plan, expectation });
  expect(error).toBeUndefined();
  expect(words(outcomes)).toEqual({ paid: 4 });
  expect([...first.calls, ...second.calls].map(({ rewardId }) => rewardId).toSorted()).toEqual(rewardIds);
  expect(await hasEnded(plan)).toBe(true);
});

it('payments that the payer could not take, or a cap has no room for, remain for the same plan', async () => {
  const { settlement, settle, hasEnded } = await open();
  const plan = await makePlan(settlement(scriptedPayer({})));
  const capped = { ...openPolicy, maxPerRun: { amount: null, count: 1 } };
  const away = scriptedPayer({ script: (_, call) => (call === 1 ? pays : isGone) });
  await settle(away, { plan, policy: capped });
  await settle(scriptedPayer({ script: () => isGone }), { plan });
  expect(await hasEnded(plan)).toBe(false);
  const { settled } = await settle(scriptedPayer({}), { plan });
  expect(settled.map(({ outcome, cause, isEarlier }) => [outcome.outcome, cause, isEarlier])).toEqual([
    ['paid', undefined, true],
    ['paid', undefined, false],
    ['paid', undefined, false],
    ['paid', undefined, false],
  ]);
  expect(await hasEnded(plan)).toBe(true);
});

it('a planned payment in doubt is repeated under its key and charged once, only by its plan', async () => {
  const { settlement, settle, ledger, hasEnded } = await open({ reviews: 1 });
  const losing = scriptedPayer({ script: () => losesAnswer, capabilities });
  const plan = await makePlan(settlement(losing));
  await settle(scriptedPayer({ script: () => givesNoAnswer, capabilities }), { plan });
  const later = await makePlan(settlement(losing));
  expect(await hasEnded(plan)).toBe(false);
  const payer = scriptedPayer({ capabilities });
  const { outcomes } = await settle(payer, { plan });
  expect(outcomes).toMatchObject([{ outcome: 'paid' }]);
  expect((await ledger.budgets(`plan ${plan.id}`))[0]).toMatchObject({ reservedCount: 0, spentCount: 1 });
  const refused = await settle(payer, { plan: later });
  expect(refused.settled).toMatchObject([{ cause: 'drifted', outcome: { outcome: 'paid' } }]);
  expect(await wrongIn(ledger)).toEqual([]);
});

it('a payment in doubt at planning is repeated by that plan, unless another run has called since', async () => {
  const { settlement, settle, ledger } = await open({ reviews: 1 });
  await settle(scriptedPayer({ script: () => givesNoAnswer, capabilities }));
  const payer = scriptedPayer({ capabilities });
  const plan = await makePlan(settlement(payer));
  const later = await makePlan(settlement(payer));
  await settle(scriptedPayer({ script: () => givesNoAnswer, capabilities }), { plan: later });
  const { settled } = await settle(payer, { plan });
  const reason = 'another run called the payer for it since it was planned';
  expect(settled).toMatchObject([{ cause: 'drifted', outcome: { outcome: 'unknown', reason } }]);
  expect(payer.calls).toEqual([]);
  expect((await settle(payer, { plan: later })).outcomes).toMatchObject([{ outcome: 'paid' }]);
  expect(await wrongIn(ledger)).toEqual([]);
});

it('a planned payment that a person found unpaid has another key, and needs a new plan', async () => {
  const { settlement, settle, ledger, rewardIds } = await open({ reviews: 1 });
  const [rewardId = ''] = rewardIds;
  const losing = scriptedPayer({ script: () => givesNoAnswer });
  const plan = await makePlan(settlement(losing));
  await settle(losing, { plan });
  const finding = { kind: 'not-paid', reason: 'not in the books' } as const;
  await ledger.change(rewardId, resolve(1, finding, losing.capabilities), { by: 'person' });
  const payer = scriptedPayer({});
  const { settled } = await settle(payer, { plan });
  expect(settled).toMatchObject([
    {
      cause: 'drifted',
      outcome: {
        outcome: 'held',
        reason: 'it was found unpaid and given another key since it was planned',
      },
    },
  ]);
  expect(payer.calls).toEqual([]);
  await settle(payer, { plan: await makePlan(settlement(payer)) });
  expect(payer.calls).toHaveLength(1);
});

it('a plan whose payments differ from the expectation pays nothing, and is not recorded', async () => {
  const { settlement, settle, put, ledger, rewardIds } = await open();
  const payer = scriptedPayer({});
  const plan = await makePlan(settlement(payer));
  put({ amount: 700 }, [rewardIds[0] ?? '']);
  const { error } = await settle(payer, { plan, expectation: { total: plan.total, count: null } });
  expect(error).toMatchObject({
    kind: 'guard',
    message: 'expected 2000 in all, but 3 rewards, 1500 in all, would be paid; nothing was paid',
    hint: expect.stringMatching(/settle --plan .*today\.plan --dry-run$/),
  });
  expect([payer.calls, await ledger.plans.find(plan.id)]).toEqual([[], undefined]);
});
