import { expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { ServiceFailure } from '../../src/client/service-failure.ts';
import type { Payer, PayerCapabilities } from '../../src/payer/payer.ts';
import { noSlot, tryClaim } from '../../src/settle/flow/pay-reward.ts';
import { settleReward } from '../../src/settle/flow/settle-reward.ts';
import type { Settlement } from '../../src/settle/flow/settlement.ts';
import { observeReward, syncQueued } from '../../src/settle/flow/sync-queued.ts';
import { answered, observe } from '../../src/settle/rules/transitions.ts';
import type { LedgerEntry, LedgerEvent } from '../../src/store/ledger/ledger.ts';
import { openMembers } from './open-settlement.ts';
import { pagesOf } from './read-ledger.ts';
import { type CallScript, isGone, losesAnswer, pays, refuses, scriptedPayer } from './scripted-payer.ts';

interface Turn extends Partial<Settlement> {
  readonly script?: CallScript;
  readonly capabilities?: Partial<PayerCapabilities>;
  readonly read?: LedgerEntry;
  readonly skipIfTaken?: boolean;
}

/** A reward of 500 for a member, just observed by the ledger. */
async function open() {
  const world = await openMembers({ reviews: 1 });
  const { rewardIds, clock, settlement, reports } = world;
  const [rewardId = ''] = rewardIds;
  await syncQueued(settlement(scriptedPayer({})));
  await clock.sleep(10);
  let fences = 0;
  const ledger = {
    ...world.ledger,
    fence: () => {
      fences += 1;
      return world.ledger.fence();
    },
  };
  const entry = async () => {
    const found = await ledger.find(rewardId);
    if (found === undefined) throw new Error('the reward is not in the ledger');
    return found;
  };
  /** Settles the reward. Returns its outcome, report, cause and reason, and the actions taken for it. */
  const settle = async (turn: Turn = {}) => {
    const { script = pays, capabilities = {}, read, skipIfTaken = false, ...overrides } = turn;
    const forgotten: string[] = [];
    let looks = 0;
    const scripted = scriptedPayer({ script: () => script, capabilities });
    const payer = { ...scripted, forget: async (key: string) => void forgotten.push(key) };
    const run = settlement(payer, { ledger, beganMs: 0, ...overrides });
    const before = { fences, reports: reports() };
    const { outcome, cause } = await settleReward(
      run,
      read ?? { rewardId },
      async () => {
        looks += 1;
        await observeReward(run, rewardId, {});
      },
      { ...noSlot, skipIfTaken },
    );
    return {
      end: [outcome.outcome, outcome.report, cause, outcome.reason],
      calls: scripted.calls.length,
      forgotten: forgotten.length,
      looks,
      fences: fences - before.fences,
      reports: reports() - before.reports,
    };
  };
  return { ...world, ledger, rewardId, entry, settle };
}

const rejects: CallScript = { isEffective: false, answer: { kind: 'misconfigured', message: '401' } };
const done = { calls: 1, forgotten: 1, looks: 0, fences: 1, reports: 1 };
const undecided = { ...done, forgotten: 0, reports: 0 };
const idle = { calls: 0, forgotten: 0, looks: 0, fences: 0, reports: 0 };

it.each<[what: string, script: CallScript, end: readonly unknown[], did: object]>([
  ['pays', pays, ['paid', 'confirmed', undefined, undefined], done],
  ['refuses', refuses, ['refused', 'confirmed', undefined, 'no such member'], done],
  [
    'loses its answer',
    losesAnswer,
    ['unknown', 'pending', 'outcome-unknown', 'the answer was lost'],
    undecided,
  ],
  ['is not reached', isGone, ['waiting', 'pending', 'retry', 'connection refused'], undecided],
  ['rejects our credentials', rejects, ['waiting', 'pending', 'misconfigured', '401'], undecided],
])('the turn of a reward whose payer %s ends so', async (_, script, end, did) => {
  expect(await (await open()).settle({ script })).toEqual({ end, ...did });
});

it('a lost call stays in doubt where the payer then rejects our credentials', async () => {
  const { settle } = await open();
  const capabilities = { idempotentForMs: 60_000 };
  await settle({ script: { ...losesAnswer, isEffective: false }, capabilities });
  const reason = '401, but an earlier call may have paid';
  expect((await settle({ script: rejects, capabilities })).end).toEqual([
    'unknown',
    'pending',
    'misconfigured',
    reason,
  ]);
});

it('a reward that another process is paying, or has just decided, is left to it', async () => {
  const { settle, settlement, ledger, rewardId, entry } = await open();
  const read = await entry();
  const other = scriptedPayer({});
  await tryClaim(settlement(other, { run: 'other' }), read);
  const isOwnerAlive = async () => true;
  expect((await settle({ isOwnerAlive })).end).toEqual([
    'waiting',
    'pending',
    'under-way',
    'another process is paying it (run other)',
  ]);
  await ledger.change(rewardId, answered(1, { kind: 'paid' }, other.capabilities), { by: 'other' });
  const end = ['waiting', 'pending', 'under-way', 'another process has just decided it'];
  expect(await settle({ read, skipIfTaken: true })).toEqual({ ...idle, end });
  // The ledger may be an abandoned copy, so it must prove to be in use before the report.
  const reported = { ...idle, fences: 1, reports: 1, end: ['paid', 'confirmed', undefined, undefined] };
  expect(await settle()).toEqual(reported);
  expect(await settle()).toEqual({ ...reported, fences: 0, reports: 0 });
});

it('a report that did not arrive is made by the next run of the ledger in use', async () => {
  const { settle, settlement, ledger, reports } = await open();
  const trouble = new ServiceFailure('unreachable', 'gone', undefined, { operation: 'updateReward' });
  const service = { ...settlement(scriptedPayer({})).service, update: () => Promise.reject(trouble) };
  expect((await settle({ service })).end).toEqual(['paid', 'sent', undefined, undefined]);
  const replaced = new Failure('ledger', 'it is no longer the ledger in use');
  const left = { ...ledger, fence: () => Promise.reject(replaced) };
  await expect(settle({ ledger: left })).rejects.toBe(replaced);
  expect(reports()).toBe(0);
  expect(await settle()).toMatchObject({ calls: 0, fences: 1, reports: 1 });
});

it('a payment that left in time counts, however late its payer asks once more', async () => {
  const { settle, clock } = await open();
  const scripted = scriptedPayer({});
  const payer: Payer = {
    ...scripted,
    pay: async (payment, mayLeave) => {
      const answer = await scripted.pay(payment);
      await clock.sleep(3_600_000);
      return mayLeave?.() === true ? { kind: 'retry', message: 'not sent' } : answer;
    },
  };
  expect((await settle({ payer })).end).toEqual(['paid', 'confirmed', undefined, undefined]);
  expect(scripted.calls).toHaveLength(1);
});

it('a reward that was seen too long ago begins with another look at it', async () => {
  const { settle, clock, put, sandbox, ledger } = await open();
  await clock.sleep(3_600_000);
  put({ status: 'FAILURE' });
  const end = ['waiting', 'pending', 'not-queued', 'the service says FAILURE'];
  expect(await settle()).toEqual({ ...idle, looks: 1, end });
  expect(await settle()).toEqual({ ...idle, end });
  await clock.sleep(3_600_000);
  put({ status: 'QUEUED' });
  sandbox.transact(({ state: { orders } }) => {
    for (const order of orders.values()) orders.put({ ...order, memberOriginId: 'M2' });
  });
  expect(await settle()).toMatchObject({ calls: 1, looks: 1 });
  const budgets = await ledger.budgets('member ');
  expect(budgets.map(({ scope, spentCount }) => [scope, spentCount])).toEqual([['member 2026-01-01 M2', 1]]);
});

it('a reward that shows another member since it was read is charged to that member', async () => {
  const { settle, ledger, rewardId, entry } = await open();
  const read = await entry();
  const seen = { ...read.seen, memberOriginId: 'another', atMs: read.seen.atMs + 1 };
  await ledger.change(rewardId, observe(rewardId, seen), { by: 'webhook' });
  expect(await settle({ read })).toMatchObject({ calls: 1, looks: 1 });
  const { scopes } = await entry();
  expect(scopes.filter((scope) => scope.startsWith('member'))).toHaveLength(1);
});

it('a ledger that is not the one in use pays nothing, and leaves the reward to others', async () => {
  const { settle, ledger, entry } = await open();
  const replaced = new Failure('ledger', 'it is no longer the ledger in use');
  await expect(settle({ ledger: { ...ledger, fence: () => Promise.reject(replaced) } })).rejects.toBe(
    replaced,
  );
  expect(await entry()).toMatchObject({ payment: 'intended', reason: 'this ledger is not the one in use' });
});

it.each([
  ['after it', 'QUEUED', 1, 2, true],
  ['in the same instant', 'QUEUED', 0, 2, true],
  ['before it', 'QUEUED', -1, 2, false],
  ['before it, just now', 'QUEUED', -1, 0, false],
  ['before it, by a clock that was set back since', 'QUEUED', -1, -1, true],
  ['after it, and not waiting', 'SUCCESS', 1, 2, false],
])(
  'a confirmed reward that was seen %s (%s) is reported again only if the service forgot it',
  async (_, status, seenMs, nowMs, isReported) => {
    const { settle, ledger, rewardId, clock, put, entry } = await open();
    await settle();
    const confirmedAtMs = clock.now();
    const confirmed = await entry();
    const events: LedgerEvent[] = [];
    for await (const page of ledger.events(rewardId)) events.push(...page);
    const [last] = events.slice(-1);
    if (last === undefined) throw new Error('the ledger has no events');
    put({ status: 'QUEUED' });
    const shown = { ...confirmed, seen: { ...confirmed.seen, status, atMs: confirmedAtMs + seenMs } };
    const seen: LedgerEvent = { ...last, kind: 'seen', atMs: confirmedAtMs + 5 };
    const own = { ...ledger, find: async () => shown, events: () => pagesOf([...events, seen]) };
    const now = () => confirmedAtMs + nowMs;
    const { reports } = await settle({
      ledger: own,
      clock: { now, monotonicMs: now, sleep: async () => undefined },
    });
    expect(reports > 0).toBe(isReported);
  },
);
